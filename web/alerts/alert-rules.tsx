/** The rules of alerts. The API describes the fields of each kind, and checks a rule while a person writes it. Other fields do not change. */
import { useEffect, useState } from 'preact/hooks';
import type { AlertRule, AlertTarget, NewAlertRule, RuleSchedule, schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { textOf } from '../state/alarms.ts';
import { changes, meters, now, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTimeOf, decibels } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { Choice, Flag } from '../ui/field.tsx';
import {
  type AnyParts,
  describedBody,
  describedParts,
  type FormPart,
  type FormValues,
  firstValues,
  followed,
  type PartsOf,
} from '../ui/form-parts.ts';
import { Paged } from '../ui/paged.tsx';
import { type Chosen, metersPart, unitsOrTag } from '../ui/rights.tsx';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { listOf, say, sayOfApi } from '../words/say.ts';
import { DAYS, dayWord, severityChoices, wordsFor } from './rule-words.ts';

interface Props {
  /** Undefined until they are known: then a form can be drawn. */
  readonly kinds: readonly schemas.AlertRuleKind[] | undefined;
  readonly targets: readonly AlertTarget[];
}

export function AlertRules({ kinds, targets }: Props) {
  const { found: rules, again } = useFound(
    () => client.value.alertRules(),
    [changes.value.alert, changes.value.config],
  );
  if (!rules) return null;
  return (
    <Card id="rules" title={say('Rules')}>
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
                  remove={() => client.value.removeAlertRule(rule.id)}
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
    </Card>
  );
}

const WEEK_MS = 7 * 86_400_000;
/** A person who types is not asked about at each letter. */
const CHECK_MS = 300;

interface RuleFormProps {
  readonly kinds: readonly schemas.AlertRuleKind[];
  readonly targets: readonly AlertTarget[];
  readonly present?: AlertRule;
  readonly use: FormUse;
}

/** Each kind of rule has these, beside its own fields. */
interface RuleValues extends FormValues {
  readonly kind: string;
  readonly units: Chosen;
  readonly severity: AlertRule['severity'];
  readonly name: string;
  readonly schedule: readonly RuleSchedule[];
  readonly targets: readonly string[];
  readonly enabled: boolean;
  readonly record: boolean;
}

/** A name that was made from the rule follows its changes, so the form does not show it. */
const firstShared = (present: AlertRule | undefined, kind: string) => ({
  kind,
  units: placeOf(present ?? {}),
  severity: present?.severity ?? ('warning' as const),
  name: present && present.name !== present.words ? present.name : '',
  schedule: present?.schedule ?? [],
  targets: present?.targets ?? [],
  enabled: present?.enabled ?? true,
  record: true,
});

function RuleForm({ kinds, targets, present, use }: RuleFormProps) {
  const ofKind = (name: string) => kinds.find((each) => each.kind === name);
  const ownOf = (name: string) => (present?.kind === name ? { ...present } : undefined);
  const firstOf = (name: string) => firstValues(ofKind(name)?.fields ?? [], ownOf(name));
  const [values, set] = useValues<RuleValues>(() => {
    const shared = firstShared(present, present?.kind ?? kinds[0]?.kind ?? '');
    return { ...firstOf(shared.kind), ...shared };
  });
  const { kind, units: place, severity, name, schedule, targets: told, enabled, record } = values;
  const { fields = [], preview: hasPreview, of_gateway: isOfGateway } = ofKind(kind) ?? {};
  const draft = {
    kind,
    ...describedBody(fields, values, ownOf(kind)),
    ...(!isOfGateway && unitsOrTag(place)),
    enabled,
    severity,
    targets: told,
    ...(schedule.length > 0 && { schedule }),
    ...escalationOf(present),
  } as Omit<NewAlertRule, 'name'>;
  const checked = useCheck(draft);
  const warnings = checked?.warnings ?? [];
  const wordsNow = () =>
    client.value.checkAlertRule(draft).then(
      ({ words }) => words,
      () => kind,
    );
  const trial = useAction();
  const preview = () => trial.run(() => previewOf({ ...draft, name: kind }));
  const save = async () => {
    // Named by what it is about now where a person names it nothing.
    const rule = { ...draft, name: name || (await wordsNow()).slice(0, LONGEST_NAME), record };
    return present ? client.value.changeAlertRule(present.id, rule) : client.value.addAlertRule(rule);
  };
  const parts: AnyParts = [
    {
      name: 'kind',
      label: say('Is about ## a rule'),
      choices: kinds.map(({ kind: word, title }) => [word, sayOfApi(title)] as const),
      put: (next) => set({ ...firstOf(String(next)), kind: String(next) }),
    },
    !isOfGateway &&
      metersPart(place, (next) => set({ units: next }), { label: say('At ## which meters'), isOfOne: true }),
    ...describedParts(fields, values, ownOf(kind), (next) => set(next)),
    { name: 'severity', label: say('Severity'), choices: severityChoices() },
    { name: 'name', label: say('Name of the rule'), hint: checked ? textOf(checked, 'words') : '' },
    ...scheduleParts(schedule, (next) => set({ schedule: next })),
    {
      name: 'record',
      isWide: true,
      draw: (
        <TooLittleRecorded
          warnings={warnings.filter(isRecordable)}
          record={record}
          change={(next) => set({ record: next })}
        />
      ),
    },
    {
      name: 'warnings',
      isWide: true,
      draw: <RuleWarnings warnings={warnings.filter((one) => !isRecordable(one))} isLive />,
    },
    targets.length > 0 && {
      name: 'targets',
      type: 'checks',
      label: say('Tells ## which targets'),
      choices: targets.map(({ id, name }) => [id, name] as const),
    },
    present !== undefined && { name: 'enabled', type: 'switch', label: say('Switched on') },
  ];
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: textOf(present, 'name') }) : say('A new rule')}
      button={say('Save this rule')}
      use={use}
      parts={parts}
      values={followed(fields, values, ownOf(kind)) as RuleValues}
      set={set}
      save={save}
      more={
        hasPreview && (
          <button type="button" disabled={trial.waits} onClick={() => void preview()}>
            {say('Try on the last 7 days')}
          </button>
        )
      }
    >
      <Said outcome={trial.outcome} waiting={say('Checking the recorded levels ...')} />
    </SchemaForm>
  );
}

