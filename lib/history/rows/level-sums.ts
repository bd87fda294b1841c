/**
 * Adds up the levels of rows, each column by its own rule: means of energy, maxima, minima. Used again after `clear`.
 */
import { isMean, isMinimum, type Levels, LMAX, PLACES } from './columns.ts';
import { centiOfMean, energyOfCenti, NONE } from './levels.ts';

/** A mean needs its level for all measured time, except for this share. */
const MISSING = 0.01;

const COUNT = PLACES.length;
const IS_MEAN = PLACES.map(isMean);
const MEAN_PLACES = PLACES.filter(isMean);
const EXTREMES = PLACES.filter((place) => !isMean(place));
const IS_MINIMUM = PLACES.map(isMinimum);

/** The sums of all quantities of one row. */
export class LevelSums {
  /** Energy times steps. */
  readonly #energy = new Float64Array(COUNT);
  /** Steps with the level. */
  readonly #weight = new Float64Array(COUNT);
  readonly #extreme = new Int16Array(COUNT).fill(NONE);
  #steps = 0;
  #lmaxAt = 0;

  /** Steps of 100 ms that were measured. */
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

  /** A row of a table: its levels are at index `row` of each column. */
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

  /** The sums of another row. */
  addSums(other: LevelSums): void {
    this.#steps += other.#steps;
    for (let place = 0; place < COUNT; place++) {
      this.#energy[place] = (this.#energy[place] ?? 0) + (other.#energy[place] ?? 0);
      this.#weight[place] = (this.#weight[place] ?? 0) + (other.#weight[place] ?? 0);
      const level = other.#extreme[place] ?? NONE;
      if (level !== NONE) this.#extremum(place, level, other.#lmaxAt);
    }
  }

  addExtremes(levels: Levels, at: number): void {
    for (const place of EXTREMES) {
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
