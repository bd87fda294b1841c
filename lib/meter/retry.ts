/**
 * When something that failed - a connection, a stream - may be tried again. Sets no timer.
 *
 *   failure  1      2      3      4      5 ...
 *   wait     1 s    2 s    4 s    8 s   16 s ... 60 s, less up to half, so that many do not try at once
 *   ... for an operator: at most 5 s
 *   ... for an operator or a viewer, in the first minute of a port that refuses: at most 2 s
 *
 * A port that refuses answers at once and costs nothing; most often its meter restarts and is there again within a minute.
 */
import type { Clock } from '../clock.ts';
import type { MeterSettings } from './settings.ts';

type Limits = Pick<
  MeterSettings,
  'reconnectMinMs' | 'reconnectMaxMs' | 'reconnectWaitedMs' | 'refusedRetryMs' | 'refusedRetryForMs'
>;

export class Retry {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #random: () => number;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  /** Since when the port refuses, on the monotonic clock. */
  #refusedSince: number | undefined;

  constructor(clock: Clock, limits: Limits, random: () => number) {
    this.#clock = clock;
    this.#limits = limits;
    this.#random = random;
  }

  /** `refused`: the port said no at once (RST). */
  failed(refused = false): void {
    const { reconnectMinMs, reconnectMaxMs } = this.#limits;
    const whole = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#waitMs = whole * (0.5 + this.#random() / 2);
    this.#failedAt = this.#clock.elapsed();
    this.#refusedSince = refused ? (this.#refusedSince ?? this.#failedAt) : undefined;
  }

  /** The next failure begins from the shortest wait. */
  worked(): void {
    this.#failures = 0;
    this.#waitMs = 0;
    this.#refusedSince = undefined;
  }

  /** The next try need not wait. */
  skipWait(): void {
    this.#waitMs = 0;
  }

  /** Whole ms until the next try. `waiting`: what waits for it. */
  remainingMs(waiting: 'operator' | 'viewer' | 'background'): number {
    return Math.max(0, Math.ceil(this.#failedAt + this.#longest(waiting) - this.#clock.elapsed()));
  }

  #longest(waiting: 'operator' | 'viewer' | 'background'): number {
    const { reconnectWaitedMs, refusedRetryMs, refusedRetryForMs } = this.#limits;
    if (waiting === 'background') return this.#waitMs;
    const restarts = this.#refusedSince !== undefined && this.#clock.elapsed() - this.#refusedSince < refusedRetryForMs;
    return Math.min(
      this.#waitMs,
      restarts ? refusedRetryMs : Number.POSITIVE_INFINITY,
      waiting === 'operator' ? reconnectWaitedMs : Number.POSITIVE_INFINITY,
    );
  }
}
