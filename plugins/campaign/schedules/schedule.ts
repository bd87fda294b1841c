/** The schedule of a unit: what runs by itself, and when. Pure. */
import type { InputError } from '../../../lib/index.ts';
import { nextRuns, patternProblem, runsBetween } from './run-times.ts';

/** In the order in which actions of the same time begin. */
export const ACTIONS = ['stop_cycle', 'apply_profile', 'clock_sync', 'start_cycle', 'mirror'] as const;
export type Action = (typeof ACTIONS)[number];

export interface Entry {
  /** Five parts: minute, hour, day of the month, month, weekday. */
  readonly cron: string;
  readonly action: Action;
  /** Of `apply_profile`, and of `start_cycle` where one is to be applied first. */
  readonly profile: string | null;
}

export interface Schedule {
  /** null: that of the unit. */
  readonly zone: string | null;
  readonly entries: readonly Entry[];
}

/** One time of an entry, ms since 1970 UTC. */
export interface Run {
  readonly at: number;
  readonly action: Action;
  readonly profile: string | null;
}

/** Of one entry, when many were missed. */
const MOST_OF_AN_ENTRY = 20;

const inOrder = (a: Run, b: Run): number => a.at - b.at || ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action);

/** Two entries with the same action at the same time are one run. */
function once(runs: readonly Run[]): Run[] {
  const byKey = new Map(runs.map((run) => [`${run.at} ${run.action} ${run.profile}`, run]));
  return [...byKey.values()].sort(inOrder);
}

/** After `after` up to `until`; of each entry the latest ones. */
export const runsIn = (entries: readonly Entry[], zone: string, after: number, until: number): readonly Run[] =>
  once(
    entries.flatMap(({ cron, action, profile }) =>
      runsBetween(cron, zone, after, until, MOST_OF_AN_ENTRY).map((at) => ({ at, action, profile })),
    ),
  );

export const runsAfter = (entries: readonly Entry[], zone: string, after: number, most: number): readonly Run[] =>
  once(
    entries.flatMap(({ cron, action, profile }) =>
      nextRuns(cron, zone, after, most).map((at) => ({ at, action, profile })),
    ),
  ).slice(0, most);

/** What is wrong, with its place and what to change. `zone`: the one that holds; `now`: ms since 1970 UTC. */
export function problemsOf(
  { zone: own, entries }: Schedule,
  unitZone: string,
  now: number,
  knowsProfile: (name: string) => boolean,
): InputError[] {
  return entries.flatMap((entry, index) => {
    const at = (field: string, message: string) => [{ path: `/entries/${index}${field}`, message }];
    const wrong = patternProblem(entry.cron, own ?? unitZone, now);
    if (wrong !== undefined) return at('/cron', wrong);
    const same = entries.findIndex((other) => isSame(other, entry));
    if (same < index) return at('', `is the same as entry ${same}; leave one of them out`);
    return profileProblem(entry, knowsProfile).flatMap((message) => at('/profile', message));
  });
}

const isSame = (one: Entry, other: Entry): boolean =>
  one.cron === other.cron && one.action === other.action && one.profile === other.profile;

function profileProblem({ action, profile }: Entry, knowsProfile: (name: string) => boolean): string[] {
  if (profile === null) return action === 'apply_profile' ? ['is missing: name the profile that is applied'] : [];
  if (action !== 'apply_profile' && action !== 'start_cycle')
    return [`cannot be used with ${action}; leave it out, or use the action apply_profile or start_cycle`];
  return knowsProfile(profile) ? [] : ['is not a profile; GET /_profiles lists all profiles'];
}
