/** When a rule counts: always, or on some days between two times of the meter's clock. */
import type { RuleSchedule } from '../../client/index.ts';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { DAYS, dayWord } from './rule-words.ts';

interface Props {
  /** None: always. */
  readonly value: readonly RuleSchedule[];
  change(value: readonly RuleSchedule[]): void;
}

const WORKING_DAYS: RuleSchedule = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '07:00', to: '19:00' };
/** A time field cannot show 24:00; there the end of a day is 00:00. */
const [END, MIDNIGHT] = ['24:00', '00:00'];

/** The choice of times, as the rule has them. */
export function ScheduleField({ value, change }: Props) {
  return (
    <>
      <Choice
        label={say('Counts ## a rule, at some times')}
        value={value.length > 0 ? 'times' : 'always'}
        choices={[
          ['always', say('always')],
          ['times', say('at certain times')],
        ]}
        change={(next) => change(next === 'times' ? [WORKING_DAYS] : [])}
      />
      {value.map((entry, index) => (
        <Times key={index} value={entry} change={(next) => change(value.with(index, next))} />
      ))}
    </>
  );
}

function Times({ value, change }: { readonly value: RuleSchedule; change(value: RuleSchedule): void }) {
  const { days, from, to } = value;
  return (
    <div class="fields">
      <Field
        label={say('From, by the clock of its place')}
        type="time"
        required
        value={from}
        change={(next) => change({ ...value, from: next })}
      />
      <Field
        label={say('To')}
        type="time"
        required
        value={to === END ? MIDNIGHT : to}
        change={(next) => change({ ...value, to: next === MIDNIGHT ? END : next })}
      />
      <Checks
        label={say('On ## days of the week')}
        chosen={days}
        choices={DAYS.map((day) => [day, dayWord(day)] as const)}
        change={(next) => change({ ...value, days: next })}
      />
    </div>
  );
}
