/**
 * The rules of alerts: listed, made, changed and removed. The API describes the fields of each kind, and checks a rule while a
 * person writes it. Fields that the form does not show do not change.
 */
import { useEffect, useState } from 'preact/hooks';
import type { AlertPreview, AlertRule, AlertTarget, NewAlertRule, schemas, Unit } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { textOf } from '../state/alarms.ts';
import { changes, meters, now, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTimeOf, decibels } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Entry, EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field, Flag } from '../ui/field.tsx';
import { FormFields, MoreFields } from '../ui/form-fields.tsx';
import { bodyOf, firstValues } from '../ui/form-values.ts';
import { Paged } from '../ui/paged.tsx';
import { listOf, say, sayOfApi } from '../words/say.ts';
import { severityChoices, wordsFor } from './rule-words.ts';
import { ScheduleField } from './schedule-field.tsx';

interface Props {
  /** Undefined until they are known: then a form can be drawn. */
  readonly kinds: readonly schemas.AlertRuleKind[] | undefined;
  readonly targets: readonly AlertTarget[];
}

/** The list of rules; for admins with its forms. */
export function AlertRules({ kinds, targets }: Props) {
  const { found: rules, again } = useFound(
    () => client.value.alertRules(),
    [changes.value.alert, changes.value.config],
  );
  if (!rules) return null;
  return (
    <section class="card" aria-labelledby="rules">
      <h2 id="rules">{say('Rules')}</h2>
      {rules.length === 0 && <p class="soft">{say('There are no rules yet.')}</p>}
      <Paged items={rules} label={say('rules ## what is searched')} wordsOf={(rule) => textOf(rule, 'name')}>
        {(some) => (
          <ul class="configs">
            {some.map((rule) => (
              <li key={rule.id}>
                <Entry
                  name={textOf(rule, 'name')}
                  mayChange={mayAdminister.value && kinds !== undefined}
                  form={(use) => <RuleForm kinds={kinds ?? []} targets={targets} present={rule} use={use} />}
                  remove={async () => (await client.value.removeAlertRule(rule.id)).message}
                  onChange={again}
                >
                  <bdi>{textOf(rule, 'name')}</bdi>
                  <div class="soft small">{wordsFor(rule, targets, titleOf)}</div>
                  <RuleSilence rule={rule} />
                </Entry>
              </li>
            ))}
          </ul>
        )}
      </Paged>
      {mayAdminister.value && kinds && (meters.value?.size ?? 0) > 0 && (
        <RuleForm kinds={kinds} targets={targets} use={{ saved: again, isOpen: rules.length === 0 }} />
      )}
    </section>
  );
}

type Severity = AlertRule['severity'];
const WEEK_MS = 7 * 86_400_000;
/** A person who types is not asked about at each letter. */
const CHECK_MS = 300;

interface RuleFormProps {
  readonly kinds: readonly schemas.AlertRuleKind[];
  readonly targets: readonly AlertTarget[];
  readonly present?: AlertRule;
  readonly use: FormUse;
}

/** The kind of a rule with the fields that it brings, as a person fills them in. */
function useKind(kinds: RuleFormProps['kinds'], present: AlertRule | undefined) {
  const fieldsOf = (name: string) => kinds.find((each) => each.kind === name)?.fields ?? [];
  const [kind, setKind] = useState<string>(present?.kind ?? kinds[0]?.kind ?? '');
  const fields = fieldsOf(kind);
  const own = present?.kind === kind ? { ...present } : undefined;
  const [values, setValues] = useState(() => firstValues(fields, own));
  const choose = (next: string) => {
    setKind(next);
    setValues(firstValues(fieldsOf(next), present?.kind === next ? { ...present } : undefined));
  };
  const about = kinds.find((each) => each.kind === kind);
  const facts = { hasPreview: about?.preview === true, isOfGateway: about?.of_gateway === true };
  return { kind, choose, ...facts, form: { fields, values, present: own, change: setValues } };
}

/** Where a rule counts; a rule about the gateway as a whole counts nowhere else. */
function usePlace(present: AlertRule | undefined, isOfGateway: boolean) {
  const [place, setPlace] = useState(() => placeOf(present ?? {}));
  if (isOfGateway) return { body: {}, field: null };
  return { body: place, field: <PlaceField value={place} change={setPlace} /> };
}

