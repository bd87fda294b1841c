/** POST clock/sync. */
import {
  COMMAND_ERRORS,
  type Host,
  iso,
  type Job,
  type JobRun,
  named,
  type Reservation,
  type Schema,
  TIME,
} from '../../../lib/index.ts';
import { persistently } from '../retry.ts';
import { type ClockSet, type ClockSync, isRight } from './clock-sync.ts';

const SECONDS: Schema = { type: 'number', description: 'Seconds ahead of the right time; less than 0: behind.' };

const DATA: Schema = named('ClockSync', {
  zone: { type: 'string', description: 'Time zone of the unit; the meter shows its time now.' },
  clock: {
    type: 'string',
    pattern: '^\\d{4}/\\d{2}/\\d{2},\\d{2}:\\d{2}:\\d{2}$',
    description: 'The time that the meter showed after the clock was set.',
  },
  offset_before_s: SECONDS,
  offset_after_s: SECONDS,
  uncertainty_s: {
    type: 'number',
    description: 'Uncertainty of both offsets, plus or minus: the meter shows whole seconds, and a request takes time.',
  },
  at: TIME,
});

/** `POST /{unit_id}/clock/sync`. */
export function addClockSync(host: Host, clocks: ClockSync): void {
  host.route({
    method: 'POST',
    path: '/{unit_id}/clock/sync',
    access: 'operator',
    summary: 'Set the clock of the meter to now',
    description:
      'To the local time of the unit, with the time that the command needs to arrive. Takes about four seconds. If the meter refuses, as it does while it measures, the answer is 409 and the clock is unchanged.',
    answer: { message: { type: 'string' }, data: DATA },
    errors: COMMAND_ERRORS,
    async handle({ unitId, caller }) {
      const zone = host.configs.of(unitId).timezone;
      host.meter(unitId).assertCan('clock', 'setClock');
      const work = clocks.set.bind(clocks, unitId, zone);
      const set = await host.meter(unitId).reserve('clock sync', work, caller);
      return { message: clockSetMessage(set), data: shownSync(set, zone) };
    },
  });
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

/** The result in words. */
function clockSetMessage({ before, after }: ClockSet): string {
  const off = Math.abs(seconds(before.offset));
  if (after === before) return 'The clock is right.';
  if (isRight(before)) return 'The clock is set; it was right before.';
  return before.offset > 0 ? `The clock is set; it was ${off} s ahead.` : `The clock is set; it was ${off} s behind.`;
}

/** Both readings of the clock, offsets in seconds. */
const shownSync = ({ before, after }: ClockSet, zone: string) => ({
  zone,
  clock: after.shown.replace(' ', ','),
  offset_before_s: seconds(before.offset),
  offset_after_s: seconds(after.offset),
  uncertainty_s: seconds(Math.max(before.uncertainty, after.uncertainty)),
  at: iso(after.at),
});

/** The kind of the job. */
export const SYNC_CLOCK = 'clock-sync';

/**
 * The job that sets the clock of a meter for a schedule. It waits for cycles of the unit. Returns a function that
 * starts the job, or finds a waiting job. `retryMs`: how long the job tries again.
 */
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
