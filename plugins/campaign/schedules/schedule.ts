/** The schedule of a unit: its actions and their times. Pure. */
import { Cron } from 'croner';
import type { InputError } from '../../../lib/built-in.ts';
import type { StoreWish } from '../cycles/store-wish.ts';

const PART = '[0-9A-Za-z*,/-]{1,40}';
const FIVE_PARTS = new RegExp(`^${PART}( ${PART}){4}$`);
const NAMES = /^(\*|[0-9,*/-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)+$/i;

const cronOf = (pattern: string, zone: string): Cron =>
  new Cron(pattern, { timezone: zone, paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' });

/**
 * The times of an entry of a schedule in a zone. Only the arithmetic of croner is used, not its timers. Where the local
 * clocks change:
 *
 * - minutes and hours without `*` and `/` are times of day. A time that comes twice runs once, the first time. A skipped
 *   time runs as soon as the clock has jumped;
 * - others follow elapsed time: in an hour that comes twice they run in both, and in a skipped hour nothing runs.
 *
 * The fault of the pattern and its repair, after "The value at ..."; undefined: no fault. `now`: ms since 1970 UTC.
 */
function patternProblem(pattern: string, zone: string, now: number): string | undefined {
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

/** ms since 1970 UTC. */
export const nextRun = (pattern: string, zone: string, after: number): number | undefined =>
  cronOf(pattern, zone).nextRun(new Date(after))?.getTime();

/** ms since 1970 UTC. */
export const nextRuns = (pattern: string, zone: string, after: number, most: number): readonly number[] =>
  cronOf(pattern, zone)
    .nextRuns(most, new Date(after))
    .map((date) => date.getTime());

/** The latest `most` of them, in order. */
export function runsBetween(pattern: string, zone: string, after: number, until: number, most: number): number[] {
  const times = cronOf(pattern, zone).previousRuns(most, new Date(until + 1_000));
  return times
    .map((date) => date.getTime())
    .filter((at) => at > after && at <= until)
    .sort((a, b) => a - b);
}

export interface ActionWord {
  readonly name: string;
  readonly profile?: 'needed' | 'optional';
  readonly store?: 'optional';
}

export interface ScheduleEntry {
  /** Five parts: minute, hour, day of the month, month, weekday. */
  readonly cron: string;
  readonly action: string;
  readonly profile: string | null;
  /** For actions with `store`; null: as the meter or the profile has it then. */
  readonly store: StoreWish | null;
}

export interface Schedule {
  /** null: the zone of the unit. */
  readonly zone: string | null;
  readonly entries: readonly ScheduleEntry[];
}

/** One time of an entry, ms since 1970 UTC. */
export interface Run {
  readonly at: number;
  readonly action: string;
  readonly profile: string | null;
  readonly store: StoreWish | null;
}

/** The most runs of one entry, if many were missed. */
const MOST_OF_AN_ENTRY = 20;

/** The same action and profile at the same time is one run, which keeps files if one entry wants them. */
function once(runs: readonly Run[], actions: readonly ActionWord[]): Run[] {
  const byKey = new Map<string, Run>();
  for (const run of runs) {
    const key = `${run.at} ${run.action} ${run.profile}`;
    if (byKey.get(key)?.store !== 'auto') byKey.set(key, run);
  }
  const place = (run: Run) => actions.findIndex(({ name }) => name === run.action);
  return [...byKey.values()].sort((a, b) => a.at - b.at || place(a) - place(b));
}

interface RunSpan {
  readonly after: number;
  readonly until: number;
}

/** Of each entry the latest runs. */
export const runsIn = (
  { entries }: Pick<Schedule, 'entries'>,
  zone: string,
  { after, until }: RunSpan,
  actions: readonly ActionWord[],
): readonly Run[] =>
  once(
    entries.flatMap(({ cron, ...what }) =>
      runsBetween(cron, zone, after, until, MOST_OF_AN_ENTRY).map((at) => ({ at, ...what })),
    ),
    actions,
  );

export const runsAfter = (
  { entries }: Pick<Schedule, 'entries'>,
  zone: string,
  { after, most }: { readonly after: number; readonly most: number },
  actions: readonly ActionWord[],
): readonly Run[] =>
  once(
    entries.flatMap(({ cron, ...what }) => nextRuns(cron, zone, after, most).map((at) => ({ at, ...what }))),
    actions,
  ).slice(0, most);

interface CheckParts {
  readonly zone: string;
  /** ms since 1970 UTC. */
  readonly now: number;
  readonly actions: readonly ActionWord[];
  readonly knowsProfile: (name: string) => boolean;
  readonly hasStore: boolean;
}

/** Each with its place and its repair. */
export function scheduleProblems({ zone: own, entries }: Schedule, parts: CheckParts): InputError[] {
  return entries.flatMap((entry, index) => {
    const at = (field: string, message: string) => [{ path: `/entries/${index}${field}`, message }];
    const wrong = patternProblem(entry.cron, own ?? parts.zone, parts.now);
    if (wrong !== undefined) return at('/cron', wrong);
    const same = entries.findIndex((other) => isSame(other, entry));
    if (same < index) return at('', `is the same as entry ${same}; leave one of them out`);
    return [
      ...profileProblem(entry, parts).flatMap((message) => at('/profile', message)),
      ...storeProblem(entry, parts).flatMap((message) => at('/store', message)),
    ];
  });
}

const isSame = (one: ScheduleEntry, other: ScheduleEntry): boolean =>
  one.cron === other.cron && one.action === other.action && one.profile === other.profile;

function profileProblem({ action, profile }: ScheduleEntry, { actions, knowsProfile }: CheckParts): string[] {
  const kind = actions.find(({ name }) => name === action);
  if (profile === null) return kind?.profile === 'needed' ? ['is missing: name the profile that is applied'] : [];
  const others = actions.flatMap(({ name, profile: takes }) => (takes ? [name] : []));
  if (!kind?.profile) return [`cannot be used with ${action}; leave it out, or use the action ${others.join(' or ')}`];
  return knowsProfile(profile) ? [] : ['is not a profile; GET /_profiles lists all profiles'];
}

function storeProblem({ action, store }: ScheduleEntry, { actions, hasStore }: CheckParts): string[] {
  if (store === null) return [];
  const takers = actions.flatMap(({ name, store: takes }) => (takes ? [name] : []));
  if (!takers.includes(action))
    return [`cannot be used with ${action}; leave it out, or use the action ${takers.join(' or ')}`];
  return hasStore ? [] : ['cannot be used: this family of meters has no store mode; leave it out'];
}
