/**
 * When an entry of a schedule comes, in the time of a zone. Only the arithmetic of croner is used, none of its timers. Where the local
 * clocks change:
 *
 * - minutes and hours without `*` and `/` are times of day: one that comes twice runs once, the first time; one that is skipped runs
 *   as soon as the clock has jumped;
 * - others follow the time that really passes: in an hour that comes twice they run in both, and nothing runs in an hour that is skipped.
 */
import { Cron } from 'croner';

const PART = '[0-9A-Za-z*,/-]{1,40}';
const FIVE_PARTS = new RegExp(`^${PART}( ${PART}){4}$`);
const NAMES = /^(\*|[0-9,*/-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)+$/i;

const cronOf = (pattern: string, zone: string): Cron =>
  new Cron(pattern, { timezone: zone, paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' });

/** What is wrong with the pattern and what to change, after "The value at ..."; undefined: nothing. `now`: ms since 1970 UTC. */
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

/** The first time after this one; ms since 1970 UTC. */
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
