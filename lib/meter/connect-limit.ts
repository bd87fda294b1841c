/**
 * How many connections the whole fleet may open in a minute: the one thing that meters share. After an outage of the
 * network all of them dial again, and neither the uplink nor a carrier's gateway should see that as one burst.
 *
 * A quarter of the limit may go at once, the rest comes evenly: no minute sees more than the limit. A connection that
 * finds a place needs no timer. Those that wait are served operators first, each class in the order in which they came.
 */
import type { Clock } from '../clock.ts';

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
  #timer: (() => void) | undefined;

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#burst = Math.max(1, Math.floor(perMinute * AT_ONCE));
    this.#everyMs = 60_000 / Math.max(1, perMinute - this.#burst);
    this.#places = this.#burst;
    this.#countedAt = clock.elapsed();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when one connection may be opened. `urgent` is asked each time a place comes free: an operator may have come. */
  take(urgent: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#count();
    if (this.#waiting.size === 0 && this.#places >= 1) {
      this.#places -= 1;
      return Promise.resolve();
    }
    return this.#wait(urgent, signal);
  }

  #wait(urgent: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        this.#arm();
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { urgent, go };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
      this.#arm();
    });
  }

  /** One timer while somebody waits, none otherwise. */
  #arm(): void {
    if (this.#waiting.size === 0) this.#disarm();
    else this.#timer ??= this.#clock.after(Math.ceil((1 - this.#places) * this.#everyMs), () => this.#serve());
  }

  #disarm(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #serve(): void {
    this.#timer = undefined;
    this.#count();
    for (let next = this.#next(); next && this.#places >= 1; next = this.#next()) {
      this.#places -= 1;
      this.#waiting.delete(next);
      next.go();
    }
    this.#arm();
  }

  #next(): Waiting | undefined {
    const all = [...this.#waiting];
    return all.find(({ urgent }) => urgent()) ?? all[0];
  }

  #count(): void {
    const now = this.#clock.elapsed();
    this.#places = Math.min(this.#burst, this.#places + (now - this.#countedAt) / this.#everyMs);
    this.#countedAt = now;
  }
}
