/**
 * The samples of the last `length` seconds in classes of 0.1 dB, for percentiles. New samples are added, old samples are
 * subtracted. So a second costs the same in a window of a minute and of twelve hours. Counts are integers, without rounding.
 */
import { indices } from '../../../../lib/index.ts';
import type { Piece } from '../pieces.ts';
import { addSamples, hasSamples, type LevelSum } from './level-sum.ts';
import { partAt } from './sliding-sum.ts';

/** Samples that are subtracted when they leave the window. */
interface Part {
  readonly at: number;
  readonly pieces: Left[];
}

interface Left {
  /** Its end. */
  readonly to: number;
  readonly ms: number;
  /** Class, count, class, count ... */
  readonly counts: Int16Array | Int32Array;
}

/** Times in seconds since 1970 UTC. */
export class SlidingCounts {
  readonly #length: number;
  readonly #all = new indices.LevelCounts();
  /** The oldest first. */
  readonly #parts: Part[] = [];
  /** The end of the newest piece: the window ends there. */
  #to = Number.NEGATIVE_INFINITY;
  /** An integer, so that subtraction leaves no rest. */
  #ms = 0;

  /** `length`: seconds. */
  constructor(length: number) {
    this.#length = length;
  }

  /** Measured seconds with samples. */
  get seconds(): number {
    return this.#ms / 1_000;
  }

  add(piece: Piece): void {
    if (!hasSamples(piece)) return;
    const { at, kind } = partAt(piece.at, this.#parts.at(-1)?.at, this.#length);
    if (kind === 'set-back') this.clear();
    if (kind !== 'same') this.#parts.push({ at, pieces: [] });
    const ms = Math.round(piece.seconds * 1_000);
    this.#parts.at(-1)?.pieces.push({ to: piece.to, ms, counts: packed(piece) });
    addSamples(this.#all, piece);
    this.#ms += ms;
    this.#to = Math.max(this.#to, piece.to);
    this.#leave(this.#to - this.#length);
  }

  clear(): void {
    this.#all.clear();
    this.#parts.length = 0;
    this.#to = Number.NEGATIVE_INFINITY;
    this.#ms = 0;
  }

  /** The level that is exceeded `percent` % of the time; null without samples. */
  exceeded(percent: number): number | null {
    return this.#all.exceeded(percent);
  }

  /** Subtracts the samples that ended before the window begins. */
  #leave(begin: number): void {
    for (let [first] = this.#parts; first && first.at < begin; [first] = this.#parts) {
      while ((first.pieces[0]?.to ?? Number.POSITIVE_INFINITY) <= begin) this.#take(first.pieces.shift());
      if (first.pieces.length > 0) return;
      this.#parts.shift();
    }
  }

  #take(piece: Left | undefined): void {
    if (!piece) return;
    const { counts, ms } = piece;
    for (let index = 0; index < counts.length; index += 2)
      this.#all.removeClass(counts[index] ?? 0, counts[index + 1] ?? 0);
    this.#ms -= ms;
  }
}

function packed(piece: Piece): Int16Array | Int32Array {
  const counts = new indices.LevelCounts();
  addSamples(counts, piece);
  const pairs: number[] = [];
  for (const [tenths, count] of counts) pairs.push(tenths, count);
  return pairs.every((number) => number <= MOST_SHORT) ? Int16Array.from(pairs) : Int32Array.from(pairs);
}

const MOST_SHORT = 32_767;

/** One percentile of the samples. */
export class SlidingPercentile implements LevelSum {
  readonly #counts: SlidingCounts;
  readonly #percent: number;
  readonly energy = 0;
  readonly valueAt = null;
  readonly valueWithin = null;

  constructor(counts: SlidingCounts, percent: number) {
    this.#counts = counts;
    this.#percent = percent;
  }

  add(piece: Piece): void {
    this.#counts.add(piece);
  }

  clear(): void {
    this.#counts.clear();
  }

  get seconds(): number {
    return this.#counts.seconds;
  }

  get value(): number | null {
    return this.#counts.exceeded(this.#percent);
  }
}
