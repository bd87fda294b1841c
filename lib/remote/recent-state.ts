/** What the session before knew of a meter. It says something about the meter for the time in which a unit moves, and no longer. */
import type { Clock } from '../clock.ts';
import type { DeviceState } from '../meter/contract.ts';

/** So long after the end of its session a state still counts, ms: a session ends within 5 s, and the next one begins soon after. */
const RECENT_MS = 10_000;

/** Of one unit. */
export class RecentState {
  readonly #clock: Pick<Clock, 'elapsed'>;
  #state: DeviceState | undefined;
  #at = 0;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Undefined: nothing is known, or it may not be so any more. */
  is(state: DeviceState | undefined): void {
    this.#state = state;
    this.#at = this.#clock.elapsed();
  }

  /** Undefined: none, or it is too old. */
  get state(): DeviceState | undefined {
    return this.#clock.elapsed() - this.#at < RECENT_MS ? this.#state : undefined;
  }
}
