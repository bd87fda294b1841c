/** The job that sets the clock of a meter for a schedule. It waits for cycles of the unit. */
import type { Host, Job, JobRun, Reservation } from '../../../lib/index.ts';
import { persistently } from '../retry.ts';
import { clockSetMessage, shownSync } from './clock-routes.ts';
import type { ClockSync } from './clock-sync.ts';

/** The kind of the job. */
export const SYNC_CLOCK = 'clock-sync';

/** Returns a function that starts the job, or finds a waiting job. `retryMs`: how long the job tries again. */
export function addClockJob(host: Host, clocks: ClockSync, retryMs: number): (unitId: string) => Promise<Job> {
  const doing = (how: 'set' | 'setWhereWrong') => async (job: JobRun) => {
    const unitId = job.unitId ?? '';
    const zone = host.configs.of(unitId).timezone;
    const work = (reservation: Reservation) => clocks[how](unitId, zone, reservation);
    const attempt = () => host.meter(unitId).reserve('clock sync', work, job.caller);
    const set = await persistently(job, retryMs, attempt);
    job.say(clockSetMessage(set));
    return shownSync(set, zone);
  };
  host.jobs.kind({
    name: SYNC_CLOCK,
    title: 'Clock',
    oneAtATime: 'control',
    run: doing('set'),
    resume: doing('setWhereWrong'),
  });
  return (unitId) => host.jobs.start(SYNC_CLOCK, unitId, {});
}