/** The form of one rule. `kinds`: as the API describes them. */
function RuleForm({ kinds, targets, present, use }: RuleFormProps) {
  const { kind, choose, hasPreview, isOfGateway, form } = useKind(kinds, present);
  const place = usePlace(present, isOfGateway);
  const [severity, setSeverity] = useState<Severity>(present?.severity ?? 'warning');
  const [schedule, setSchedule] = useState(present?.schedule ?? []);
  const [told, setTold] = useState(present?.targets ?? []);
  const [enabled, setEnabled] = useState(present?.enabled ?? true);
  const [record, setRecord] = useState(true);
  const draft = {
    kind,
    ...bodyOf(form.fields, form.values, form.present),
    ...place.body,
    enabled,
    severity,
    targets: told,
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
      title={present ? say('Change {name}', { name: textOf(present, 'name') }) : say('A new rule')}
      button={say('Save this rule')}
      use={use}
      save={save}
      more={
        hasPreview && (
          <button type="button" disabled={trial.waits} onClick={() => void preview()}>
            {say('Try on the last 7 days')}
          </button>
        )
      }
    >
      <div class="fields">
        <Choice
          label={say('Is about ## a rule')}
          value={kind}
          choices={kinds.map(({ kind: word, title }) => [word, sayOfApi(title)] as const)}
          change={choose}
        />
        {place.field}
        <FormFields {...form} />
        <Choice
          label={say('Severity')}
          value={severity}
          choices={severityChoices()}
          change={(next) => setSeverity(next)}
        />
        <Field
          label={say('Name of the rule')}
          hint={checked ? textOf(checked, 'words') : ''}
          value={name}
          change={setName}
        />
        <ScheduleField value={schedule} change={setSchedule} />
      </div>
      <MoreFields {...form} />
      <TooLittleRecorded warnings={warnings.filter(isRecordable)} record={record} change={setRecord} />
      <RuleWarnings warnings={warnings.filter((one) => !isRecordable(one))} isLive />
      <TargetChecks targets={targets} value={told} change={setTold} />
      {present && <Flag label={say('Switched on')} value={enabled} change={setEnabled} />}
      <Said outcome={trial.outcome} waiting={say('Checking the recorded levels ...')} />
    </EntryForm>
  );
}

interface TargetChecksProps {
  readonly targets: readonly AlertTarget[];
  readonly value: readonly string[];
  change(value: readonly string[]): void;
}

/** Whom the rule tells; nothing where there is nobody to tell. */
function TargetChecks({ targets, value, change }: TargetChecksProps) {
  if (targets.length === 0) return null;
  const choices = targets.map(({ id, name }) => [id, name] as const);
  return <Checks label={say('Tells ## which targets')} chosen={value} choices={choices} change={change} />;
}

const LONGEST_NAME = 80;

/**
 * Answer of the API about a rule that a person writes; undefined while there is no answer. Asked again after a change of a
 * config.
 */
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
  const names = listOf(warnings.map(({ unit_id }) => titleOf(unit_id)));
  return (
    <div class={`trouble ${record ? 'wait' : 'act'} stack`} role="status">
      <span>
        <strong>{say('Too little is recorded at {names} for this rule.', { names })}</strong>{' '}
        {record
          ? say('When the rule is made, everything is recorded there; the levels before that are not enough for it.')
          : say('It would stay silent there.')}
      </span>
      <Flag label={say('Record everything there')} value={record} change={change} />
    </div>
  );
}

const escalationOf = ({ ack_within, escalate_to }: Partial<AlertRule> = {}) =>
  ack_within !== undefined && escalate_to ? { ack_within, escalate_to } : {};

function previewed(events: readonly AlertPreview[]): string {
  if (events.length === 0) return say('This rule would have opened no event.');
  const worst = events.reduce((one, other) => (other.worst > one.worst ? other : one));
  return say(
    'This rule would have opened an event once; the worst was {level} dB, {time}.|This rule would have opened an event {count} times; the worst was {level} dB, {time}.',
    {
      count: events.length,
      level: decibels(worst.worst),
      time: dayAndTimeOf(worst.opened_at, unitOf(worst.unit_id)?.timezone),
    },
  );
}

