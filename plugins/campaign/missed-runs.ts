/**
 * What is done about runs whose time is over: the gateway was down, or its clock was set. Pure. The rule:
 *
 * - A run that is at most two minutes late is done as if it were in time.
 * - Of the starts and stops that were missed the last one says what the meter should do now. It is made up for if it is not older
 *   than the limit. Where it is a start, the last stop before it is made up for first: the meter may still measure.
 * - Of each other action (`apply_profile`: of each profile) the last run is made up for within the same limit.
 * - All others are missed, and are told as missed.
 */
import type { Run } from './schedule.ts';

const IN_TIME_MS = 120_000;

export interface Decision {
  readonly run: Run;
  readonly outcome: 'started' | 'made_up' | 'missed';
}

const isCycle = ({ action }: Run): boolean => action === 'start_cycle' || action === 'stop_cycle';
const lineOf = ({ action, profile }: Run): string => (action === 'apply_profile' ? `${action} ${profile}` : action);

/** `runs` in their order. `limit`: ms; 0 makes up for nothing. */
export function decide(runs: readonly Run[], now: number, limit: number): readonly Decision[] {
  const lastCycle = runs.findLast(isCycle);
  const stopBefore = runs.findLast(
    (run) => run.action === 'stop_cycle' && lastCycle?.action === 'start_cycle' && run.at <= lastCycle.at,
  );
  const lastOf = new Map(runs.map((run) => [lineOf(run), run]));
  const counts = (run: Run): boolean => {
    if (!isCycle(run)) return lastOf.get(lineOf(run)) === run;
    return run === lastCycle || (run === stopBefore && isYoung(lastCycle));
  };
  const isYoung = (run: Run | undefined): boolean => run !== undefined && now - run.at <= limit;
  return runs.map((run) => {
    if (now - run.at <= IN_TIME_MS) return { run, outcome: 'started' };
    // A stop of long ago is made up for with the start that follows it.
    const isDone = counts(run) && (isYoung(run) || run === stopBefore);
    return { run, outcome: isDone && limit > 0 ? 'made_up' : 'missed' };
  });
}
