/**
 * Sets the clock of a meter. A meter counts whole seconds and accepts whole seconds. So the command is sent a little before
 * a second begins, by the time that it needs to arrive.
 *
 *   read --> 06:00:07      rest      set 2026/11/21 06:00:11 -->      rest      read --> 06:00:12
 *        ms there and back             arrives as 06:00:11 begins
 *
 * `POST clock/sync` does it as a job.
 */
import { clockText, type Job, type JobRun, readClock, zones } from '../../../lib/built-in.ts';
import {
  COMMAND_ERRORS,
  GatewayError,
  type Host,
  isGatewayError,
  iso,
  named,
  type Reservation,
  type Schema,
  sleep,
  TIME,
} from '../../../lib/index.ts';
import { isDayOld, readDaily } from '../daily.ts';
import { persistently } from '../retry.ts';

interface ClockLook {
  /** ms since 1970 UTC. */
  readonly at: number;
  readonly shown: string;
  /** How far the clock was ahead of the local time of the unit, ms. */
  readonly offset: number;
  /** Plus or minus, ms: half of the second that it shows, and half of the time of the request. */
  readonly uncertainty: number;
  readonly tookMs: number;
}

/** Whether the clock is as right as a setting can make it. */
const isRight = ({ offset, uncertainty }: ClockLook): boolean => Math.abs(offset) <= uncertainty + LATE_MS;

/** The clock before and after; the same reading twice if it was right and was not set. */
interface ClockSet {
  readonly before: ClockLook;
  readonly after: ClockLook;
}

const SECOND = 1_000;
/** The least time from one reply to the next command: a second for the meter, and a little for the gateway. */
const REST_MS = 1_100;
/** A command that was sent later than this is sent again with more time: the rest between commands may be set to more. */
const LATE_MS = 200;
const MOST_TRIES = 3;

/** Errors: those of commands to the meter. */
export class ClockSync {
  readonly #host: Host;
  /** The time from sending to outcome of the last command, ms, of each unit whose clock is being set. */
  readonly #tookMs = new Map<string, number>();

  constructor(host: Host) {
    this.#host = host;
    host.on('command', ({ unitId, data }) => this.#tookMs.set(unitId, data.ms), { units: this.#tookMs });
  }

  /** Takes about four seconds. Errors: as `Reservation.perform`; DEVICE_WRONG_STATE in words if the meter refuses while it measures. */
  async set(unitId: string, zone: string, reservation: Reservation): Promise<ClockSet> {
    return this.#timed(unitId, async () => this.#set(unitId, zone, reservation, await this.#look(unitId, reservation)));
  }

  /** Goes on after an earlier gateway, which may have set the clock: a right clock is not set again. Errors: as `set`. */
  async setWhereWrong(unitId: string, zone: string, reservation: Reservation): Promise<ClockSet> {
    return this.#timed(unitId, async () => {
      const before = await this.#look(unitId, reservation);
      return isRight(before) ? { before, after: before } : this.#set(unitId, zone, reservation, before);
    });
  }

  async #timed<T>(unitId: string, work: () => Promise<T>): Promise<T> {
    this.#tookMs.set(unitId, 0);
    try {
      return await work();
    } finally {
      this.#tookMs.delete(unitId);
    }
  }

  async #set(unitId: string, zone: string, reservation: Reservation, before: ClockLook): Promise<ClockSet> {
    for (let rest = REST_MS, tries = 1; ; tries += 1) {
      const late = await this.#send(unitId, zone, reservation, { rest, way: before.tookMs / 2 });
      if (late <= LATE_MS || tries >= MOST_TRIES) break;
      rest += late;
    }
    return { before, after: await this.#look(unitId, reservation) };
  }

  /** Returns how much too late the command was sent, ms. `rest`: until it may be sent; `way`: until it arrives, ms. */
  async #send(
    unitId: string,
    zone: string,
    reservation: Reservation,
    { rest, way }: { readonly rest: number; readonly way: number },
  ): Promise<number> {
    const { clock, signal } = this.#host;
    const second = Math.ceil((clock.now() + rest + way) / SECOND) * SECOND;
    const sendAt = second - way;
    await sleep(clock, Math.max(0, sendAt - clock.now()), signal);
    const text = clockText(second + zones.zoneOffset(zone, second));
    try {
      await reservation.perform('setClock', text);
    } catch (error) {
      throw refusedWhileMeasuring(error);
    }
    return clock.now() - this.#took(unitId) - sendAt;
  }

  async #look(unitId: string, reservation: Reservation): Promise<ClockLook> {
    const shown = await reservation.perform('clock');
    const tookMs = this.#took(unitId);
    const look = this.#host.reachability(unitId)?.clock;
    if (!look)
      throw new GatewayError('DEVICE_GARBLED', `The clock of the meter shows ${shown}, which is not a valid time.`);
    return { at: look.at, shown, tookMs, offset: look.offsetMs, uncertainty: look.uncertaintyMs };
  }

  /** Only commands of the reservation are sent meanwhile, so the last command is ours. */
  #took(unitId: string): number {
    return this.#tookMs.get(unitId) ?? 0;
  }
}

function refusedWhileMeasuring(error: unknown): unknown {
  if (!isGatewayError(error, 'DEVICE_WRONG_STATE')) return error;
  const detail =
    'The meter refuses to set its clock in its present state, as it does while it measures. Stop the measurement first. The clock was not changed.';
  return new GatewayError('DEVICE_WRONG_STATE', detail, { cause: error });
}

/** After a start of the gateway, other parts have more questions. */
const FIRST_MS = 600_000;

/** Reads the clock of each meter once a day, unless a stream or a person has read it: a wrong clock is noticed. */
export const readClocks = (host: Host): Promise<void> =>
  readDaily(host, {
    firstMs: FIRST_MS,
    units: () => host.configs.list().flatMap(({ unitId, tcpEnabled }) => (tcpEnabled ? [unitId] : [])),
    async read(unitId) {
      const last = host.reachability(unitId)?.clock;
      if (last && !isDayOld(last.at, host.clock.now())) return;
      const meter = host.meter(unitId);
      if (meter.can('clock') && !(await readClock(meter, host.clock, { signal: host.signal })))
        throw new Error('the meter shows no valid time');
    },
    failure: 'the clock could not be read',
  });

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

function clockSetMessage({ before, after }: ClockSet): string {
  const off = Math.abs(seconds(before.offset));
  if (after === before) return 'The clock is right.';
  if (isRight(before)) return 'The clock is set; it was right before.';
  return before.offset > 0 ? `The clock is set; it was ${off} s ahead.` : `The clock is set; it was ${off} s behind.`;
}

const shownSync = ({ before, after }: ClockSet, zone: string) => ({
  zone,
  clock: after.shown.replace(' ', ','),
  offset_before_s: seconds(before.offset),
  offset_after_s: seconds(after.offset),
  uncertainty_s: seconds(Math.max(before.uncertainty, after.uncertainty)),
  at: iso(after.at),
});

export const SYNC_CLOCK = 'clock-sync';

/** For a schedule; it waits for cycles of the unit. The function starts the job, or finds a waiting one. */
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
