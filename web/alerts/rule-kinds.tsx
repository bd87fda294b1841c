/** What a rule watches: a level, or a problem of a meter. Its fields, and the rule that they make. */
import type { AlertRule } from '../../client/index.ts';
import { nameOf } from '../app/quantity.ts';
import { Choice, Field } from '../ui/field.tsx';
import { CONDITIONS, type Condition, THRESHOLDS } from './rule-words.ts';

type Window = NonNullable<AlertRule['window']>;
const WINDOWS: readonly Window[] = ['1m', '5m', '15m', '30m', '1h', '8h', '12h', 'day', 'evening', 'night'];
const PERIODS = WINDOWS.slice(-3);
const QUANTITIES = ['leq', 'lmax', 'lpeak', 'l10', 'l90'];

interface Level {
  readonly quantity: string;
  readonly window: Window;
  readonly align: 'clock' | 'sliding';
  readonly limit: string;
}

export const levelOf = ({
  quantity = 'leq',
  window = '15m',
  align = 'clock',
  limit_db = 55,
}: Partial<AlertRule> = {}): Level => ({
  ...{ quantity, window, align, limit: String(limit_db) },
});

/** The distance between the limit and the level at which an event ends stays the same. */
export function levelRule(
  { quantity, window, align, limit }: Level,
  { limit_db, clear_db, min_coverage }: Partial<AlertRule> = {},
) {
  const limitDb = Number(limit);
  return {
    name: `${nameOf(quantity, { frequency: null, time: null })} ${window} above ${limit} dB`,
    ...{ kind: 'level' as const, quantity, window, limit_db: limitDb },
    align: PERIODS.includes(window) ? ('clock' as const) : align,
    ...(clear_db !== undefined &&
      limit_db !== undefined && { clear_db: Number((limitDb - limit_db + clear_db).toFixed(2)) }),
    ...(min_coverage !== undefined && { min_coverage }),
  };
}

const ALIGNS = [
  ['clock', 'one after the other'],
  ['sliding', 'always the last'],
] as const;

export function LevelFields({ value, change }: { readonly value: Level; change(value: Level): void }) {
  const { quantity, window, align, limit } = value;
  return (
    <>
      <Choice
        label="Level"
        value={quantity}
        choices={QUANTITIES.map((each) => [each, nameOf(each, { frequency: null, time: null })] as const)}
        change={(next) => change({ ...value, quantity: next })}
      />
      <Choice label="Over" value={window} choices={WINDOWS} change={(next) => change({ ...value, window: next })} />
      {!PERIODS.includes(window) && (
        <Choice label="Windows" value={align} choices={ALIGNS} change={(next) => change({ ...value, align: next })} />
      )}
      <Field
        label="Limit, dB"
        type="number"
        step="0.1"
        required
        value={limit}
        change={(next) => change({ ...value, limit: next })}
      />
    </>
  );
}

interface Device {
  readonly condition: Condition;
  readonly threshold: string;
  readonly time: string;
}

export const deviceOf = ({
  condition = 'unreachable',
  threshold,
  weighting,
  for: time = '5m',
}: Partial<AlertRule> = {}): Device => ({
  ...{ condition: condition as Condition, threshold: weighting ?? String(threshold ?? ''), time },
});

export function deviceRule({ condition, threshold, time }: Device) {
  const name = `A meter ${CONDITIONS[condition]}`;
  const isWeighting = condition === 'weighting_changed';
  const limit = threshold !== '' && !isWeighting ? { threshold: Number(threshold) } : {};
  const weighting = isWeighting ? { weighting: threshold } : {};
  return { name, kind: 'device' as const, condition, for: time, ...limit, ...weighting };
}

export function DeviceFields({ value, change }: { readonly value: Device; change(value: Device): void }) {
  const { condition, threshold, time } = value;
  const [unit, usual] = THRESHOLDS[condition] ?? [];
  const choose = (next: Condition) =>
    change({
      ...value,
      condition: next,
      threshold: THRESHOLDS[next]?.[1] ?? (next === 'weighting_changed' ? 'AF' : ''),
    });
  return (
    <>
      <Choice
        label="The meter"
        value={condition}
        choices={Object.entries(CONDITIONS) as [Condition, string][]}
        change={choose}
      />
      {unit && (
        <Field
          label={`Threshold, ${unit}`}
          type="number"
          required
          hint={usual}
          value={threshold}
          change={(next) => change({ ...value, threshold: next })}
        />
      )}
      {condition === 'weighting_changed' && (
        <Field
          label="Should be"
          required
          hint="AF"
          pattern="[ACZ][FSI]"
          value={threshold}
          change={(next) => change({ ...value, threshold: next })}
        />
      )}
      <Field
        label="For at least"
        required
        hint="5m"
        pattern="[0-9]+[smhd]"
        value={time}
        change={(next) => change({ ...value, time: next })}
      />
    </>
  );
}
