/**
 * How far the clock of a meter is ahead of UTC. The clock shows whole seconds, so one reading is uncertain by a second
 * and by the time of the exchange. Each reading gives bounds, and all readings together narrow them until somebody sets
 * the clock. Asked at 10.020, answered at 10.120 and shown 7 is between 7.000 - 10.120 and 8.000 - 10.020 ahead.
 * `readClock` asks so often that this is exact.
 */
import { type Clock, sleep } from '../clock.ts';
import type { FrameTiming } from '../drivers/wire/contract.ts';
import type { EventData } from '../events/contract.ts';
import type { Caller, ClockOffset, Meter, Reservation } from './contract.ts';

/** Bounds of how far the clock is ahead of UTC, ms. `at`: time of the last reading, ms since 1970 UTC. */
interface Bounds {
  readonly at: number;
  readonly least: number;
  readonly most: number;
}

/** `shown`: time on the clock, read as UTC, ms. The meter read its clock between `from` and `to`, ms since 1970 UTC. */
interface ClockAnswer {
  readonly shown: number;
  readonly from: number;
  readonly to: number;
}

const SECOND_MS = 1_000;
/** A quartz clock is exact to about 10 parts in a million, and so is the gateway's. Inferred. */
const DRIFT = 2e-5;
/** An estimate is published when it is this much more exact than the last published one, or this much later. */
const MUCH_SURER = 0.7;
const TOLD_AGAIN_MS = 6 * 3_600_000;

type ClockEvent = EventData['clock'];

export class DeviceClock {
  #bounds: Bounds | null = null;
  #told: ClockEvent | null = null;

  get estimate(): ClockEvent | null {
    return this.#bounds && estimateOf(this.#bounds);
  }

  /** Events after a reading: usually none. */
  read(reading: ClockAnswer): ClockEvent[] {
    const last = this.#bounds;
    const single = boundsOf(reading);
    const both = last && together(aged(last, reading.to), single);
    this.#bounds = both ?? single;
    const before = last && !both ? [estimateOf(last)] : [];
    return [...before, ...this.#tell(both === null)];
  }

  /** The clock was set to the time of this reading. Returns the estimate before and after. */
  set(reading: ClockAnswer): ClockEvent[] {
    const before = this.#bounds && estimateOf(aged(this.#bounds, reading.from));
    this.#bounds = boundsOf(reading);
    return [...(before ? [before] : []), ...this.#tell(true)];
  }

  forget(): void {
    this.#bounds = null;
    this.#told = null;
  }

  #tell(isNew: boolean): ClockEvent[] {
    const told = this.#told;
    const estimate = this.estimate;
    if (!estimate) return [];
    const isSurer = told !== null && estimate.uncertainty <= told.uncertainty * MUCH_SURER;
    const isLater = told !== null && Math.abs(estimate.at - told.at) >= TOLD_AGAIN_MS;
    if (told && !isNew && !isSurer && !isLater) return [];
    this.#told = estimate;
    return [estimate];
  }
}

const boundsOf = ({ shown, from, to }: ClockAnswer): Bounds => ({
  at: to,
  least: shown - to,
  most: shown + SECOND_MS - from,
});

function aged({ at, least, most }: Bounds, now: number): Bounds {
  const drift = Math.abs(now - at) * DRIFT;
  return { at: now, least: least - drift, most: most + drift };
}

function together(one: Bounds, other: Bounds): Bounds | null {
  const [least, most] = [Math.max(one.least, other.least), Math.min(one.most, other.most)];
  return least < most ? { at: other.at, least, most } : null;
}

const estimateOf = ({ at, least, most }: Bounds): ClockEvent => ({
  at: Math.round(at),
  ahead: Math.round((least + most) / 2),
  uncertainty: Math.ceil((most - least) / 2),
});

interface TimedFrame {
  readonly counter: number;
  readonly shown: number;
  readonly asked: number;
  readonly arrived: number;
}

/** How much slower the crystal of a meter may be than ours. */
const SLOWER = 1e-4;
/** After so many frames the shortest delay is known, also for frames that arrive in bunches. */
const SETTLED = 20;

/**
 * Time when a frame was sent, from its number: links hold frames back. Frame k left the meter k times its length after
 * the stream began, which is after its request, and no frame arrives before it is sent.
 */
export class FrameTimes {
  readonly #timing: FrameTiming;
  #asked = Number.NaN;
  #number = 0;
  #arrived = 0;
  #start = Number.POSITIVE_INFINITY;
  #way = 0;
  #last: { readonly shown: number; readonly from: number; readonly to: number } | undefined;

