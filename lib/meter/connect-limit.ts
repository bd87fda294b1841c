/**
 * Limits the number of connections per minute of the whole fleet. After an outage of the network all meters are
 * connected to again; the limit spreads these connections, because all at once would overload the uplink.
 *
 * A quarter of the limit may be used at once, the rest becomes free evenly: no minute has more connections than the
 * limit. Operators go first; otherwise first come, first served.
 */
import { type Clock, unlessAborted } from '../clock.ts';

interface Waiting {
  readonly urgent: () => boolean;
  readonly go: () => void;
}

const AT_ONCE = 0.25;

/** A bucket of permits that fills evenly; a caller without a permit waits for the next one. */
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

  /**
   * Resolves when one connection may be opened. `urgent` is called each time a permit becomes free: an operator may
   * have arrived.
   */
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

  /** Gives out the free permits. One timer while a caller waits, otherwise none. */
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
