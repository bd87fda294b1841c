/** A level rule whose window always ends now. Pure. Seconds since 1970 UTC. */
import type { Piece, SecondsSpan } from '../kind.ts';
import { isScheduled } from '../rule.ts';
import { above, isMaximum, type LevelRule, opensEvent, percentOf, windowSeconds } from './level-rule.ts';
import { GRACE_S, type LevelSum, type LevelWatch, SlidingPercentile, SlidingSum, type Step } from './level-sum.ts';

export class SlidingWatch implements LevelWatch {
  readonly sum: LevelSum;
  readonly #rule: LevelRule;
  readonly #zone: string;
  readonly #length: number;
  readonly #tooLoud: (level: number) => boolean;
  /** Above the level at which an event ends. */
  readonly #notOver: (level: number) => boolean;
  #worst: number | undefined;
  #to: number | undefined;

  constructor(rule: LevelRule, zone: string) {
    this.#rule = rule;
    this.#zone = zone;
    this.#length = windowSeconds(rule.window);
    this.#tooLoud = opensEvent(rule);
    this.#notOver = above(rule.clear_db, rule.decimals);
    this.sum = slidingSum(rule);
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
    return this.#isScheduled(at) ? { from: at - this.#length, to: at } : undefined;
  }

  /**
   * Earlier levels were judged when they came; only the present window is judged again. A window that is half filled would
   * end an event that goes on.
   */
  fill(piece: Piece): Step[] {
    if (this.#isScheduled(piece.at)) this.sum.add(piece);
    else this.sum.clear();
    this.#to = piece.to;
    return [];
  }

  filled(): Step[] {
    return this.#to === undefined ? [] : this.#judge(this.#to);
  }

  take(piece: Piece): Step[] {
    if (!this.#isScheduled(piece.at)) return this.#leave(piece.at);
    this.sum.add(piece);
    return this.#judge(piece.to);
  }

  tick(now: number): Step[] {
    return this.#isScheduled(now - GRACE_S) ? [] : this.#leave(now);
  }

  #isScheduled(at: number): boolean {
    return isScheduled(this.#rule.schedule, this.#zone, at * 1_000);
  }

  #judge(at: number): Step[] {
    const { value, seconds } = this.sum;
    if (value === null) return [];
    const { quantity, min_coverage } = this.#rule;
    const isEnough = seconds >= min_coverage * this.#length;
    if (this.#tooLoud(value) && (isEnough || isMaximum(quantity))) return this.#over(value, at);
    if (this.isOpen && isEnough && !this.#notOver(value)) return this.#close(at);
    return [];
  }

  /** The schedule has ended: earlier levels are dropped. */
  #leave(at: number): Step[] {
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

function slidingSum({ window, quantity }: Pick<LevelRule, 'window' | 'quantity'>): LevelSum {
  const length = windowSeconds(window);
  const percent = percentOf(quantity);
  return percent === undefined ? new SlidingSum(length, quantity) : new SlidingPercentile(length, percent);
}