  constructor(timing: FrameTiming) {
    this.#timing = timing;
  }

  /**
   * The two frames around a change of the meter's second, with bounds (monotonic, ms) of their sending times; else
   * empty.
   */
  take({ counter, shown, asked, arrived }: TimedFrame): readonly ClockAnswer[] {
    if (asked !== this.#asked) this.#begin(asked, arrived);
    const { frameMs, lastCounter } = this.#timing;
    const ahead = (((counter - this.#number) % lastCounter) + lastCounter) % lastCounter;
    this.#number += ahead;
    const aged = this.#start + SLOWER * (arrived - this.#arrived);
    this.#start = Math.min(aged, arrived - this.#number * frameMs);
    this.#arrived = arrived;
    if (this.#number <= SETTLED) this.#way = this.#start - asked;
    const to = this.#start + this.#number * frameMs;
    const before = this.#last;
    const now = { shown, from: to - this.#way, to };
    this.#last = now;
    return !before || before.shown === shown || this.#number <= SETTLED ? [] : [before, now];
  }

  #begin(asked: number, arrived: number): void {
    this.#asked = asked;
    this.#number = 0;
    this.#arrived = arrived;
    this.#start = Number.POSITIVE_INFINITY;
    this.#last = undefined;
  }
}

/** With this uncertainty or less, ms, the clock is not asked again. */
const ENOUGH_MS = 60;
/** An estimate older than this is not taken. */
const FRESH_MS = 600_000;
const MOST_QUESTIONS = 6;
/** From one reply to the next question, at least: the meter wants a second, and a little is for the gateway. */
const REST_MS = 1_050;

/**
 * Reads the clock to a twentieth of a second: each question is sent at the expected change of the second, so its answer
 * halves the uncertainty. Without a job of the caller the questions wait until a stream leaves time. Ends early when a
 * more urgent caller waits. Errors: NOT_SUPPORTED; as `Meter.reserve`.
 */
export async function readClock(meter: Meter, clock: Clock, caller: Caller): Promise<ClockOffset | null> {
  const known = () => {
    const estimate = meter.reachability.clock;
    return estimate && Math.abs(clock.now() - estimate.at) <= FRESH_MS ? estimate : null;
  };
  const isEnough = () => (known()?.uncertaintyMs ?? Number.POSITIVE_INFINITY) <= ENOUGH_MS;
  const ask = async (reservation: Reservation) => {
    let way = 0;
    for (let asked = 0; asked < MOST_QUESTIONS && !isEnough() && !(asked > 0 && reservation.shouldYield); asked++) {
      const estimate = known();
      if (estimate && asked > 0) await sleep(clock, waitMs(estimate, clock.now(), way), caller.signal);
      const began = clock.elapsed();
      await reservation.perform('clock');
      // The first may have waited for its turn and for the connection.
      if (asked > 0) way = (clock.elapsed() - began) / 2;
    }
  };
  // A job was ordered, and waits for no budget of the stream. Behind background readings it may never get a turn.
  const polite: Caller = caller.job === undefined ? { ...caller, priority: 'background' } : caller;
  if (!isEnough()) await meter.reserve('clock reading', ask, polite, { join: 'clock reading' });
  return known();
}

function waitMs({ offsetMs }: ClockOffset, now: number, way: number): number {
  const earliest = now + REST_MS + way;
  // The offset of a zone is a whole number of minutes: it does not matter here.
  const past = (((earliest + offsetMs) % SECOND_MS) + SECOND_MS) % SECOND_MS;
  return REST_MS + ((SECOND_MS - past) % SECOND_MS);
}
