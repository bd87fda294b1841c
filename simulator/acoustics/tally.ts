/**
 * Everything one channel counts over one interval: a measurement, a block, a frame. Sums are taken step by step in order, so
 * they do not depend on the parts in which steps arrive.
 */
import type { BlockValues, PercentileClass } from '../contract.ts';
import type { Track } from './filter-bank.ts';
import { LevelClasses } from './level-classes.ts';
import { exposureLevel, levelOf } from './levels.ts';
import { rangeFlags } from './ranges.ts';
import type { SoundWindow } from './window.ts';

/** Levels for LN are sampled each 100 ms (protocol facts, section 8). */
export const SAMPLE_MS = 100;

/** Sums of one channel; levels in dB. */
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

  /** Time-weighted level at the end, dB. */
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
