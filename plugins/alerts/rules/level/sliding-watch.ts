/** A level rule whose window always ends now. Pure. Seconds since 1970 UTC. */
import type { SecondsSpan } from '../kind.ts';
import { isScheduled } from '../local-time.ts';
import type { Piece } from '../pieces.ts';
import { isMaximum, type LevelRule, percentOf, windowSeconds } from './level-rule.ts';
import type { LevelSum } from './level-sum.ts';
import { SlidingCounts, SlidingPercentile } from './sliding-counts.ts';
import { SlidingSum } from './sliding-sum.ts';
import { Above, aboveLimit, GRACE_S, type LevelWatch, type Step } from './step.ts';

/** Windows that end with the newest level. */
export class SlidingWatch implements LevelWatch {
  readonly sum: LevelSum;
  readonly #rule: LevelRule;
  readonly #zone: string;
  readonly #length: number;
  readonly #tooLoud: Above;
  /** Above the level at which an event ends. */
  readonly #notOver: Above;
  /** The worst value of the open event. */
  #worst: number | undefined;

  /** `sum`: the levels of the rule's window; several rules may share a window. */
  constructor(rule: LevelRule, zone: string, sum = slidingSum(rule)) {
    this.#rule = rule;
    this.#zone = zone;
    this.#length = windowSeconds(rule.window);
    this.#tooLoud = aboveLimit(rule);
    this.#notOver = new Above(rule.clear_db, rule.decimals);
    this.sum = sum;
  }

  resume({ worst }: { readonly worst: number | undefined }): void {
    this.#worst = worst;
  }

  forget(): void {
    this.sum.clear();
  }

  get isOpen(): boolean {
    return this.#worst !== undefined;
  }

  get isBroken(): boolean {
    return this.isOpen;
  }

  windowOf(at: number): SecondsSpan | undefined {
    return isScheduled(this.#rule.schedule, this.#zone, at * 1_000) ? { from: at - this.#length, to: at } : undefined;
  }

  take(piece: Piece): Step[] {
    if (!isScheduled(this.#rule.schedule, this.#zone, piece.at * 1_000)) return this.leave(piece.at);
    this.sum.add(piece);
    return this.judge(piece.to);
  }

  tick(now: number): Step[] {
    return isScheduled(this.#rule.schedule, this.#zone, (now - GRACE_S) * 1_000) ? [] : this.leave(now);
  }

  /** Judges the present window. `at`: the end of its last level. */
  judge(at: number): Step[] {
    const { value, seconds } = this.sum;
    if (value === null) return [];
    const { quantity, min_coverage } = this.#rule;
    const isEnough = seconds >= min_coverage * this.#length;
    if (this.#tooLoud.has(value) && (isEnough || isMaximum(quantity))) return this.#over(value, at);
    if (this.isOpen && isEnough && !this.#notOver.has(value)) return this.#close(at);
    return [];
  }

  /** The schedule has ended: earlier levels are dropped. */
  leave(at: number): Step[] {
    this.sum.clear();
    return this.isOpen ? this.#close(at) : [];
  }

  #over(value: number, at: number): Step[] {
    const isOpen = this.#worst !== undefined;
    if (this.#worst !== undefined && value <= this.#worst) return [];
    this.#worst = value;
    const { valueWithin: within } = this.sum;
    // No window of this length contains a longer interval.
    const isBound = within !== null && within.to - within.from > this.#length;
    if (isOpen) return [{ kind: 'worse', value, valueAt: at, isBound }];
    return [{ kind: 'open', at, value, valueAt: at, from: at - this.#length, isBound }];
  }

  #close(at: number): Step[] {
    this.#worst = undefined;
    return [{ kind: 'close', at }];
  }
}

/** For the window of one rule. */
function slidingSum({ window, quantity }: Pick<LevelRule, 'window' | 'quantity'>): LevelSum {
  const length = windowSeconds(window);
  const percent = percentOf(quantity);
  if (percent === undefined) return new SlidingSum(length, quantity);
  return new SlidingPercentile(new SlidingCounts(length), percent);
}
