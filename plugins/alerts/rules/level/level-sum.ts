/** The levels of a window that is filled and then emptied. Times are seconds since 1970 UTC. */
import { indices } from '../../../../lib/index.ts';
import type { SecondsSpan } from '../kind.ts';
import type { Piece } from '../pieces.ts';
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
  /** Seconds with the level. */
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
export const hasSamples = ({ lp, counts }: Piece): boolean => (lp?.length ?? 0) > 0 || (counts?.length ?? 0) > 0;

/** The samples of a second or the counts of a minute. */
export function addSamples(all: indices.LevelCounts, { lp, counts }: Piece): void {
  for (const level of lp ?? []) all.add(level);
  for (const [tenths, count] of counts ?? []) all.addClass(tenths, count);
}

export function growingSum({ quantity }: Pick<LevelRule, 'quantity'>): LevelSum {
  const percent = percentOf(quantity);
  return percent === undefined ? new Total(quantity) : new Percentile(percent);
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

/** Compares levels with a limit as they are shown. */
export class Above {
  readonly #first: number;

  constructor(limit: number, decimals: number | undefined) {
    this.#first = indices.firstAbove(limit, decimals);
  }

  has(level: number): boolean {
    return indices.reachesFirst(level, this.#first);
  }
}

/** The level from which a rule has an event: its warning level is reached, or else its limit is exceeded. */
export const opensEvent = (rule: LevelRule): Above => {
  const { amber_db, decimals = indices.SHOWN_DECIMALS } = rule;
  return amber_db === undefined ? aboveLimit(rule) : new Above(amber_db - 10 ** -decimals, decimals);
};

export const aboveLimit = ({ limit_db, decimals }: LevelRule): Above => new Above(limit_db, decimals);
