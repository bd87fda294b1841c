/**
 * The levels of a window, as they come. Two kinds with the same questions: one that is filled and then emptied, and one that
 * forgets what is older than its length. Times are seconds since 1970 UTC.
 */
import { indices } from '../../../../lib/index.ts';
import type { Piece } from '../pieces.ts';

export interface LevelSum {
  add(piece: Piece): void;
  clear(): void;
  readonly seconds: number;
  /** Energy times seconds. */
  readonly energy: number;
  /** Null without data. */
  value(quantity: string, percent: number | undefined): number | null;
  /** When the value of a maximum was reached. */
  valueAt(quantity: string): number | null;
}

class Peak {
  level: number | null = null;
  at: number | null = null;

  see(level: number | null, at: number): void {
    if (level === null || (this.level !== null && level <= this.level)) return;
    this.level = level;
    this.at = at;
  }
}

/** One span of time, summed up. */
class Total {
  seconds = 0;
  energy = 0;
  readonly lmax = new Peak();
  readonly lpeak = new Peak();
  counts: Map<number, number> | undefined;

  add({ at, seconds, leq, lmax, lpeak, lp, counts }: Piece, isCounted: boolean): void {
    this.seconds += seconds;
    this.energy += seconds * indices.energyOf(leq);
    this.lmax.see(lmax, at);
    this.lpeak.see(lpeak, at);
    if (!isCounted) return;
    for (const level of lp ?? []) this.#count(indices.classOf(level), 1);
    for (const [tenths, count] of counts ?? []) this.#count(tenths, count);
  }

  merge({ seconds, energy, lmax, lpeak, counts }: Total): void {
    this.seconds += seconds;
    this.energy += energy;
    this.lmax.see(lmax.level, lmax.at ?? 0);
    this.lpeak.see(lpeak.level, lpeak.at ?? 0);
    for (const [tenths, count] of counts ?? []) this.#count(tenths, count);
  }

  #count(tenths: number, count: number): void {
    this.counts ??= new Map();
    this.counts.set(tenths, (this.counts.get(tenths) ?? 0) + count);
  }

  value(quantity: string, percent: number | undefined): number | null {
    if (this.seconds === 0) return null;
    if (quantity === 'leq') return indices.levelOf(this.energy / this.seconds);
    if (percent === undefined) return quantity === 'lmax' ? this.lmax.level : this.lpeak.level;
    const counts = new indices.LevelCounts();
    for (const [tenths, count] of this.counts ?? []) counts.addClass(tenths, count);
    return counts.exceeded(percent);
  }

  valueAt = (quantity: string): number | null => (quantity === 'lmax' ? this.lmax.at : this.lpeak.at);
}

/** Filled from its beginning on. `isCounted`: percentiles are wanted. */
export class GrowingSum implements LevelSum {
  readonly #isCounted: boolean;
  #total = new Total();

  constructor(isCounted: boolean) {
    this.#isCounted = isCounted;
  }

  get seconds(): number {
    return this.#total.seconds;
  }

  get energy(): number {
    return this.#total.energy;
  }

  add(piece: Piece): void {
    this.#total.add(piece, this.#isCounted);
  }

  clear(): void {
    this.#total = new Total();
  }

  value(quantity: string, percent: number | undefined): number | null {
    return this.#total.value(quantity, percent);
  }

  valueAt(quantity: string): number | null {
    return this.#total.valueAt(quantity);
  }
}

/** A window has at most so many parts; it moves on in steps of one of them. */
const MOST_PARTS = 300;

/** Length of a part of a sliding window, seconds. */
export const partOf = (length: number): number => Math.max(1, length / MOST_PARTS);

/**
 * The last `length` seconds. They are added up again for each answer: subtracting old seconds would leave the rounding errors
 * of a loud second in a quiet window.
 */
export class SlidingSum implements LevelSum {
  readonly #length: number;
  readonly #step: number;
  readonly #isCounted: boolean;
  #parts: { readonly at: number; readonly total: Total }[] = [];
  #sum: Total | undefined = new Total();

  constructor(length: number, isCounted: boolean) {
    this.#length = length;
    this.#step = partOf(length);
    this.#isCounted = isCounted;
  }

  get seconds(): number {
    return this.#total.seconds;
  }

  get energy(): number {
    return this.#total.energy;
  }

  add(piece: Piece): void {
    const at = Math.floor(piece.at / this.#step) * this.#step;
    let last = this.#parts.at(-1);
    // Older than all of them: the wall clock was ahead and is right again.
    if (last && at + this.#length <= last.at) {
      this.#parts = [];
      last = undefined;
    }
    if (!last || last.at < at) {
      last = { at, total: new Total() };
      this.#parts.push(last);
    }
    last.total.add(piece, this.#isCounted);
    const first = this.#parts.findIndex((part) => part.at + this.#length > last.at);
    if (first > 0) this.#parts.splice(0, first);
    this.#sum = undefined;
  }

  clear(): void {
    this.#parts = [];
    this.#sum = undefined;
  }

  value(quantity: string, percent: number | undefined): number | null {
    return this.#total.value(quantity, percent);
  }

  valueAt(quantity: string): number | null {
    return this.#total.valueAt(quantity);
  }

  get #total(): Total {
    this.#sum ??= this.#parts.reduce((sum, { total }) => {
      sum.merge(total);
      return sum;
    }, new Total());
    return this.#sum;
  }
}
