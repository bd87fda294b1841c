/**
 * A level rule whose windows follow one after the other. For Leq, the value of a window is the least that it can have,
 * as if the rest of it were silent. So an event opens in the second in which the limit is certain to be exceeded, and its
 * value only grows. At the end of the window the value is its Leq. Pure. Seconds since 1970 UTC.
 */
import { indices } from '../../../../lib/index.ts';
import type { SecondsSpan } from '../kind.ts';
import { cut, type Piece } from '../pieces.ts';
import { isScheduled } from '../rule.ts';
import { type ClockWindow, windowAt } from './clock-windows.ts';
import { isMaximum, type LevelRule, percentOf } from './level-rule.ts';
import { type Above, GRACE_S, growingSum, type LevelSum, type LevelWatch, opensEvent, type Step } from './level-sum.ts';

/** Windows that are aligned to the clock of the unit. */
export class ClockWatch implements LevelWatch {
  readonly sum: LevelSum;
  readonly #rule: LevelRule;
  readonly #zone: string;
  readonly #percent: number | undefined;
  readonly #tooLoud: Above;
  #window: ClockWindow | undefined;
  /** The worst value of the open event. */
  #worst: number | undefined;
  /** Beginning of the last window that an event has covered: one window has one event. */
  #lastOpened = Number.NEGATIVE_INFINITY;
  /** The newest window with levels. */
  #newest = Number.NEGATIVE_INFINITY;

  constructor(rule: LevelRule, zone: string) {
    this.#rule = rule;
    this.#zone = zone;
    this.#percent = percentOf(rule.quantity);
    this.#tooLoud = opensEvent(rule);
    this.sum = growingSum(rule);
  }

  resume({ from, worst }: { readonly from: number; readonly worst: number | undefined }): void {
    this.#lastOpened = from;
    this.#worst = worst;
    // The window must end even if no further levels come.
    if (worst !== undefined) this.#window = windowAt(this.#zone, this.#rule, from * 1_000);
  }

  forget(): void {
    this.sum.clear();
  }

  get isOpen(): boolean {
    return this.#worst !== undefined;
  }

  get isBroken(): boolean {
    return this.isOpen && this.#window?.from === this.#lastOpened * 1_000;
  }

  windowOf(at: number): SecondsSpan | undefined {
    if (!isScheduled(this.#rule.schedule, this.#zone, at * 1_000)) return undefined;
    const { from, to, counts } = windowAt(this.#zone, this.#rule, at * 1_000);
    return counts ? { from: from / 1_000, to: to / 1_000 } : undefined;
  }

  tick(now: number): Step[] {
    const steps: Step[] = [];
    while (this.#window && this.#window.to / 1_000 + GRACE_S <= now) steps.push(...this.#finish());
    return steps;
  }

  /** A piece may reach over the end of a window. */
  take(piece: Piece): Step[] {
    const steps = this.#setBack(piece.at);
    for (let at = piece.at; at < piece.to; ) {
      const window = windowAt(this.#zone, this.#rule, at * 1_000);
      const present = this.#window;
      const end = Math.min(piece.to, window.to / 1_000);
      // Levels of a window that has ended come too late.
      if (!present || window.from >= present.from) {
        while (this.#window && window.from > this.#window.from) steps.push(...this.#finish());
        this.#window = window;
        this.#newest = window.from / 1_000;
        if (window.counts && isScheduled(this.#rule.schedule, this.#zone, at * 1_000)) {
          this.sum.add(cut(piece, at, end));
          steps.push(...this.#judge(end));
        }
      }
      at = end;
    }
    return steps;
  }

  /** The levels are from long before the window: the wall clock was ahead and is right again. Levels from between do not count. */
  #setBack(at: number): Step[] {
    if (at >= this.#newest - GRACE_S) return [];
    this.#newest = Number.NEGATIVE_INFINITY;
    this.#lastOpened = Number.NEGATIVE_INFINITY;
    this.#window = undefined;
    this.sum.clear();
    return this.isOpen ? this.#close(at) : [];
  }

  /** Before the end of the window: checks whether the limit is already certain to be exceeded. */
  #judge(now: number): Step[] {
    const { quantity } = this.#rule;
    const window = this.#window;
    if (!window || this.#percent !== undefined) return [];
    if (isMaximum(quantity)) {
      const { value } = this.sum;
      return value !== null && this.#tooLoud.has(value) ? this.#over(value, now, this.sum.valueAt ?? now) : [];
    }
    const { energy, seconds } = this.sum;
    const length = (window.to - window.from) / 1_000;
    // With this much measured time the window counts, and its mean does not include gaps.
    const isEnough = seconds >= this.#rule.min_coverage * length;
    const least = indices.levelOf(energy / (isEnough ? seconds + window.to / 1_000 - now : length));
    return this.#tooLoud.has(least) ? this.#over(least, now, now) : [];
  }

  /** The window has ended: its value is final. */
  #finish(): Step[] {
    const window = this.#window;
    if (!window) return [];
    const { quantity, min_coverage } = this.#rule;
    const [from, to] = [window.from / 1_000, window.to / 1_000];
    const value = window.counts ? this.sum.value : null;
    const isEnough = this.sum.seconds >= min_coverage * (to - from);
    const at = isMaximum(quantity) ? (this.sum.valueAt ?? to) : to;
    const steps = value !== null && this.#tooLoud.has(value) && isEnough ? this.#over(value, to, at) : [];
    this.sum.clear();
    this.#window = this.isOpen && this.#lastOpened === from ? this.#goesOnIn(window) : undefined;
    // A window below the limit ends the event of the windows before it.
    if (this.isOpen && !this.#window) steps.push(...this.#close(this.#lastOpened < from ? from : to));
    return steps;
  }

  /** The window after this window, if an event may go on there. */
  #goesOnIn({ to }: ClockWindow): ClockWindow | undefined {
    if (!this.#rule.continue || !isScheduled(this.#rule.schedule, this.#zone, to)) return undefined;
    const next = windowAt(this.#zone, this.#rule, to);
    return next.counts ? next : undefined;
  }

  #over(value: number, at: number, valueAt: number): Step[] {
    if (this.#worst !== undefined) return this.#goesOn(this.#worst, value, valueAt);
    const from = (this.#window?.from ?? 0) / 1_000;
    if (from <= this.#lastOpened) return [];
    this.#lastOpened = from;
    this.#worst = value;
    return [{ kind: 'open', at, value, valueAt, from, isBound: this.#isBound }];
  }

  #goesOn(worst: number, value: number, valueAt: number): Step[] {
    const steps: Step[] = [];
    const span = this.#window && { from: this.#window.from / 1_000, to: this.#window.to / 1_000 };
    if (span && span.from > this.#lastOpened) {
      this.#lastOpened = span.from;
      steps.push({ kind: 'further', to: span.to });
    }
    if (value > worst) {
      this.#worst = value;
      steps.push({ kind: 'worse', value, valueAt, isBound: this.#isBound, ...(span && { window: span }) });
    }
    return steps;
  }

  /** Whether the true place of the maximum may be outside the window. */
  get #isBound(): boolean {
    const { valueWithin: within } = this.sum;
    const { from, to } = this.#window ?? { from: 0, to: 0 };
    return within !== null && (within.from * 1_000 < from || within.to * 1_000 > to);
  }

  #close(at: number): Step[] {
    this.#worst = undefined;
    return [{ kind: 'close', at }];
  }
}
