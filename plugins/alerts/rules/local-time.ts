/** What the clock of a place shows, and whether a schedule holds then. The rules of a zone are asked for once a change of its offset. */
import { indices } from '../../../lib/index.ts';
import { DAYS, type ScheduleEntry } from './rule.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES_A_DAY = 1_440;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 3;

const spans = new Map<string, indices.OffsetSpan>();

/** The local time as if it were UTC, ms. Throws RangeError for no zone. */
export function localTime(zone: string, at: number): number {
  let span = spans.get(zone);
  if (!span || at < span.from || at >= span.to) {
    [span] = indices.offsetSpans(zone, at, at);
    if (span) spans.set(zone, span);
  }
  return at + (span?.offset ?? 0);
}

/**
 * By what the local clock shows: an hour that comes twice is in the schedule both times, one that is skipped never is.
 * `at` in ms since 1970 UTC.
 */
export function isScheduled(schedule: readonly ScheduleEntry[] | undefined, zone: string, at: number): boolean {
  if (!schedule) return true;
  const local = localTime(zone, at);
  const minute = Math.floor(local / MINUTE_MS) % MINUTES_A_DAY;
  const today = (Math.floor(local / DAY_MS) + FIRST_WEEKDAY) % 7;
  return schedule.some((entry) => holds(entry, today, minute));
}

function holds({ days, from, to }: ScheduleEntry, today: number, minute: number): boolean {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const on = (day: number) => days.includes(DAYS[(day + 7) % 7] ?? 'mon');
  if (begin < end) return on(today) && minute >= begin && minute < end;
  return (on(today) && minute >= begin) || (on(today - 1) && minute < end);
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
