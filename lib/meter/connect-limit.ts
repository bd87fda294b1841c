/**
 * Limits the connections per minute of the whole fleet: after an outage all meters at once would overload the uplink. A
 * quarter of the limit may be used at once, the rest becomes free evenly, so that no minute has more. Operators go
 * first; otherwise first come, first served.
 */
import { type Clock, unlessAborted } from '../clock.ts';

interface Waiting {
  readonly urgent: () => boolean;
  readonly go: () => void;
}

const AT_ONCE = 0.25;

export class ConnectLimit {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #waiting = new Set<Waiting>();
  #places: number;
  #countedAt: number;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#burst = Math.max(1, Math.floor(perMinute * AT_ONCE));
    this.#everyMs = 60_000 / Math.max(1, perMinute - this.#burst);
    this.#places = this.#burst;
    this.#countedAt = clock.elapsed();
  }

  /** Resolves when one connection may be opened. `urgent` is asked each time: an operator may have arrived. */
  async take(urgent: () => boolean, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { urgent, go: resolve };
    this.#waiting.add(waiting);
    this.#serve();
    try {
      await unlessAborted(promise, signal);
    } finally {
      this.#waiting.delete(waiting);
      this.#serve();
    }
  }

  #serve(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const now = this.#clock.elapsed();
    this.#places = Math.min(this.#burst, this.#places + (now - this.#countedAt) / this.#everyMs);
    this.#countedAt = now;
    while (this.#places >= 1) {
      const next = this.#next();
      if (!next) return;
      this.#places -= 1;
      this.#waiting.delete(next);
      next.go();
    }
    if (this.#waiting.size === 0) return;
    this.#cancelTimer = this.#clock.after(Math.ceil((1 - this.#places) * this.#everyMs), () => this.#serve());
  }

  #next(): Waiting | undefined {
    const all = [...this.#waiting];
    return all.find(({ urgent }) => urgent()) ?? all[0];
  }
}
