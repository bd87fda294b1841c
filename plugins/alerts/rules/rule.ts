/** Fields of every rule, of any kind. Its words are those of the API. Data only; the kinds add their own fields. */
import { zones } from '../../../lib/built-in.ts';
import { assessment } from '../../assessment/index.ts';

/** In the order of a week (ISO 8601). */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** From the least to the worst. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** Times of the local clock. `to` at or before `from`: over midnight, and it belongs to the day on which it begins. */
export interface WeeklyHours {
  readonly days: readonly (typeof DAYS)[number][];
  /** `HH:MM` */
  readonly from: string;
  readonly to: string;
}

export interface RuleBody {
  readonly kind: string;
  readonly name: string;
  /** Either units or a tag. */
  readonly units?: readonly string[] | undefined;
  readonly tag?: string | undefined;
  readonly enabled: boolean;
  readonly severity: (typeof SEVERITIES)[number];
  readonly targets: readonly string[];
  /** Without an acknowledgement in this time the targets of `escalate_to` get a message, too; such as `15m`. */
  readonly ack_within?: string | undefined;
  readonly escalate_to?: readonly string[] | undefined;
  /** Whether its units record more for it, also units that get its tag later. Rules of 0.2 lack it: no. */
  readonly record?: boolean;
  readonly schedule?: readonly WeeklyHours[] | undefined;
}

/** Times in ms since 1970 UTC. */
export interface Numbered {
  readonly id: string;
  readonly createdAt: number;
  readonly changedAt: number;
}

export type Rule = RuleBody & Numbered;

const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** A duration such as `90s`, `5m`, `2h`. */
export const DURATION = '^(0|[1-9][0-9]{0,4})[smhd]$';

/** Seconds. The schema has checked the text. */
export const secondsOf = (text: string): number => Number(text.slice(0, -1)) * (UNIT_S[text.slice(-1)] ?? 1);

/** `15m` as people write it: `15 min`. */
export const spaced = (time: string): string =>
  time.replace(/^(\d+)([smhd])$/, (_, count, unit) => `${count} ${unit === 'm' ? 'min' : unit}`);

export const concerns = (
  { units, tag }: Pick<RuleBody, 'units' | 'tag'>,
  unit: { readonly unitId: string; readonly tags: readonly string[] },
): boolean => (units?.includes(unit.unitId) ?? false) || (tag !== undefined && unit.tags.includes(tag));

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1_440;

/** By the local clock: an hour that comes twice is in the schedule both times, a skipped hour never is. `at` in ms since 1970 UTC. */
export function isScheduled(schedule: readonly WeeklyHours[] | undefined, zone: string, at: number): boolean {
  if (!schedule) return true;
  const local = zones.localAt(zone, at);
  const minute = Math.floor(local / MINUTE_MS) % MINUTES_A_DAY;
  const today = zones.weekdayOf(local);
  return schedule.some((entry) => holds(entry, today, minute));
}

function holds({ days, from, to }: WeeklyHours, today: number, minute: number): boolean {
  const [begin, end] = [assessment.minutesOf(from), assessment.minutesOf(to)];
  const on = (day: number) => days.includes(DAYS[(day + 7) % 7] ?? 'mon');
  if (begin < end) return on(today) && minute >= begin && minute < end;
  return (on(today) && minute >= begin) || (on(today - 1) && minute < end);
}
