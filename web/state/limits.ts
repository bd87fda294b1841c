/** Rules that are limits of a meter, for its charts. When a limit holds, by the clock of the place. Pure. */
import type { AlertRule, Unit } from '../../client/index.ts';
import { localInput } from './numbers.ts';

export interface Limit {
  readonly level: number;
  readonly label: string;
  /** Undefined: its rule is not known here; it is drawn over the whole span. */
  readonly rule?: AlertRule;
}

type Meter = Pick<Unit, 'unit_id' | 'tags'>;

/**
 * Limits in dB of all kinds of rules for this meter and channel, if the rule is on. A rule without a channel is about the
 * main channel.
 */
export const drawnLimits = (rules: readonly AlertRule[], meter: Meter, shown: string): readonly Limit[] =>
  rules.flatMap((rule) => {
    const { enabled, limit_db: level, name: label, channel = 'main' } = rule;
    return enabled && level !== undefined && channel === shown && concerns(rule, meter) ? [{ level, label, rule }] : [];
  });

const concerns = ({ units, tag }: AlertRule, { unit_id, tags }: Meter): boolean =>
  units ? units.includes(unit_id) : tag !== undefined && tags.includes(tag);

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const DAY_MS = 86_400_000;
/** Windows that are a part of the day. */
const PARTS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  day: ['07:00', '19:00'],
  evening: ['19:00', '23:00'],
  night: ['23:00', '07:00'],
};

type Times = Pick<AlertRule, 'schedule' | 'window'>;

export function holdsAt({ schedule, window }: Times, at: number, zone: string): boolean {
  const local = localInput(at, zone);
  const time = local.slice(11);
  const noon = Date.parse(`${local.slice(0, 10)}T12:00Z`);
  const [today, yesterday] = [noon, noon - DAY_MS].map((day) => DAYS[new Date(day).getUTCDay()]);
  const part = PARTS[window ?? ''];
  const isIn = (from: string, to: string) => (from < to ? time >= from && time < to : time >= from || time < to);
  if (part && !isIn(...part)) return false;
  if (!schedule) return true;
  return schedule.some(({ days, from, to }) => {
    // A time over midnight belongs to the day on which it began.
    const day = from >= to && time < to ? yesterday : today;
    return isIn(from, to) && days.some((each) => each === day);
  });
}

export interface LimitPart {
  readonly from: number;
  readonly to: number;
  /** Its rule was not made yet: nobody watched it then. */
  readonly isBefore: boolean;
}

/** The line of a limit, cut where its rule was made (`made`, in pixels). */
export const partsOf = (spans: readonly (readonly [from: number, to: number])[], made: number): readonly LimitPart[] =>
  spans
    .flatMap(([from, to]) => [
      { from, to: Math.min(to, made), isBefore: true },
      { from: Math.max(from, made), to, isBefore: false },
    ])
    .filter(({ from, to }) => from < to);

/** Rules that were made after the beginning of a chart (ms UTC); their lines have a pale part. */
export const madeAfter = <Limit extends { readonly rule?: Pick<AlertRule, 'created_at'> }>(
  limits: readonly Limit[],
  from: number,
): readonly Limit[] => limits.filter(({ rule }) => rule?.created_at && Date.parse(rule.created_at) > from);
