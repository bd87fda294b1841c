/** A level rule whose window always ends now. Pure. Seconds since 1970 UTC. */
import { messageOf } from '../../../../lib/index.ts';
import type { SecondsSpan, WatchParts } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import { isScheduled } from '../rule.ts';
import {
  channelOf,
  isMaximum,
  type KeptLevelRule,
  type LevelRule,
  leavesOut,
  percentOf,
  windowSeconds,
} from './level-rule.ts';
import { Above, GRACE_S, type LevelSum, type LevelWatch, opensEvent, type Step } from './level-sum.ts';
import { piecesBetween, refillFrom } from './refill.ts';
import { SlidingCounts, SlidingPercentile, SlidingSum } from './sliding-sum.ts';

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
    this.#tooLoud = opensEvent(rule);
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

/** A rule that looks at the window. Times in seconds since 1970 UTC. */
interface Looking {
  judge(at: number): void;
  leave(at: number): void;
}

/** The windows of each unit, as long as rules look at them. */
const known = new WeakMap<object, Map<string, SlidingWindow>>();

/**
 * The levels of a sliding window at a unit, shared by all rules with this window: read from the history once, each
 * second added once. Any of the rules may bring a level first; then all of them are judged.
 *
 * The window of a rule: shared with other rules of the same window.
 */
export function windowOf(rule: KeptLevelRule, parts: WatchParts): SlidingWindow {
  const windows = known.get(parts.unit) ?? new Map<string, SlidingWindow>();
  known.set(parts.unit, windows);
  const { quantity, window, schedule } = rule;
  const level = percentOf(quantity) === undefined ? quantity : 'lp';
  const key = JSON.stringify([level, channelOf(rule), window, schedule, parts.zone, leavesOut(rule)]);
  const found = windows.get(key) ?? new SlidingWindow(rule, parts, () => void windows.delete(key));
  windows.set(key, found);
  return found;
}

class SlidingWindow {
  readonly #rule: KeptLevelRule;
  readonly #parts: WatchParts;
  readonly #levels: SlidingSum | SlidingCounts;
  readonly #looking = new Set<Looking>();
  readonly #onEmpty: () => void;
  /** Levels that come while the history is read; undefined: the history has been read. */
  #held: Piece[] | undefined = [];
  #last: Piece | undefined;
  /** The end of the newest level. */
  #to: number | undefined;

  /** `rule`: the first rule of the window. `onEmpty`: called when the last rule has left. */
  constructor(rule: KeptLevelRule, parts: WatchParts, onEmpty: () => void) {
    this.#rule = rule;
    this.#parts = parts;
    this.#onEmpty = onEmpty;
    const length = windowSeconds(rule.window);
    const isPercentile = percentOf(rule.quantity) !== undefined;
    this.#levels = isPercentile ? new SlidingCounts(length) : new SlidingSum(length, rule.quantity);
    void this.#refill();
  }

  /** The sum that a rule about this quantity reads. */
  sumFor(quantity: string): LevelSum {
    if (this.#levels instanceof SlidingSum) return this.#levels;
    return new SlidingPercentile(this.#levels, percentOf(quantity) ?? 0);
  }

  /** Whether the history has been read. */
  get isFilled(): boolean {
    return this.#held === undefined;
  }

  /** Adds a rule. The returned function removes it. */
  join(rule: Looking): () => void {
    this.#looking.add(rule);
    if (this.isFilled && this.#to !== undefined) rule.judge(this.#to);
    return () => {
      this.#looking.delete(rule);
      if (this.#looking.size === 0) this.#onEmpty();
    };
  }

  /** Each of the rules may bring the same level. */
  take(piece: Piece): void {
    if (piece === this.#last) return;
    this.#last = piece;
    if (this.#held) this.#held.push(piece);
    else if (this.#add(piece)) for (const rule of this.#looking) rule.judge(piece.to);
    else for (const rule of this.#looking) rule.leave(piece.at);
  }

  forget(): void {
    this.#levels.clear();
    if (this.#held) this.#held = [];
  }

  /** False: the time is outside the schedule, and earlier levels were dropped. */
  #add(piece: Piece): boolean {
    const isOn = isScheduled(this.#rule.schedule, this.#parts.zone, piece.at * 1_000);
    if (isOn) this.#levels.add(piece);
    else this.#levels.clear();
    this.#to = piece.to;
    return isOn;
  }

  /**
   * Earlier levels were judged when they came; only the present window is judged again. A window that is half filled would
   * end an event that goes on. If the history cannot be read, the window starts with new levels only.
   */
  async #refill(): Promise<void> {
    const { clock, log, signal, unitId, zone } = this.#parts;
    const rule = this.#rule;
    const to = Math.floor(clock.now() / 1_000);
    const from = refillFrom(rule, zone, to);
    try {
      for await (const piece of piecesBetween(this.#parts, { unitId, rule, from, to })) {
        if (this.#looking.size === 0) return;
        this.#add(piece);
      }
    } catch (error) {
      const about = { unit_id: unitId, rule: rule.id, reason: messageOf(error) };
      if (!signal.aborted) log.warn(about, 'a window begins without its earlier levels');
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#last = undefined;
    if (this.#to !== undefined) for (const one of this.#looking) one.judge(this.#to);
    for (const piece of held) if (piece.at >= to) this.take(piece);
  }
}
