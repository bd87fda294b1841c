/**
 * One level rule at one unit: takes the levels as they come and says when an event opens, gets worse and ends. Pure; the times
 * of the levels are its clock, and `tick` moves its time on when there are no levels. Seconds since 1970 UTC.
 *
 * Clock-aligned Leq: its value is what the window has at least, if the rest of it were silent. So an event opens in the second
 * in which the limit is certain to be broken, and its value only grows; at the end of the window it is the Leq of the window.
 */
import { indices } from '../../../../lib/index.ts';
import { isScheduled } from '../local-time.ts';
import { cut, type Piece } from '../pieces.ts';
import { type ClockWindow, windowAt } from './clock-windows.ts';
import { isMaximum, type LevelRule, lengthOf, percentOf } from './level-rule.ts';
import { GrowingSum, type LevelSum, SlidingSum } from './level-sum.ts';

/** What happens to the event of a rule. `at`: when; `value`: dB. */
export type Step =
  | {
      readonly kind: 'open';
      readonly at: number;
      readonly value: number;
      readonly valueAt: number;
      readonly from: number;
    }
  /** It goes on in the next window, which breaks the limit, too. */
  | { readonly kind: 'further'; readonly to: number }
  /** `from`, `to`: the window that has this value; those of a sliding window are not given. */
  | {
      readonly kind: 'worse';
      readonly value: number;
      readonly valueAt: number;
      readonly window?: { readonly from: number; readonly to: number };
    }
  | { readonly kind: 'close'; readonly at: number };

/** After its end a window waits this long for late levels, seconds. */
export const GRACE_S = 30;

export class LevelWatch {
  readonly #rule: LevelRule;
  readonly #zone: string;
  readonly #percent: number | undefined;
  readonly #sum: LevelSum;
  /** The lowest level that is above the limit, and above the level at which an event ends, as they are shown. */
  readonly #tooLoud: number;
  readonly #notOver: number;
  #window: ClockWindow | undefined;
  /** The worst value of the event that is open. */
  #worst: number | undefined;
  /** Beginning of the last window that an event has covered: one window has one event. */
  #lastOpened = Number.NEGATIVE_INFINITY;
  /** End of the last level that came from the history; undefined: none did. */
  #refilledTo: number | undefined;
  /** The newest window of which levels came. */
  #newest = Number.NEGATIVE_INFINITY;

  constructor(rule: LevelRule, zone: string) {
    this.#rule = rule;
    this.#zone = zone;
    this.#percent = percentOf(rule.quantity);
    this.#tooLoud = indices.firstAbove(rule.limit_db, rule.decimals);
    this.#notOver = indices.firstAbove(rule.clear_db, rule.decimals);
    const { quantity, align, window } = rule;
    this.#sum = align === 'sliding' ? new SlidingSum(lengthOf(window), quantity) : new GrowingSum(quantity);
  }

