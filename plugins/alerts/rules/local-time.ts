/** Whether a schedule of a rule holds, by the clock of the place. */
import { zones } from '../../../lib/index.ts';
import { assessment } from '../../assessment/index.ts';
import { DAYS, type WeeklyHours } from './rule.ts';

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1_440;

/**
 * By the local clock: an hour that comes twice is in the schedule both times, a skipped hour never is.
 * `at` in ms since 1970 UTC.
 */
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