const TAG = 'tag:';
const SEVERAL = 'several';
const ALL = 'all';

/** As the API takes it. */
type Place = { readonly tag: string } | { readonly units: readonly string[] };

const allUnits = (): readonly Unit[] => [...(meters.value?.values() ?? [])].map(({ unit }) => unit.value);

/** The place of a rule; for a new one it is the first meter. */
function placeOf({ tag, units = [] }: Partial<AlertRule>): Place {
  if (tag !== undefined) return { tag };
  const first = allUnits()[0]?.unit_id;
  return { units: units.length > 0 || first === undefined ? units : [first] };
}

interface PlaceProps {
  readonly value: Place;
  change(value: Place): void;
}

/** The choice of meters or of a tag. */
function PlaceField({ value, change }: PlaceProps) {
  const units = allUnits();
  const [isSeveral, setSeveral] = useState('units' in value && value.units.length > 1);
  const own = 'tag' in value ? [value.tag] : [];
  const tags = [...new Set([...units.flatMap((unit) => unit.tags), ...own])].sort();
  const chosen = 'units' in value ? value.units : [];
  // A unit may be gone, or hidden from this key. It stays in the rule until somebody takes it out.
  const choices = [
    ...units.map((unit) => [unit.unit_id, titleOf(unit.unit_id)] as const),
    ...chosen.filter((id) => !units.some(({ unit_id }) => unit_id === id)).map((id) => [id, id] as const),
  ];
  const choose = (word: string) => {
    setSeveral(word === SEVERAL || word === ALL);
    if (word.startsWith(TAG)) change({ tag: word.slice(TAG.length) });
    else if (word === ALL) change({ units: units.map(({ unit_id }) => unit_id) });
    else if (word !== SEVERAL) change({ units: [word] });
    else if ('tag' in value) change({ units: units.filter((unit) => isAt(unit, value)).map(({ unit_id }) => unit_id) });
  };
  return (
    <>
      <Choice
        label={say('At ## which meters')}
        value={'tag' in value ? `${TAG}${value.tag}` : isSeveral ? SEVERAL : (chosen[0] ?? '')}
        choices={[
          ...choices,
          ...(units.length > 1 || isSeveral
            ? [[SEVERAL, say('several meters')] as const, [ALL, say('all meters that there are now')] as const]
            : []),
          ...tags.map((tag) => [`${TAG}${tag}`, say('all with the tag {tag}', { tag })] as const),
        ]}
        change={choose}
      />
      {isSeveral && (
        <Checks
          label={say('These meters')}
          chosen={chosen}
          choices={choices}
          change={(ids) => change({ units: ids })}
        />
      )}
    </>
  );
}

const isAt = ({ unit_id, tags }: Unit, place: Place): boolean =>
  'tag' in place ? tags.includes(place.tag) : place.units.includes(unit_id);

/** Of one rule; the others are counted. */
const MOST_SHOWN = 3;

interface WarningsProps {
  readonly warnings: readonly schemas.AlertRuleWarning[];
  /** The warnings change while a person writes the rule: a screen reader reads them at once. */
  readonly isLive?: boolean;
}

/** The first warnings of a rule, in words; nothing without any. */
function RuleWarnings({ warnings, isLive = false }: WarningsProps) {
  if (warnings.length === 0) return null;
  const more = warnings.length - MOST_SHOWN;
  return (
    <div class="trouble act stack" {...(isLive && { role: 'status' })}>
      {warnings.slice(0, MOST_SHOWN).map(({ unit_id, message }) => (
        <span key={unit_id}>{message}</span>
      ))}
      {more > 0 && <span>{say('And {count} more meter.|And {count} more meters.', { count: more })}</span>}
    </div>
  );
}

/** Reasons why a rule of the list cannot ring: such a rule is not shown as one that can. Empty where it is switched off. */
function RuleSilence({ rule: { state, tag, warnings } }: { readonly rule: AlertRule }) {
  if (state !== 'no_units') return <RuleWarnings warnings={warnings} />;
  return <div class="trouble act">{say('No meter has the tag {tag}: nothing is watched.', { tag: tag ?? '' })}</div>;
}
