/**
 * When a line that failed may be tried again. Every failed attempt doubles the wait, a valid reply ends it. It holds back
 * dialling alone: an open connection is free to use. Sets no timer.
 *
 *   failure  1      2      3      4      5 ...
 *   wait     1 s    2 s    4 s    8 s   16 s ... 60 s, less up to half, so that many do not try at once
 *   ... while an operator waits: at most 5 s
 */
import type { Clock } from '../clock.ts';
import { Backoff } from './backoff.ts';
import type { MeterSettings } from './settings.ts';

type Limits = Pick<MeterSettings, 'reconnectMinMs' | 'reconnectMaxMs' | 'reconnectWaitedMs'>;

export class Retry {
  readonly #clock: Clock;
  readonly #waitedMs: number;
  readonly #backoff: Backoff;
  #failedAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;

  constructor(clock: Clock, limits: Limits, random: () => number) {
    this.#clock = clock;
    this.#waitedMs = limits.reconnectWaitedMs;
    this.#backoff = new Backoff(limits.reconnectMinMs, limits.reconnectMaxMs, random);
  }

  failed(): void {
    this.#failedAt = this.#clock.elapsed();
    this.#waitMs = this.#backoff.next();
  }

  worked(): void {
    this.#waitMs = 0;
    this.#backoff.reset();
  }

  /** Whole ms until the next try. `waitedFor`: an operator waits for it. */
  remainingMs(waitedFor: boolean): number {
    const wait = waitedFor ? Math.min(this.#waitMs, this.#waitedMs) : this.#waitMs;
    return Math.max(0, Math.ceil(this.#failedAt + wait - this.#clock.elapsed()));
  }
}
