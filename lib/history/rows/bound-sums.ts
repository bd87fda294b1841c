/**
 * Maxima and minima of intervals that reach out of a row: they were reached somewhere in the interval, inside or
 * outside the row.
 */

import { EXTREMES, levelsBy } from '../../domain/quantities.ts';
import type { Bound, Bounds, Range } from '../contract.ts';
import { isMinimum, type Levels, placeOf } from './columns.ts';
import { NONE } from './levels.ts';

const PLACES = EXTREMES.map(placeOf);
const MINIMA = PLACES.map(isMinimum);

/** Used again after `clear`. Levels in hundredths of a dB. */
export class BoundSums {
  readonly #levels = new Int16Array(PLACES.length).fill(NONE);
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
    for (const [index, place] of PLACES.entries()) {
      const level = levels[place] ?? NONE;
      if (level === NONE || !isBeyond(level, this.#levels[index] ?? NONE, MINIMA[index] === true)) continue;
      this.#levels[index] = level;
      this.#spans[index] = interval;
      this.#isEmpty = false;
    }
  }

  /**
   * Whether the level of a row may lie beyond `certain`, the level of the data inside the row. `index`: of `EXTREMES`.
   */
  exceeds(index: number, certain: number): boolean {
    const level = this.#levels[index] ?? NONE;
    return level !== NONE && isBeyond(level, certain, MINIMA[index] === true);
  }

  /** Writes level, beginning and end of each bound that exceeds the certain level, and NaN for the others. */
  write(into: Float64Array, at: number, certain: (place: number) => number): void {
    for (const [index, place] of PLACES.entries()) {
      const span = this.exceeds(index, certain(place)) ? this.#spans[index] : undefined;
      into[at + 3 * index] = span ? (this.#levels[index] ?? NONE) / 100 : Number.NaN;
      into[at + 3 * index + 1] = span?.from ?? Number.NaN;
      into[at + 3 * index + 2] = span?.to ?? Number.NaN;
    }
  }
}

/** Count of numbers from `write`. */
export const BOUND_NUMBERS = 3 * PLACES.length;

/** Reads the numbers from `write`. */
export function boundsAt(numbers: Float64Array, at: number): Bounds {
  return levelsBy(EXTREMES, (name): Bound | null => {
    const first = at + 3 * EXTREMES.indexOf(name);
    const [level = Number.NaN, from = 0, to = 0] = numbers.subarray(first, first + 3);
    return Number.isNaN(level) ? null : { level, from, to };
  });
}

/** Nearly all rows share this object. */
export const NO_BOUNDS: Bounds = Object.freeze(levelsBy(EXTREMES, () => null));

/** NONE is less than every level. */
const isBeyond = (level: number, other: number, minimum: boolean): boolean =>
  minimum ? other === NONE || level < other : level > other;
