/**
 * Reads the clock of a meter to a twentieth of a second. The clock shows whole seconds. So each question is sent at the
 * expected change of the second: its answer halves the uncertainty.
 */
import { type Clock, sleep } from '../clock.ts';
import type { Caller, ClockOffset, Meter, Reservation } from './contract.ts';

/** With this uncertainty or less, ms, the clock is not asked again. */
const ENOUGH_MS = 60;
/** An estimate older than this is not taken. */
const FRESH_MS = 600_000;
const MOST_QUESTIONS = 6;
/** From one reply to the next question, at least: the meter wants a second, and a little is for the gateway. */
const REST_MS = 1_050;
const SECOND_MS = 1_000;

/**
 * Some questions, a good second apart, in one reservation. Without a job of the caller they wait until a stream leaves time. Ends early
 * when a more urgent caller waits. Resolves with the estimate. Errors: NOT_SUPPORTED; as `Meter.reserve`.
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

/** Until a question that is sent then reaches the meter as its clock turns, ms. */
function waitMs({ offsetMs }: ClockOffset, now: number, way: number): number {
  const earliest = now + REST_MS + way;
  // The offset of a zone is a whole number of minutes: it does not matter here.
  const past = (((earliest + offsetMs) % SECOND_MS) + SECOND_MS) % SECOND_MS;
  return REST_MS + ((SECOND_MS - past) % SECOND_MS);
}
