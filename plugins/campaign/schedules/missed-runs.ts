/**
 * Decides about missed runs: the gateway was down, or its clock was set. Pure. The rule:
 *
 * - A run that is at most two minutes late is done as if it were in time.
 * - The last missed start or stop of a measurement decides what the meter should do now. It is done late if it is not older
 *   than the limit. If it is a start, the last stop before it is done first: the meter may still measure.
 * - Of each other action (with a profile: of each profile) the last run is done late within the same limit.
 * - All others are reported as missed.
 */
import type { ScheduleAction } from './action.ts';
import type { Run } from './schedule.ts';

const IN_TIME_MS = 120_000;

/** The decision about one run. */
export interface Decision {
  readonly run: Run;
  readonly outcome: 'started' | 'made_up' | 'missed';
}

const lineOf = ({ action, profile }: Run): string => `${action} ${profile}`;

/** The time, and the limit for late runs. */
export interface DecideParts {
  /** ms since 1970 UTC. */
  readonly now: number;
  /** How late a run may be, ms; 0: no late runs. */
  readonly limit: number;
  readonly actions: readonly ScheduleAction[];
}

/** `runs` in their order. */
export function decide(runs: readonly Run[], { now, limit, actions }: DecideParts): readonly Decision[] {
  const measuring = ({ action }: Run) => actions.find(({ name }) => name === action)?.measuring;
  const isCycle = (run: Run): boolean => measuring(run) !== undefined;
  const lastCycle = runs.findLast(isCycle);
  const stopBefore = runs.findLast(
    (run) => lastCycle && measuring(run) === 'stop' && measuring(lastCycle) === 'start' && run.at <= lastCycle.at,
  );
  const lastOf = new Map(runs.map((run) => [lineOf(run), run]));
  const counts = (run: Run): boolean => {
    if (!isCycle(run)) return lastOf.get(lineOf(run)) === run;
    return run === lastCycle || (run === stopBefore && isYoung(lastCycle));
  };
  const isYoung = (run: Run | undefined): boolean => run !== undefined && now - run.at <= limit;
  return runs.map((run) => {
    if (now - run.at <= IN_TIME_MS) return { run, outcome: 'started' };
    // An old stop is done together with the start that follows it.
    const isDone = counts(run) && (isYoung(run) || run === stopBefore);
    return { run, outcome: isDone && limit > 0 ? 'made_up' : 'missed' };
  });
}
