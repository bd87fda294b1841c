/** The levels of the last `length` seconds, for means and maxima. Times are seconds since 1970 UTC. */
import type { SecondsSpan } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import { type LevelSum, Total } from './level-sum.ts';

/** A window has at most so many parts; it moves on in steps of one of them. */
const MOST_PARTS = 300;

/** Length of a part of a sliding window, seconds. */
export const partOf = (length: number): number => Math.max(1, length / MOST_PARTS);

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

/** They are added up again for each answer: subtracting old seconds would leave the rounding errors of a loud second in a quiet window. */
export class SlidingSum implements LevelSum {
  readonly #length: number;
  readonly #quantity: string;
  #parts: { readonly at: number; readonly total: Total }[] = [];
  readonly #sum: Total;
  #isSummed = true;

  /** `length`: seconds; `quantity`: as of a rule, no percentile. */
  constructor(length: number, quantity: string) {
    this.#length = length;
    this.#quantity = quantity;
    this.#sum = new Total(quantity);
  }

  add(piece: Piece): void {
    const { at, kind } = partAt(piece.at, this.#parts.at(-1)?.at, this.#length);
    if (kind === 'set-back') this.#parts = [];
    if (kind !== 'same') this.#parts.push({ at, total: new Total(this.#quantity) });
    this.#parts.at(-1)?.total.add(piece);
    const first = this.#parts.findIndex((part) => part.at + this.#length > at);
    if (first > 0) this.#parts.splice(0, first);
    this.#isSummed = false;
  }

  clear(): void {
    this.#parts = [];
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

  get #total(): Total {
    if (this.#isSummed) return this.#sum;
    this.#sum.clear();
    for (const { total } of this.#parts) this.#sum.merge(total);
    this.#isSummed = true;
    return this.#sum;
  }
}
