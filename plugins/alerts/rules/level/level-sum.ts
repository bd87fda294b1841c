/** The levels of a window, that is filled and then emptied or that always ends now. Times are seconds since 1970 UTC. */
import { indices } from '../../../../lib/built-in.ts';
import type { Piece, SecondsSpan } from '../kind.ts';
import { isMaximum, type LevelRule, percentOf } from './level-rule.ts';

export interface LevelSum {
  add(piece: Piece): void;
  clear(): void;
  /** Measured time with the levels that the quantity needs. */
  readonly seconds: number;
  /** For a mean: energy times seconds. */
  readonly energy: number;
  readonly value: number | null;
  /** When the value of a maximum was reached. */
  readonly valueAt: number | null;
  /** The interval in which the value of a maximum was reached, if its moment is not known. */
  readonly valueWithin: SecondsSpan | null;
}

/** A mean counts for the whole measured time: its level may be missing for this share of it. */
const MISSING = 0.01;

/** A mean or a maximum of one span of time. */
export class Total implements LevelSum {
  readonly #quantity: string;
  seconds = 0;
  energy = 0;
  valueAt: number | null = null;
  valueWithin: SecondsSpan | null = null;
  #known = 0;
  #highest: number | null = null;

  /** `quantity`: of a rule; not a percentile. */
  constructor(quantity: string) {
    this.#quantity = quantity;
  }

  add({ at, seconds, levels, bounds }: Piece): void {
    const level = levels[this.#quantity as keyof typeof levels] ?? null;
    if (isMaximum(this.#quantity)) {
      const bound = bounds?.[this.#quantity] ?? null;
      const highest = level ?? bound?.level ?? null;
      // A row without a maximum does not count.
      if (highest !== null) this.seconds += seconds;
      this.#see(highest, at, bound);
      return;
    }
    this.seconds += seconds;
    if (level === null) return;
    this.energy += seconds * indices.energyOf(level);
    this.#known += seconds;
  }

  merge(other: Total): void {
    this.seconds += other.seconds;
    this.energy += other.energy;
    this.#known += other.#known;
    this.#see(other.#highest, other.valueAt, other.valueWithin);
  }

  clear(): void {
    this.seconds = 0;
    this.energy = 0;
    this.valueAt = null;
    this.valueWithin = null;
    this.#known = 0;
    this.#highest = null;
  }

  get value(): number | null {
    if (this.seconds === 0) return null;
    if (isMaximum(this.#quantity)) return this.#highest;
    return this.#known < this.seconds * (1 - MISSING) ? null : indices.levelOf(this.energy / this.#known);
  }

  /** `within`: for a level without a known moment. Of two equal levels, the level with a known moment counts. */
  #see(level: number | null, at: number | null, within: SecondsSpan | null): void {
    if (level === null || (this.#highest !== null && level < this.#highest)) return;
    if (level === this.#highest && (within !== null || this.valueWithin === null)) return;
    this.#highest = level;
    this.valueAt = at;
    this.valueWithin = within;
  }
}

class Percentile implements LevelSum {
  readonly #percent: number;
  readonly #counts = new indices.LevelCounts();
  seconds = 0;
  readonly energy = 0;
  readonly valueAt = null;
  readonly valueWithin = null;

  constructor(percent: number) {
    this.#percent = percent;
  }

  add(piece: Piece): void {
    if (!hasSamples(piece)) return;
    this.seconds += piece.seconds;
    addSamples(this.#counts, piece);
  }

  clear(): void {
    this.#counts.clear();
    this.seconds = 0;
  }

  get value(): number | null {
    return this.#counts.exceeded(this.#percent);
  }
}

/** Percentiles need samples: a row without samples does not count. */
const hasSamples = ({ lp, counts }: Piece): boolean => (lp?.length ?? 0) > 0 || (counts?.length ?? 0) > 0;

/** The samples of a second or the counts of a minute. */
function addSamples(all: indices.LevelCounts, { lp, counts }: Piece): void {
  for (const level of lp ?? []) all.add(level);
  for (const [tenths, count] of counts ?? []) all.addClass(tenths, count);
}

export function growingSum({ quantity }: Pick<LevelRule, 'quantity'>): LevelSum {
  const percent = percentOf(quantity);
  return percent === undefined ? new Total(quantity) : new Percentile(percent);
}

/** The part of a piece within `[from, to)`; its energy is spread evenly over it. */
export function cut(piece: Piece, from: number, to: number): Piece {
  const [at, end] = [Math.max(piece.at, from), Math.min(piece.to, to)];
  if (at === piece.at && end === piece.to) return piece;
  const share = (end - at) / (piece.to - piece.at);
  return { ...piece, at, to: end, seconds: piece.seconds * share };
}

/** Parts of a window with a sum each; only the oldest part is read second by second. */
const MOST_PARTS = 300;

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

/** `at`: the time; `value`: dB. */
export type Step =
  | {
      readonly kind: 'open';
      readonly at: number;
      readonly value: number;
      readonly valueAt: number;
      readonly from: number;
      /** The true value is at most this one: its place may be outside the window. Absent: the value is certain. */
      readonly isBound?: boolean;
    }
  /** The event goes on in the next window, which exceeds the limit, too. */
  | { readonly kind: 'further'; readonly to: number }
  /** `window`: the window with this value; absent for a sliding window. */
  | {
      readonly kind: 'worse';
      readonly value: number;
      readonly valueAt: number;
      readonly window?: SecondsSpan;
      readonly isBound?: boolean;
    }
  | { readonly kind: 'close'; readonly at: number };

/** After its end a window waits this long for late levels, seconds. */
export const GRACE_S = 30;

/** One level rule at one unit. The times of the levels are its clock; without levels `tick` moves its time on. */
export interface LevelWatch {
  readonly sum: LevelSum;
  readonly isOpen: boolean;
  /** Whether the limit is exceeded in the present window. An event may go on from the window before. */
  readonly isBroken: boolean;
  /** Goes on with an event from before: it is open if `worst` is given. `from`: the beginning of its window. */
  resume(event: { readonly from: number; readonly worst: number | undefined }): void;
  /** The weighting has changed: new levels cannot be added to the old ones. */
  forget(): void;
  /** The window that the levels of `at` belong to; undefined: no window at this time. */
  windowOf(at: number): SecondsSpan | undefined;
  take(piece: Piece): Step[];
  /** A level of the history from before the watch. */
  fill(piece: Piece): Step[];
  filled(): Step[];
  /** Time goes on. A gap opens and closes nothing; the end of a window or of the schedule can. */
  tick(now: number): Step[];
}
