/**
 * A rule, new or to be changed. The API describes the fields of each kind, checks the rule while it is written, and tries it on the last
 * seven days where its kind can be tried. Fields that the form does not show stay as they are.
 */
import { useEffect, useState } from 'preact/hooks';
import type { AlertPreview, AlertRule, AlertTarget, NewAlertRule, schemas } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { changes, now, titleOf, unitOf } from '../app/fleet.ts';
import { dayAndTimeOf, decibels, whole } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field, Flag } from '../ui/field.tsx';
import { FormFields, MoreFields } from '../ui/form-fields.tsx';
import { bodyOf, firstValues } from '../ui/form-values.ts';
import { ScheduleField } from '../ui/schedule-field.tsx';
import { PlaceField, placeOf } from './rule-places.tsx';
import { RuleWarnings } from './rule-warnings.tsx';

type Severity = AlertRule['severity'];
const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical'];
const WEEK_MS = 7 * 86_400_000;
/** A person who types is not asked about at each letter. */
const CHECK_MS = 300;

interface Props {
  readonly kinds: readonly schemas.AlertRuleKind[];
  readonly targets: readonly AlertTarget[];
  readonly present?: AlertRule;
  readonly use: FormUse;
}

/** The kind of a rule with the fields that it brings, as a person fills them in. */
function useKind(kinds: Props['kinds'], present: AlertRule | undefined) {
  const fieldsOf = (name: string) => kinds.find((each) => each.kind === name)?.fields ?? [];
  const [kind, setKind] = useState<string>(present?.kind ?? kinds[0]?.kind ?? '');
  const fields = fieldsOf(kind);
  const own = present?.kind === kind ? { ...present } : undefined;
  const [values, setValues] = useState(() => firstValues(fields, own));
  const choose = (next: string) => {
    setKind(next);
    setValues(firstValues(fieldsOf(next), present?.kind === next ? { ...present } : undefined));
  };
  const hasPreview = kinds.find((each) => each.kind === kind)?.preview === true;
  return { kind, choose, hasPreview, form: { fields, values, present: own, change: setValues } };
}

/** The form of one rule. `kinds`: as the API describes them. */
export function RuleForm({ kinds, targets, present, use }: Props) {
  const { kind, choose, hasPreview, form } = useKind(kinds, present);
  const [place, setPlace] = useState(() => placeOf(present ?? {}));
  const [severity, setSeverity] = useState<Severity>(present?.severity ?? 'warning');
  const [schedule, setSchedule] = useState(present?.schedule ?? []);
  const [told, setTold] = useState(present?.targets ?? []);
  const [enabled, setEnabled] = useState(present?.enabled ?? true);
  const [record, setRecord] = useState(true);
  const draft = {
    ...{ kind, ...bodyOf(form.fields, form.values, form.present), ...place, enabled, severity, targets: told },
    ...(schedule.length > 0 && { schedule }),
    ...escalationOf(present),
  } as Omit<NewAlertRule, 'name'>;
  const checked = useCheck(draft);
  const warnings = checked?.warnings ?? [];
  // A name that was made from the rule follows its changes.
  const [name, setName] = useState(present && present.name !== present.words ? present.name : '');
  const wordsNow = () =>
    client.value.checkAlertRule(draft).then(
      ({ words }) => words,
      () => kind,
    );
  /** Named by what it is about now where a person names it nothing. */
  const named = async (): Promise<NewAlertRule> => ({
    ...draft,
    name: name.trim() === '' ? (await wordsNow()).slice(0, LONGEST_NAME) : name.trim(),
  });
  const trial = useAction();
  const preview = () =>
    trial.run(async () => {
      const [from, to] = [now.peek() - WEEK_MS, now.peek()].map((at) => new Date(at).toISOString());
      return previewed(await client.value.previewAlertRule({ ...draft, name: kind }, from ?? '', to ?? ''));
    });
  const save = async () => {
    const rule = { ...(await named()), record };
    const { message } = await (present
      ? client.value.changeAlertRule(present.id, rule)
      : client.value.addAlertRule(rule));
    return message;
  };
  return (
    <EntryForm
      title={present ? `Change ${present.name}` : 'A new rule'}
      button={present ? 'Save this rule' : 'Make this rule'}
      use={use}
      save={save}
      more={
        hasPreview && (
          <button type="button" disabled={trial.waits} onClick={() => void preview()}>
            Try on the last 7 days
          </button>
        )
      }
    >
      <div class="fields">
        <Choice
          label="Is about"
          value={kind}
          choices={kinds.map(({ kind: word, title }) => [word, title] as const)}
          change={choose}
        />
        <PlaceField value={place} change={setPlace} />
        <FormFields {...form} />
        <Choice label="Severity" value={severity} choices={SEVERITIES} change={(next) => setSeverity(next)} />
        <Field label="Name of the rule" hint={checked?.words ?? ''} value={name} change={setName} />
        <ScheduleField value={schedule} change={setSchedule} />
      </div>
      <MoreFields {...form} />
      <TooLittleRecorded warnings={warnings.filter(isRecordable)} record={record} change={setRecord} />
      <RuleWarnings warnings={warnings.filter((one) => !isRecordable(one))} isLive />
      {targets.length > 0 && (
        <Checks
          label="Tells"
          chosen={told}
          choices={targets.map(({ id, name }) => [id, name] as const)}
          change={setTold}
        />
      )}
      {present && <Flag label="Switched on" value={enabled} change={setEnabled} />}
      <Said outcome={trial.outcome} waiting="Checking the recorded levels ..." />
    </EntryForm>
  );
}

