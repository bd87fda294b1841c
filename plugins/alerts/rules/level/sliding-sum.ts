/** The levels of the last `length` seconds, for means and maxima. Times are seconds since 1970 UTC. */
import { indices } from '../../../../lib/index.ts';
import type { SecondsSpan } from '../kind.ts';
import { cut, type Piece } from '../pieces.ts';
import { addSamples, hasSamples, type LevelSum, Total } from './level-sum.ts';

/** Parts of a window with a sum each; only the oldest part is read second by second. */
const MOST_PARTS = 300;

/** Length of a part of a sliding window, seconds. */
const partOf = (length: number): number => Math.max(1, length / MOST_PARTS);

/** A piece that is older than all parts empties the window: the wall clock was ahead and is right again. `last`: beginning of the newest part. */
function partAt(at: number, last: number | undefined, length: number): { at: number; kind: PlaceKind } {
  const step = partOf(length);
  const begin = Math.floor(at / step) * step;
  if (last === undefined || begin > last) return { at: begin, kind: 'new' };
  return begin + length <= last ? { at: begin, kind: 'set-back' } : { at: last, kind: 'same' };
}
type PlaceKind = 'same' | 'new' | 'set-back';

interface Part {
  readonly at: number;
  to: number;
  readonly total: Total;
  /** Four numbers for each piece: beginning, end, measured seconds, level (NaN: unknown). No objects: there are many windows. */
  readonly numbers: number[];
  /** The bounds of pieces that have some, by the index of the piece in `numbers`. */
  bounds: Map<number, Piece['bounds']> | undefined;
}
const A_PIECE = 4;

/** Each answer adds the parts again: subtraction would leave the rounding errors of a loud second in a quiet window. */
export class SlidingSum implements LevelSum {
  readonly #length: number;
  readonly #quantity: string;
  #parts: Part[] = [];
  readonly #sum: Total;
  /** The end of the newest piece: the window ends there. */
  #to = Number.NEGATIVE_INFINITY;
  #isSummed = true;

  /** `length`: seconds; `quantity`: of a rule; not a percentile. */
  constructor(length: number, quantity: string) {
    this.#length = length;
    this.#quantity = quantity;
    this.#sum = new Total(quantity);
  }

  add(piece: Piece): void {
    const { at, kind } = partAt(piece.at, this.#parts.at(-1)?.at, this.#length);
    if (kind === 'set-back') this.clear();
    if (kind !== 'same')
      this.#parts.push({ at, to: piece.to, total: new Total(this.#quantity), numbers: [], bounds: undefined });
    this.#put(piece);
    this.#to = Math.max(this.#to, piece.to);
    const begin = this.#to - this.#length;
    const first = this.#parts.findIndex(({ to }) => to > begin);
    if (first > 0) this.#parts.splice(0, first);
    this.#isSummed = false;
  }

  clear(): void {
    this.#parts = [];
    this.#to = Number.NEGATIVE_INFINITY;
    this.#isSummed = false;
  }

  get seconds(): number {
    return this.#total.seconds;
  }

  get energy(): number {
    return this.#total.energy;
  }

  get value(): number | null {
    return this.#total.value;
  }

  get valueAt(): number | null {
    return this.#total.valueAt;
  }

  get valueWithin(): SecondsSpan | null {
    return this.#total.valueWithin;
  }

  #put(piece: Piece): void {
    const part = this.#parts.at(-1);
    if (!part) return;
    const { at, to, seconds, levels, bounds } = piece;
    if (bounds) part.bounds = (part.bounds ?? new Map()).set(part.numbers.length, bounds);
    part.numbers.push(at, to, seconds, levels[this.#quantity as keyof typeof levels] ?? Number.NaN);
    part.total.add(piece);
    part.to = Math.max(part.to, to);
  }

  get #total(): Total {
    if (this.#isSummed) return this.#sum;
    this.#sum.clear();
    const begin = this.#to - this.#length;
    for (const part of this.#parts) {
      if (part.at >= begin) this.#sum.merge(part.total);
      else for (const piece of this.#piecesOf(part)) if (piece.to > begin) this.#sum.add(cut(piece, begin, this.#to));
    }
    this.#isSummed = true;
    return this.#sum;
  }

  *#piecesOf({ numbers, bounds }: Part): Generator<Piece> {
    for (let place = 0; place < numbers.length; place += A_PIECE) {
      const [at = 0, to = 0, seconds = 0, level = Number.NaN] = numbers.slice(place, place + A_PIECE);
      const own = bounds?.get(place);
      const levels = { [this.#quantity]: Number.isNaN(level) ? null : level };
      yield { at, to, seconds, levels, ...(own && { bounds: own }) };
    }
  }
}

/** Samples that are subtracted when they leave the window. */
interface CountsPart {
  readonly at: number;
  readonly pieces: Left[];
}

interface Left {
  readonly to: number;
  readonly ms: number;
  /** Class, count, class, count ... */
  readonly counts: Int16Array | Int32Array;
}

/**
 * A percentile of the samples of the last `length` seconds, in classes of 0.1 dB. New samples are added, old samples
 * are subtracted. So a second costs the same in a window of a minute and of twelve hours. Counts are integers, without
 * rounding.
 */
export class SlidingPercentile implements LevelSum {
  readonly energy = 0;
  readonly valueAt = null;
  readonly valueWithin = null;
  readonly #length: number;
  readonly #percent: number;
  readonly #all = new indices.LevelCounts();
  readonly #parts: CountsPart[] = [];
  #to = Number.NEGATIVE_INFINITY;
  /** An integer, so that subtraction leaves no rest. */
  #ms = 0;

  constructor(length: number, percent: number) {
    this.#length = length;
    this.#percent = percent;
  }

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

  get value(): number | null {
    return this.#all.exceeded(this.#percent);
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

/** Several rules of a unit read one piece. */
const packedPieces = new WeakMap<Piece, Int16Array | Int32Array>();
const MOST_SHORT = 32_767;

/** Short arrays take a third of the memory, and nearly all are short. */
function packed(piece: Piece): Int16Array | Int32Array {
  const known = packedPieces.get(piece);
  if (known) return known;
  const counts = new indices.LevelCounts();
  addSamples(counts, piece);
  const pairs = [...counts].flat();
  const made = pairs.every((number) => number <= MOST_SHORT) ? Int16Array.from(pairs) : Int32Array.from(pairs);
  packedPieces.set(piece, made);
  return made;
}
