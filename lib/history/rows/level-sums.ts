/**
 * Adds up the levels of rows, each column by its own rule: means of energy, maxima, minima. Used again after `clear`.
 */
import { EXTREMES, levelsBy } from '../../domain/quantities.ts';
import type { Bound, Bounds, Range } from '../contract.ts';
import { centiOfMean, energyOfCenti, NONE } from './bytes.ts';
import { isMean, isMinimum, type Levels, LMAX, PLACES, placeOf } from './columns.ts';

/** A mean needs its level for all measured time, except for this share. */
const MISSING = 0.01;

const COUNT = PLACES.length;
const IS_MEAN = PLACES.map(isMean);
const MEAN_PLACES = PLACES.filter(isMean);
const NO_MEANS = PLACES.filter((place) => !isMean(place));
const IS_MINIMUM = PLACES.map(isMinimum);

export class LevelSums {
  readonly #energy = new Float64Array(COUNT);
  readonly #weight = new Float64Array(COUNT);
  readonly #extreme = new Int16Array(COUNT).fill(NONE);
  #steps = 0;
  #lmaxAt = 0;

  get steps(): number {
    return this.#steps;
  }

  /** The `at` of the row that has the first highest Lmax. */
  get lmaxAt(): number {
    return this.#lmaxAt;
  }

  clear(): void {
    // No `fill`: for so few numbers the call costs more than the work.
    for (let place = 0; place < COUNT; place++) {
      this.#energy[place] = 0;
      this.#weight[place] = 0;
      this.#extreme[place] = NONE;
    }
    this.#steps = 0;
    this.#lmaxAt = 0;
  }

  addRow(columns: readonly Int16Array[], row: number, steps: number, at: number): void {
    this.#steps += steps;
    for (let place = 0; place < COUNT; place++) {
      const level = columns[place]?.[row] ?? NONE;
      if (level === NONE) continue;
      if (IS_MEAN[place]) this.#mean(place, level, steps);
      else this.#extremum(place, level, at);
    }
  }

  addMeans(levels: Levels, steps: number): void {
    this.#steps += steps;
    for (const place of MEAN_PLACES) {
      const level = levels[place] ?? NONE;
      if (level !== NONE) this.#mean(place, level, steps);
    }
  }

  addExtremes(levels: Levels, at: number): void {
    for (const place of NO_MEANS) {
      const level = levels[place] ?? NONE;
      if (level !== NONE) this.#extremum(place, level, at);
    }
  }

  /** Hundredths of a dB. */
  level(place: number): number {
    if (!IS_MEAN[place]) return this.#extreme[place] ?? NONE;
    return this.#isWhole(place) ? centiOfMean(this.#energy[place] ?? 0, this.#weight[place] ?? 0) : NONE;
  }

  /** The same in dB. Means have a millionth of a dB, so that merging adds no rounding error. NaN without a level. */
  decibels(place: number): number {
    if (IS_MEAN[place]) {
      const weight = this.#weight[place] ?? 0;
      if (weight === 0 || !this.#isWhole(place)) return Number.NaN;
      return Math.round(1e7 * Math.log10((this.#energy[place] ?? 0) / weight)) / 1e6;
    }
    const level = this.#extreme[place] ?? NONE;
    return level === NONE ? Number.NaN : level / 100;
  }

  levels(): number[] {
    return PLACES.map((place) => this.level(place));
  }

  #isWhole(place: number): boolean {
    return (this.#weight[place] ?? 0) >= this.#steps * (1 - MISSING);
  }

  #mean(place: number, level: number, steps: number): void {
    this.#energy[place] = (this.#energy[place] ?? 0) + steps * energyOfCenti(level);
    this.#weight[place] = (this.#weight[place] ?? 0) + steps;
  }

  #extremum(place: number, level: number, at: number): void {
    const before = this.#extreme[place] ?? NONE;
    // NONE is less than every level.
    if (IS_MINIMUM[place] ? level >= before && before !== NONE : level <= before) return;
    this.#extreme[place] = level;
    if (place === LMAX) this.#lmaxAt = at;
  }
}

const EXTREME_PLACES = EXTREMES.map(placeOf);
const MINIMA = EXTREME_PLACES.map(isMinimum);

/** Maxima and minima of intervals that reach out of a row, in hundredths of a dB. Used again after `clear`. */
export class BoundSums {
  readonly #levels = new Int16Array(EXTREME_PLACES.length).fill(NONE);
  readonly #spans: Range[] = [];
  #isEmpty = true;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  clear(): void {
    if (this.#isEmpty) return;
    this.#levels.fill(NONE);
    this.#isEmpty = true;
  }

  add(levels: Levels, interval: Range): void {
    for (const [index, place] of EXTREME_PLACES.entries()) {
      const level = levels[place] ?? NONE;
      if (level === NONE || !isBeyond(level, this.#levels[index] ?? NONE, MINIMA[index] === true)) continue;
      this.#levels[index] = level;
      this.#spans[index] = interval;
      this.#isEmpty = false;
    }
  }

  /** Whether the level of the row may lie beyond `certain`, that of the data inside. `index`: of `EXTREMES`. */
  exceeds(index: number, certain: number): boolean {
    const level = this.#levels[index] ?? NONE;
    return level !== NONE && isBeyond(level, certain, MINIMA[index] === true);
  }

  /** Writes level, beginning and end of each bound that exceeds the certain level, and NaN for the others. */
  write(into: Float64Array, at: number, certain: (place: number) => number): void {
    for (const [index, place] of EXTREME_PLACES.entries()) {
      const span = this.exceeds(index, certain(place)) ? this.#spans[index] : undefined;
      into[at + 3 * index] = span ? (this.#levels[index] ?? NONE) / 100 : Number.NaN;
      into[at + 3 * index + 1] = span?.from ?? Number.NaN;
      into[at + 3 * index + 2] = span?.to ?? Number.NaN;
    }
  }
}

export const BOUND_NUMBERS = 3 * EXTREME_PLACES.length;

export function boundsAt(numbers: Float64Array, at: number): Bounds {
  return levelsBy(EXTREMES, (name): Bound | null => {
    const first = at + 3 * EXTREMES.indexOf(name);
    const [level = Number.NaN, from = 0, to = 0] = numbers.subarray(first, first + 3);
    return Number.isNaN(level) ? null : { level, from, to };
  });
}

/** Nearly all rows share this object. */
export const NO_BOUNDS: Bounds = Object.freeze(levelsBy(EXTREMES, () => null));

const isBeyond = (level: number, other: number, minimum: boolean): boolean =>
  minimum ? other === NONE || level < other : level > other;
