/**
 * The levels of a window, as they come. Two kinds with the same questions: one that is filled and then emptied, and one that
 * forgets what is older than its length. Times are seconds since 1970 UTC.
 */
import { indices } from '../../../../lib/index.ts';
import type { Piece } from '../pieces.ts';
import { isMaximum, percentOf } from './level-rule.ts';

export interface LevelSum {
  add(piece: Piece): void;
  clear(): void;
  readonly seconds: number;
  /** Of a mean: energy times seconds. */
  readonly energy: number;
  /** Null without data. */
  readonly value: number | null;
  /** When the value of a maximum was reached. */
  readonly valueAt: number | null;
}

/** A mean is one of all the measured time: its level may be missing for this share of it. */
const MISSING = 0.01;

class Peak {
  level: number | null = null;
  at: number | null = null;

  see(level: number | null, at: number): void {
    if (level === null || (this.level !== null && level <= this.level)) return;
    this.level = level;
    this.at = at;
  }
}

/** One span of time, summed up for one quantity. */
class Total {
  readonly #quantity: string;
  seconds = 0;
  energy = 0;
  /** Seconds that have the level. */
  known = 0;
  readonly peak = new Peak();
  /** Of rules on LN. */
  counts: indices.LevelCounts | undefined;

  constructor(quantity: string) {
    this.#quantity = quantity;
  }

  add({ at, seconds, levels, lp, counts }: Piece): void {
    this.seconds += seconds;
    if (percentOf(this.#quantity) === undefined) {
      this.#see(levels[this.#quantity as keyof typeof levels] ?? null, at, seconds);
      return;
    }
    this.counts ??= new indices.LevelCounts();
    for (const level of lp ?? []) this.counts.add(level);
    for (const [tenths, count] of counts ?? []) this.counts.addClass(tenths, count);
  }

  merge({ seconds, energy, known, peak, counts }: Total): void {
    this.seconds += seconds;
    this.energy += energy;
    this.known += known;
    this.peak.see(peak.level, peak.at ?? 0);
    if (!counts) return;
    this.counts ??= new indices.LevelCounts();
    this.counts.merge(counts);
  }

  #see(level: number | null, at: number, seconds: number): void {
    if (isMaximum(this.#quantity)) this.peak.see(level, at);
    else if (level !== null) {
      this.energy += seconds * indices.energyOf(level);
      this.known += seconds;
    }
  }

  get value(): number | null {
    const percent = percentOf(this.#quantity);
    if (this.seconds === 0) return null;
    if (isMaximum(this.#quantity)) return this.peak.level;
    if (percent === undefined)
      return this.known < this.seconds * (1 - MISSING) ? null : indices.levelOf(this.energy / this.known);
    return this.counts?.exceeded(percent) ?? null;
  }
}

/** Filled from its beginning on. */
export class GrowingSum implements LevelSum {
  readonly #quantity: string;
  #total: Total;

  /** `quantity`: as of a rule. */
  constructor(quantity: string) {
    this.#quantity = quantity;
    this.#total = new Total(quantity);
  }

  get seconds(): number {
    return this.#total.seconds;
  }

  get energy(): number {
    return this.#total.energy;
  }

  add(piece: Piece): void {
    this.#total.add(piece);
  }

  clear(): void {
    this.#total = new Total(this.#quantity);
  }

  get value(): number | null {
    return this.#total.value;
  }

  get valueAt(): number | null {
    return this.#total.peak.at;
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
  readonly #quantity: string;
  #parts: { readonly at: number; readonly total: Total }[] = [];
  #sum: Total | undefined;

  /** `length`: seconds; `quantity`: as of a rule. */
  constructor(length: number, quantity: string) {
    this.#length = length;
    this.#step = partOf(length);
    this.#quantity = quantity;
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
      last = { at, total: new Total(this.#quantity) };
      this.#parts.push(last);
    }
    last.total.add(piece);
    const first = this.#parts.findIndex((part) => part.at + this.#length > last.at);
    if (first > 0) this.#parts.splice(0, first);
    this.#sum = undefined;
  }

  clear(): void {
    this.#parts = [];
    this.#sum = undefined;
  }

  get value(): number | null {
    return this.#total.value;
  }

  get valueAt(): number | null {
    return this.#total.peak.at;
  }

  get #total(): Total {
    this.#sum ??= this.#parts.reduce((sum, { total }) => {
      sum.merge(total);
      return sum;
    }, new Total(this.#quantity));
    return this.#sum;
  }
}
