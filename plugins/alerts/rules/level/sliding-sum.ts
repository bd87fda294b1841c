/** The levels of the last `length` seconds, for means and maxima. Times are seconds since 1970 UTC. */
import type { SecondsSpan } from '../kind.ts';
import { cut, type Piece } from '../pieces.ts';
import { type LevelSum, Total } from './level-sum.ts';

/** Parts of a window that are summed up by themselves; the oldest one is taken apart second by second. */
const MOST_PARTS = 300;

/** Length of a part of a sliding window, seconds. */
const partOf = (length: number): number => Math.max(1, length / MOST_PARTS);

/**
 * Where a piece goes: into the part that is on, into a new one, or into the first of an empty window, because it is older than all of
 * them (the wall clock was ahead and is right again). `last`: beginning of the newest part.
 */
export function partAt(at: number, last: number | undefined, length: number): { at: number; kind: PlaceKind } {
  const step = partOf(length);
  const begin = Math.floor(at / step) * step;
  if (last === undefined || begin > last) return { at: begin, kind: 'new' };
  return begin + length <= last ? { at: begin, kind: 'set-back' } : { at: last, kind: 'same' };
}
type PlaceKind = 'same' | 'new' | 'set-back';

interface Part {
  readonly at: number;
  /** End of its last piece. */
  to: number;
  readonly total: Total;
  /** Four of each piece: beginning, end, measured seconds, level (NaN: not known). Windows are many, and objects are large. */
  readonly numbers: number[];
  /** By the place of a piece in `numbers`, where it has some. */
  bounds: Map<number, Piece['bounds']> | undefined;
}
const A_PIECE = 4;

/** They are added up again for each answer: subtracting old seconds would leave the rounding errors of a loud second in a quiet window. */
export class SlidingSum implements LevelSum {
  readonly #length: number;
  readonly #quantity: string;
  #parts: Part[] = [];
  readonly #sum: Total;
  /** The end of the newest piece: the window ends there. */
  #to = Number.NEGATIVE_INFINITY;
  #isSummed = true;

  /** `length`: seconds; `quantity`: as of a rule, no percentile. */
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

  /** Into the newest part. */
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