/** The most that a name may have. */
const LONGEST_NAME = 80;

/** What the API says of a rule that is being written; undefined while it cannot be made. Asked again when the config of a meter changes. */
function useCheck(draft: Omit<NewAlertRule, 'name'>): schemas.AlertRuleCheck | undefined {
  const [checked, setChecked] = useState<schemas.AlertRuleCheck | undefined>(undefined);
  useEffect(() => {
    let left = false;
    const timer = setTimeout(() => {
      client.value.checkAlertRule(draft).then(
        (found) => left || setChecked(found),
        () => left || setChecked(undefined),
      );
    }, CHECK_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify(draft), changes.value.config]);
  return checked;
}

const isRecordable = ({ recordable }: schemas.AlertRuleWarning): boolean => recordable;

interface RecordingProps {
  readonly warnings: schemas.AlertRuleCheck['warnings'];
  readonly record: boolean;
  change(record: boolean): void;
}

/** Meters that keep too little for the rule, and what happens there when it is made. */
function TooLittleRecorded({ warnings, record, change }: RecordingProps) {
  if (warnings.length === 0) return null;
  const names = warnings.map(({ unit_id }) => titleOf(unit_id)).join(', ');
  return (
    <div class={`trouble ${record ? 'wait' : 'act'} stack`} role="status">
      <span>
        <strong>Too little is recorded at {names} for this rule.</strong>{' '}
        {record
          ? 'Everything is recorded there from when the rule is made; the levels until then are not enough for it.'
          : 'It would stay silent there.'}
      </span>
      <Flag label="Record everything there" value={record} change={change} />
    </div>
  );
}

const escalationOf = ({ ack_within, escalate_to }: Partial<AlertRule> = {}) =>
  ack_within !== undefined && escalate_to ? { ack_within, escalate_to } : {};

function previewed(events: readonly AlertPreview[]): string {
  if (events.length === 0) return 'This rule would have opened no event.';
  const worst = events.reduce((one, other) => (other.worst > one.worst ? other : one));
  const times = events.length === 1 ? 'once' : `${whole(events.length)} times`;
  return `This rule would have opened an event ${times}; the worst was ${decibels(worst.worst)} dB, ${dayAndTimeOf(worst.opened_at, unitOf(worst.unit_id)?.timezone)}.`;
}
