/**
 * Everything one channel counts over one interval: a measurement, a block, a frame. Sums are taken step by step in order, so
 * they do not depend on the parts in which steps arrive.
 */
import type { BlockValues, PercentileClass } from '../contract.ts';
import type { Track } from './filter-bank.ts';
import { exposureLevel, levelOf, rangeFlags } from './levels.ts';
import type { SoundWindow } from './window.ts';

/** Levels for LN are sampled each 100 ms (protocol facts, section 8). */
export const SAMPLE_MS = 100;

export class Tally {
  readonly #track: Track;
  readonly #stepMs: number;
  readonly #classes: LevelClasses;
  steps = 0;
  #energy = 0;
  #impulse = 0;
  #peak = 0;
  #highest = 0;
  #lowest = 0;
  #last = 0;

  constructor(track: Track, stepMs: number, counted?: PercentileClass) {
    this.#track = track;
    this.#stepMs = stepMs;
    this.#classes = new LevelClasses(counted);
    this.begin();
  }

  /** Clears all and begins at the present state of the filter, whose value is the first end of the interval. */
  begin(): void {
    this.steps = 0;
    this.#energy = 0;
    this.#impulse = 0;
    this.#peak = 0;
    this.#last = this.#track.filter.value;
    this.#highest = this.#last;
    this.#lowest = this.#last;
    this.#classes.clear();
  }

  /** After a pause: the level of the filter is where it is now, and is the first end of what follows. */
  goOn(): void {
    this.#last = this.#track.filter.value;
    this.#highest = Math.max(this.#highest, this.#last);
    this.#lowest = Math.min(this.#lowest, this.#last);
  }

  add(window: SoundWindow, from: number, to: number): void {
    this.#sample(from, to);
    this.#sum(window, from, to);
    this.#extremes(from, to);
    this.steps += to - from;
  }

  #sum(window: SoundWindow, from: number, to: number): void {
    const x = window.energy[this.#track.frequency];
    const p = window.peak[this.#track.frequency];
    const { impulse } = this.#track;
    let energy = this.#energy;
    let held = this.#impulse;
    let peak = this.#peak;
    for (let i = from; i < to; i++) {
      energy += x[i] as number;
      held += impulse[i] as number;
      if ((p[i] as number) > peak) peak = p[i] as number;
    }
    this.#energy = energy;
    this.#impulse = held;
    this.#peak = peak;
  }

  #extremes(from: number, to: number): void {
    const { weighted } = this.#track;
    let highest = this.#highest;
    let lowest = this.#lowest;
    for (let i = from; i < to; i++) {
      const value = weighted[i] as number;
      if (value > highest) highest = value;
      if (value < lowest) lowest = value;
    }
    this.#highest = highest;
    this.#lowest = lowest;
    this.#last = weighted[to - 1] as number;
  }

  #sample(from: number, to: number): void {
    const every = SAMPLE_MS / this.#stepMs;
    const { weighted } = this.#track;
    for (let i = from + every - 1 - (this.steps % every); i < to; i += every)
      this.#classes.add(levelOf(weighted[i] as number));
  }

  get lp(): number {
    return levelOf(this.#last);
  }

  /** All values of the interval; it must have at least one step. `seconds` is its length for LE. */
  values(
    percentiles: readonly [number, number, number, number, number],
    seconds = (this.steps * this.#stepMs) / 1000,
  ): BlockValues {
    const { lp } = this;
    const leq = levelOf(this.#energy / this.steps);
    const lmax = levelOf(this.#highest);
    const lmin = levelOf(this.#lowest);
    const [n1, n2, n3, n4, n5] = percentiles;
    const exceeded = (percent: number) => this.#classes.exceeded(percent) ?? lp;
    return {
      lp,
      leq,
      le: exposureLevel(leq, seconds),
      lmax,
      lmin,
      ln: [exceeded(n1), exceeded(n2), exceeded(n3), exceeded(n4), exceeded(n5)],
      lpeak: levelOf(this.#peak),
      lieq: levelOf(this.#impulse / this.steps),
      ...rangeFlags(this.#track.frequency, lmin, lmax),
    };
  }
}

// Statistics of levels as the meter keeps them: samples counted in classes of 0.1 dB (protocol facts, section 8: sampled each
// 100 ms). Memory does not grow with time. The caller decides when to sample.

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
