/**
 * Statistics of levels as the meter keeps them: samples counted in classes of 0.1 dB (protocol facts, section 8: sampled each
 * 100 ms). Memory does not grow with time. The caller decides when to sample.
 */
import type { PercentileClass } from '../contract.ts';

const LOWEST_DB = -60;
const HIGHEST_DB = 200;
const PER_DB = 10;
const CLASSES = (HIGHEST_DB - LOWEST_DB) * PER_DB + 1;

/** Sums of tenths have small rounding errors; a level on an edge stays in its class. */
const HAIR = 1e-6;

/** Classes have the levels from their lower edge up to the next, except with `rounded`, `nearest` and `upper edge`. */
const PLACE_IN: Readonly<Record<PercentileClass, (place: number) => number>> = Object.freeze({
  'outer edges': (place) => Math.floor(place + HAIR),
  nearest: Math.round,
  rounded: Math.round,
  'lower edge': (place) => Math.floor(place + HAIR),
  'upper edge': (place) => Math.ceil(place - HAIR),
});

/** How far LN lies above its class, in tenths: below L50, at L50, above it. At most 5 % of the levels lie above L5, at least 95 % reach L95. */
const EDGES: Readonly<Record<PercentileClass, readonly [number, number, number]>> = Object.freeze({
  rounded: [1, 0, -1],
  'outer edges': [1, 1, 0],
  nearest: [0, 0, 0],
  'lower edge': [0, 0, 0],
  'upper edge': [0, 0, 0],
});

/** The samples of one interval. */
export class LevelClasses {
  readonly #placeIn: (place: number) => number;
  readonly #edges: readonly [number, number, number];
  /** None before the first level: most of a fleet never counts one. */
  #counts = new Uint32Array(0);
  #total = 0;
  #first = CLASSES;
  #last = -1;

  constructor(counted: PercentileClass = 'rounded') {
    this.#placeIn = PLACE_IN[counted];
    this.#edges = EDGES[counted];
  }

  get total(): number {
    return this.#total;
  }

  /** Counts a level in dB; what lies outside -60 ... 200 dB counts as the nearest class. */
  add(level: number): void {
    if (this.#counts.length === 0) this.#counts = new Uint32Array(CLASSES);
    const place = Math.min(CLASSES - 1, Math.max(0, this.#placeIn((level - LOWEST_DB) * PER_DB)));
    this.#counts[place] = (this.#counts[place] as number) + 1;
    this.#total += 1;
    if (place < this.#first) this.#first = place;
    if (place > this.#last) this.#last = place;
  }

  /** The level that `percent` % of the samples reach or exceed, dB, as its class is named; null without samples. */
  exceeded(percent: number): number | null {
    const wanted = (this.#total * percent) / 100;
    let seen = 0;
    for (let place = this.#last; place >= this.#first; place--) {
      seen += this.#counts[place] as number;
      if (seen >= wanted) return (LOWEST_DB * PER_DB + place + this.#above(percent)) / PER_DB;
    }
    return null;
  }

  #above(percent: number): number {
    return this.#edges[percent < 50 ? 0 : percent === 50 ? 1 : 2];
  }

  clear(): void {
    this.#counts.fill(0, this.#first, this.#last + 1);
    this.#total = 0;
    this.#first = CLASSES;
    this.#last = -1;
  }
}
