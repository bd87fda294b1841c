/** How many requests each caller may make: a bucket of tokens each, filled at a steady rate. */
import type { Clock } from '../clock.ts';
import { BoundedMap } from './bounded-map.ts';

const MOST_CALLERS = 10_000;

/** How many requests a caller may make. */
export interface RateSettings {
  /** Requests a second; 0: no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

/** The buckets of all callers; of more than 10,000 the oldest are forgotten. */
export class Rate {
  #settings: RateSettings;
  readonly #clock: Clock;
  readonly #buckets = new BoundedMap<{ readonly tokens: number; readonly at: number }>(MOST_CALLERS);

  constructor(settings: RateSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Applies from now on; unused requests of callers are kept. */
  change(settings: RateSettings): void {
    this.#settings = settings;
  }

  /** Counts one request. The time in ms after which the caller may try again; 0: this request may pass. */
  take(caller: string): number {
    const { perSecond, burst } = this.#settings;
    if (perSecond === 0) return 0;
    const at = this.#clock.elapsed();
    const last = this.#buckets.get(caller) ?? { tokens: burst, at };
    const tokens = Math.min(burst, last.tokens + ((at - last.at) * perSecond) / 1_000);
    const passes = tokens >= 1;
    this.#buckets.set(caller, { tokens: passes ? tokens - 1 : tokens, at });
    return passes ? 0 : ((1 - tokens) * 1_000) / perSecond;
  }
}
