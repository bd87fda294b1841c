/**
 * A rule, new or to be changed: about a level, tried on the last seven days before it is saved, or about a problem of a
 * meter. Fields that it does not show stay as they are.
 */
import { useState } from 'preact/hooks';
import type { AlertPreview, AlertRule, AlertTarget, NewAlertRule, RuleSchedule, Severity } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { now, unitOf } from '../app/fleet.ts';
import { dayAndTimeOf, decibels, whole } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field, Flag } from '../ui/field.tsx';
import { ScheduleField } from '../ui/schedule-field.tsx';
import { DeviceFields, deviceOf, deviceRule, LevelFields, levelOf, levelRule } from './rule-kinds.tsx';
import { PlaceField, placeOf, TooLittleRecorded } from './rule-places.tsx';

const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical'];
const WEEK_MS = 7 * 86_400_000;

interface Props {
  readonly targets: readonly AlertTarget[];
  readonly present?: AlertRule;
  readonly use: FormUse;
}

export function RuleForm({ targets, present, use }: Props) {
  const [kind, setKind] = useState(present?.kind ?? 'level');
  const [place, setPlace] = useState(() => placeOf(present ?? {}));
  const [level, setLevel] = useState(levelOf(present));
  const [device, setDevice] = useState(deviceOf(present));
  const body = kind === 'level' ? levelRule(level, present) : deviceRule(device);
  // A name that was made from the rule follows its changes.
  const [name, setName] = useState(present && present.name !== body.name ? present.name : '');
  const [severity, setSeverity] = useState<Severity>(present?.severity ?? 'warning');
  const [schedule, setSchedule] = useState<readonly RuleSchedule[]>(present?.schedule ?? []);
  const [told, setTold] = useState<readonly string[]>(present?.targets ?? []);
  const [enabled, setEnabled] = useState(present?.enabled ?? true);
  const trial = useAction();
  const rule: NewAlertRule = {
    ...body,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...place,
    ...{ enabled, severity, targets: told },
    ...(schedule.length > 0 && { schedule }),
    ...escalationOf(present),
  };
  const preview = () =>
    trial.run(async () => {
      const [from, to] = [now.peek() - WEEK_MS, now.peek()].map((at) => new Date(at).toISOString());
      return previewed(await client.value.previewAlertRule(rule, from ?? '', to ?? ''));
    });
  const save = async () => {
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
        kind === 'level' && (
          <button type="button" disabled={trial.waits} onClick={() => void preview()}>
            Try on the last 7 days
          </button>
        )
      }
    >
      <div class="fields">
        <Choice label="Is about" value={kind} choices={KINDS} change={(next) => setKind(next)} />
        <PlaceField value={place} change={setPlace} />
        {kind === 'level' ? (
          <LevelFields value={level} change={setLevel} />
        ) : (
          <DeviceFields value={device} change={setDevice} />
        )}
        <Choice label="Severity" value={severity} choices={SEVERITIES} change={(next) => setSeverity(next)} />
        <Field label="Name of the rule" hint={body.name} value={name} change={setName} />
        <ScheduleField value={schedule} change={setSchedule} />
      </div>
      {kind === 'level' && <TooLittleRecorded place={place} />}
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

const KINDS = [
  ['level', 'a level'],
  ['device', 'a problem of a meter'],
] as const;

const escalationOf = ({ ack_within, escalate_to }: Partial<AlertRule> = {}) =>
  ack_within !== undefined && escalate_to ? { ack_within, escalate_to } : {};

function previewed(events: readonly AlertPreview[]): string {
  if (events.length === 0) return 'This rule would have opened no event.';
  const worst = events.reduce((one, other) => (other.worst > one.worst ? other : one));
  const times = events.length === 1 ? 'once' : `${whole(events.length)} times`;
  return `This rule would have opened an event ${times}; the worst was ${decibels(worst.worst)} dB, ${dayAndTimeOf(worst.opened_at, unitOf(worst.unit_id)?.timezone)}.`;
}
