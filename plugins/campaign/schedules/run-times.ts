/**
 * The times of an entry of a schedule in a zone. Only the arithmetic of croner is used, not its timers. Where the local
 * clocks change:
 *
 * - minutes and hours without `*` and `/` are times of day. A time that comes twice runs once, the first time. A skipped
 *   time runs as soon as the clock has jumped;
 * - others follow elapsed time: in an hour that comes twice they run in both, and in a skipped hour nothing runs.
 */
import { Cron } from 'croner';

const PART = '[0-9A-Za-z*,/-]{1,40}';
const FIVE_PARTS = new RegExp(`^${PART}( ${PART}){4}$`);
const NAMES = /^(\*|[0-9,*/-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)+$/i;

const cronOf = (pattern: string, zone: string): Cron =>
  new Cron(pattern, { timezone: zone, paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' });

/** The fault of the pattern and its repair, after "The value at ..."; undefined: no fault. `now`: ms since 1970 UTC. */
export function patternProblem(pattern: string, zone: string, now: number): string | undefined {
  if (!FIVE_PARTS.test(pattern))
    return 'must have five parts with one space between: minute, hour, day of the month, month, weekday, such as 0 6 * * 1-5';
  if (!pattern.split(' ').every((part) => NAMES.test(part)))
    return 'may have digits, *, commas, -, / and the English names of months and weekdays (JAN, MON), nothing else';
  try {
    const never = nextRun(pattern, zone, now) === undefined;
    return never ? 'never comes: there is no such day' : undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'it cannot be read';
    return `is no time: ${why.replace(/\.$/, '')}`;
  }
}

/** The first time after `after`; ms since 1970 UTC. */
export const nextRun = (pattern: string, zone: string, after: number): number | undefined =>
  cronOf(pattern, zone).nextRun(new Date(after))?.getTime();

/** At most `most` times after `after`; ms since 1970 UTC. */
export const nextRuns = (pattern: string, zone: string, after: number, most: number): readonly number[] =>
  cronOf(pattern, zone)
    .nextRuns(most, new Date(after))
    .map((date) => date.getTime());

/** Times after `after` up to `until`, the latest `most` of them, in order. */
export function runsBetween(pattern: string, zone: string, after: number, until: number, most: number): number[] {
  const times = cronOf(pattern, zone).previousRuns(most, new Date(until + 1_000));
  return times
    .map((date) => date.getTime())
    .filter((at) => at > after && at <= until)
    .sort((a, b) => a - b);
}