const WORKING_DAYS: RuleSchedule = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '07:00', to: '19:00' };
/** A time field cannot show 24:00; there the end of a day is 00:00. */
const [END, MIDNIGHT] = ['24:00', '00:00'];

/** When a rule counts: always, or on some days between two times of the meter's clock. */
const scheduleParts = (
  schedule: readonly RuleSchedule[],
  change: (schedule: readonly RuleSchedule[]) => void,
): readonly FormPart[] => [
  {
    name: 'counts',
    draw: (
      <Choice
        label={say('Counts ## a rule, at some times')}
        value={schedule.length > 0 ? 'times' : 'always'}
        choices={[
          ['always', say('always')],
          ['times', say('at certain times')],
        ]}
        change={(next) => change(next === 'times' ? [WORKING_DAYS] : [])}
      />
    ),
  },
  { name: 'schedule', rows: { of: () => ({ parts: timeParts() }) } },
];

const timeParts = (): PartsOf<RuleSchedule> => [
  { name: 'from', label: say('From, by the clock of its place'), type: 'time', required: true },
  {
    name: 'to',
    label: say('To'),
    type: 'time',
    required: true,
    written: {
      print: (to) => (to === END ? MIDNIGHT : String(to)),
      parse: (text) => (text === MIDNIGHT ? END : text),
    },
  },
  {
    name: 'days',
    label: say('On ## days of the week'),
    type: 'checks',
    isWide: false,
    choices: DAYS.map((day) => [day, dayWord(day)] as const),
  },
];

const LONGEST_NAME = 80;

/** Answer of the API about a rule that a person writes; undefined while there is no answer. */
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

/** The events of the rule in the last week, had it been there, in words. */
async function previewOf(rule: NewAlertRule): Promise<string> {
  const [from = '', to = ''] = [now.peek() - WEEK_MS, now.peek()].map((at) => new Date(at).toISOString());
  const events = await client.value.previewAlertRule(rule, from, to);
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

/** The place of a rule; for a new one it is the first meter. */
function placeOf({ tag, units = [] }: Partial<AlertRule>): Chosen {
  if (tag !== undefined) return { units: null, tags: [tag] };
  return { units: units.length > 0 ? units : [...(meters.value?.keys() ?? [])].slice(0, 1), tags: null };
}

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