  /** An event is known from before: it goes on while `worst` is given. `from`: the beginning of its window. */
  resume({ from, worst }: { readonly from: number; readonly worst: number | undefined }): void {
    this.#lastOpened = from;
    this.#worst = worst;
    // Its end comes also when no level does any more.
    if (worst !== undefined && this.#rule.align === 'clock')
      this.#window = windowAt(this.#zone, this.#rule.window, from * 1_000);
  }

  /** The weighting has changed: new levels cannot be added to the old ones. */
  forget(): void {
    this.#sum.clear();
  }

  get sum(): Pick<LevelSum, 'energy' | 'seconds' | 'value'> {
    return this.#sum;
  }

  /** Whether a level is above the limit, as it is shown. */
  isTooLoud(level: number): boolean {
    return indices.reachesFirst(level, this.#tooLoud);
  }

  get isOpen(): boolean {
    return this.#worst !== undefined;
  }

  /** Whether the limit is broken in the window that is on. An event may go on from the window before. */
  get isBroken(): boolean {
    return this.isOpen && (this.#rule.align === 'sliding' || this.#window?.from === this.#lastOpened * 1_000);
  }

  /** The window that the levels of `at` belong to; undefined where none is on. */
  windowOf(at: number): { readonly from: number; readonly to: number } | undefined {
    if (!isScheduled(this.#rule.schedule, this.#zone, at * 1_000)) return undefined;
    if (this.#rule.align === 'sliding') return { from: at - lengthOf(this.#rule.window), to: at };
    const { from, to, counts } = windowAt(this.#zone, this.#rule.window, at * 1_000);
    return counts ? { from: from / 1_000, to: to / 1_000 } : undefined;
  }

  take(piece: Piece): Step[] {
    return this.#rule.align === 'sliding' ? this.#slide(piece) : this.#fill(piece);
  }

  /**
   * Levels from before this watch began. Those of a sliding window were judged when they came: what is judged again is the
   * window as it is now (`settle`). A window that is only half filled would end an event that goes on.
   */
  refill(piece: Piece): Step[] {
    if (this.#rule.align === 'clock') return this.#fill(piece);
    if (isScheduled(this.#rule.schedule, this.#zone, piece.at * 1_000)) this.#sum.add(piece);
    else this.#sum.clear();
    this.#refilledTo = piece.to;
    return [];
  }

  /** After the last of them. */
  settle(): Step[] {
    return this.#refilledTo === undefined ? [] : this.#judgeSlide(this.#refilledTo);
  }

  /** Time goes on. A gap neither opens nor closes anything; the end of a window and of the schedule do. */
  tick(now: number): Step[] {
    if (this.#rule.align === 'sliding') {
      const isOver = !isScheduled(this.#rule.schedule, this.#zone, (now - GRACE_S) * 1_000);
      return isOver ? this.#leave(now) : [];
    }
    const end = this.#window && this.#window.to / 1_000;
    return end !== undefined && end + GRACE_S <= now ? this.#finish() : [];
  }

  #slide(piece: Piece): Step[] {
    if (!isScheduled(this.#rule.schedule, this.#zone, piece.at * 1_000)) return this.#leave(piece.at);
    this.#sum.add(piece);
    return this.#judgeSlide(piece.to);
  }

  #judgeSlide(at: number): Step[] {
    const { quantity } = this.#rule;
    const { value } = this.#sum;
    if (value === null) return [];
    const isEnough = this.#sum.seconds >= this.#rule.min_coverage * lengthOf(this.#rule.window);
    if (this.isTooLoud(value) && (isEnough || isMaximum(quantity))) return this.#over(value, at, at);
    if (!indices.reachesFirst(value, this.#notOver) && isEnough && this.isOpen) return this.#close(at);
    return [];
  }

  /** Forgets the levels that came so far. */
  #leave(at: number): Step[] {
    this.#sum.clear();
    return this.isOpen ? this.#close(at) : [];
  }

  /** A piece may reach over the end of a window. */
  #fill(piece: Piece): Step[] {
    const steps = this.#setBack(piece.at);
    for (let at = piece.at; at < piece.to; ) {
      const window = windowAt(this.#zone, this.#rule.window, at * 1_000);
      const present = this.#window;
      const end = Math.min(piece.to, window.to / 1_000);
      // Levels of a window that is over come too late.
      if (!present || window.from >= present.from) {
        while (this.#window && window.from > this.#window.from) steps.push(...this.#finish());
        this.#window = window;
        this.#newest = window.from / 1_000;
        if (window.counts && isScheduled(this.#rule.schedule, this.#zone, at * 1_000)) {
          this.#sum.add(cut(piece, at, end));
          steps.push(...this.#judge(end));
        }
      }
      at = end;
    }
    return steps;
  }

  /** Levels from long before the window: the wall clock was ahead and is right again. Levels that came meanwhile do not count. */
  #setBack(at: number): Step[] {
    if (at >= this.#newest - GRACE_S) return [];
    this.#newest = Number.NEGATIVE_INFINITY;
    this.#lastOpened = Number.NEGATIVE_INFINITY;
    this.#window = undefined;
    return this.#leave(at);
  }

  /** Before the end of the window: whether the limit is already certain to be broken. */
  #judge(now: number): Step[] {
    const { quantity } = this.#rule;
    const window = this.#window;
    if (!window || this.#percent !== undefined) return [];
    if (isMaximum(quantity)) {
      const { value } = this.#sum;
      return value !== null && this.isTooLoud(value) ? this.#over(value, now, this.#sum.valueAt ?? now) : [];
    }
    const { energy, seconds } = this.#sum;
    const length = (window.to - window.from) / 1_000;
    // Enough is measured for the window to count: then its mean does not include gaps.
    const isEnough = seconds >= this.#rule.min_coverage * length;
    const least = indices.levelOf(energy / (isEnough ? seconds + window.to / 1_000 - now : length));
    return this.isTooLoud(least) ? this.#over(least, now, now) : [];
  }

  /** The window has ended: its value is final. */
  #finish(): Step[] {
    const window = this.#window;
    if (!window) return [];
    const { quantity, min_coverage } = this.#rule;
    const [from, to] = [window.from / 1_000, window.to / 1_000];
    const value = window.counts ? this.#sum.value : null;
    const isEnough = this.#sum.seconds >= min_coverage * (to - from);
    const at = isMaximum(quantity) ? (this.#sum.valueAt ?? to) : to;
    const steps = value !== null && this.isTooLoud(value) && isEnough ? this.#over(value, to, at) : [];
    this.#sum.clear();
    this.#window = this.isOpen && this.#lastOpened === from ? this.#goesOnIn(window) : undefined;
    // A window that was not broken ends the event of those before it.
    if (this.isOpen && !this.#window) steps.push(...this.#close(this.#lastOpened < from ? from : to));
    return steps;
  }

  /** The window after this one, if an event may go on in it. */
  #goesOnIn({ to }: ClockWindow): ClockWindow | undefined {
    if (!this.#rule.continue || !isScheduled(this.#rule.schedule, this.#zone, to)) return undefined;
    const next = windowAt(this.#zone, this.#rule.window, to);
    return next.counts ? next : undefined;
  }

  #over(value: number, at: number, valueAt: number): Step[] {
    if (this.#worst !== undefined) return this.#goesOn(this.#worst, value, valueAt);
    const from = this.#rule.align === 'sliding' ? at - lengthOf(this.#rule.window) : (this.#window?.from ?? 0) / 1_000;
    if (this.#rule.align === 'clock' && from <= this.#lastOpened) return [];
    this.#lastOpened = from;
    this.#worst = value;
    return [{ kind: 'open', at, value, valueAt, from }];
  }

  #goesOn(worst: number, value: number, valueAt: number): Step[] {
    const steps: Step[] = [];
    const window = this.#rule.align === 'clock' ? this.#window : undefined;
    const span = window && { from: window.from / 1_000, to: window.to / 1_000 };
    if (span && span.from > this.#lastOpened) {
      this.#lastOpened = span.from;
      steps.push({ kind: 'further', to: span.to });
    }
    if (value > worst) {
      this.#worst = value;
      steps.push({ kind: 'worse', value, valueAt, ...(span && { window: span }) });
    }
    return steps;
  }

  #close(at: number): Step[] {
    this.#worst = undefined;
    return [{ kind: 'close', at }];
  }
}
