/** The schedule of a unit: what runs by itself, and when. Pure. */
import type { InputError } from '../../../lib/index.ts';
import type { StoreWish } from '../cycles/store-wish.ts';
import { nextRuns, patternProblem, runsBetween } from './run-times.ts';

/** What a schedule has to know of an action. */
export interface ActionWord {
  /** The word of the API: `start_cycle`. */
  readonly name: string;
  /** Whether an entry names a profile. Default: it does not. */
  readonly profile?: 'needed' | 'optional';
  /** Whether an entry may say what the card keeps. Default: it may not. */
  readonly store?: 'optional';
}

/** One line of a schedule. */
export interface ScheduleEntry {
  /** Five parts: minute, hour, day of the month, month, weekday. */
  readonly cron: string;
  /** Its name (`actions.ts`). */
  readonly action: string;
  /** Of actions that take one. */
  readonly profile: string | null;
  /** What the card keeps, of actions that take it; null: as the meter or the profile has it then. */
  readonly store: StoreWish | null;
}

/** All lines of a unit. */
export interface Schedule {
  /** null: that of the unit. */
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

/** Of one entry, when many were missed. */
const MOST_OF_AN_ENTRY = 20;

/**
 * Two entries with the same action and profile at the same time are one run; of those that say different things of the card, the
 * one that leaves files. Those of the same time come in the order of the actions.
 */
function once(runs: readonly Run[], actions: readonly ActionWord[]): Run[] {
  const byKey = new Map<string, Run>();
  for (const run of runs) {
    const key = `${run.at} ${run.action} ${run.profile}`;
    if (byKey.get(key)?.store !== 'auto') byKey.set(key, run);
  }
  const place = (run: Run) => actions.findIndex(({ name }) => name === run.action);
  return [...byKey.values()].sort((a, b) => a.at - b.at || place(a) - place(b));
}

/** `after` does not belong to it, `until` does; ms since 1970 UTC. */
export interface RunSpan {
  readonly after: number;
  readonly until: number;
}

/** After `after` up to `until`; of each entry the latest ones. */
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

/** The next `most`. */
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

/** What a schedule is checked against. */
export interface CheckParts {
  /** That of the unit. */
  readonly zone: string;
  /** ms since 1970 UTC. */
  readonly now: number;
  readonly actions: readonly ActionWord[];
  readonly knowsProfile: (name: string) => boolean;
  /** Whether this meter can be told what its card keeps. */
  readonly hasStore: boolean;
}

/** What is wrong, with its place and what to change. */
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
