/**
 * The samples of the last `length` seconds in classes of 0.1 dB, for percentiles. What comes is added and what leaves is taken away, so a
 * second costs the same in a window of a minute and of twelve hours. Counts are whole numbers: nothing is rounded.
 */
import { indices } from '../../../../lib/index.ts';
import type { Piece } from '../pieces.ts';
import { addSamples, hasSamples, type LevelSum } from './level-sum.ts';
import { partAt } from './sliding-sum.ts';

/** What has to be taken away again when the part leaves. */
interface Part {
  readonly at: number;
  readonly ms: number;
  /** Class, count, class, count ... */
  readonly counts: Int32Array;
}

/** Times in seconds since 1970 UTC. */
export class SlidingCounts {
  readonly #length: number;
  readonly #all = new indices.LevelCounts();
  /** The oldest first, without the one that is on. */
  readonly #parts: Part[] = [];
  #present: { readonly at: number; ms: number; readonly counts: indices.LevelCounts } | undefined;
  /** Whole, so that what is taken away leaves no rest. */
  #ms = 0;

  /** `length`: seconds. */
  constructor(length: number) {
    this.#length = length;
  }

  /** Measured, with samples. */
  get seconds(): number {
    return this.#ms / 1_000;
  }

  add(piece: Piece): void {
    if (!hasSamples(piece)) return;
    const part = this.#partFor(piece.at);
    for (const counts of [part.counts, this.#all]) addSamples(counts, piece);
    const ms = Math.round(piece.seconds * 1_000);
    part.ms += ms;
    this.#ms += ms;
  }

  clear(): void {
    this.#all.clear();
    this.#parts.length = 0;
    this.#present = undefined;
    this.#ms = 0;
  }

  /** The level that is exceeded `percent` % of the time; null without samples. */
  exceeded(percent: number): number | null {
    return this.#all.exceeded(percent);
  }

  /** The part of a piece; parts that are too old then have left. */
  #partFor(pieceAt: number) {
    const { at, kind } = partAt(pieceAt, this.#present?.at, this.#length);
    if (this.#present && kind === 'same') return this.#present;
    if (kind === 'set-back') this.clear();
    if (this.#present) this.#parts.push({ ...this.#present, counts: packed(this.#present.counts) });
    for (let [first] = this.#parts; first && first.at + this.#length <= at; [first] = this.#parts) {
      this.#leave(first);
      this.#parts.shift();
    }
    const present = { at, ms: 0, counts: new indices.LevelCounts() };
    this.#present = present;
    return present;
  }

  #leave({ counts, ms }: Part): void {
    for (let index = 0; index < counts.length; index += 2)
      this.#all.removeClass(counts[index] ?? 0, counts[index + 1] ?? 0);
    this.#ms -= ms;
  }
}

function packed(counts: indices.LevelCounts): Int32Array {
  const pairs: number[] = [];
  for (const [tenths, count] of counts) pairs.push(tenths, count);
  return Int32Array.from(pairs);
}

/** One percentile of them. */
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
