/**
 * A level rule at a unit: its window is filled from the history first, then with new levels. And its event, found while
 * it happened or later in the levels of the card.
 */
import type { Budget } from '../../../../client/schemas.ts';
import { indices, type Sentence } from '../../../../lib/built-in.ts';
import { messageOf } from '../../../../lib/index.ts';
import type { EventStage, Opening, Piece, Replayed, RuleWatch, SecondsSpan, WatchParts, Worse } from '../kind.ts';
import { spaced } from '../rule.ts';
import { eventWords, sentence } from '../sentences.ts';
import { windowAt } from './clock-watch.ts';
import {
  aboveLimit,
  channelOf,
  isMaximum,
  type KeptLevelRule,
  type LevelRule,
  levelWords,
  percentOf,
} from './level-rule.ts';
import { GRACE_S, type LevelWatch, type Step } from './level-sum.ts';
import { type RefillRule, refillFrom, takeBetween } from './refill.ts';
import { levelWatch } from './replay.ts';

export interface Found {
  /** Beginning of its window. Seconds. */
  readonly from: number;
  readonly at: number;
  readonly value: number;
  readonly valueAt: number;
  /** The value is the maximum of a row that reaches over an end of the window. Its true place may be outside. */
  readonly isBound?: boolean;
  readonly windows?: Replayed['windows'];
}

/** The words and values of an event, as they are stored. */
export function levelEvent(
  rule: LevelRule,
  zone: string,
  { from, at, value, valueAt, isBound = false, windows }: Found,
): Opening {
  const windowFrom = from * 1_000;
  const firstTo = rule.align === 'clock' ? windowAt(zone, rule, windowFrom).to : at * 1_000;
  const worst = {
    worstFrom: windows?.worst ? windows.worst.from * 1_000 : windowFrom,
    worstTo: windows?.worst ? windows.worst.to * 1_000 : firstTo,
  };
  return {
    what: rule.quantity,
    channel: channelOf(rule),
    ...stageOf(rule, value, isBound),
    windowFrom,
    windowTo: windows ? windows.to * 1_000 : firstTo,
    windows: { count: windows?.count ?? 1, ...worst, ...(isBound && { isBound }) },
    openedAt: at * 1_000,
    worst: rounded(value),
    worstAt: valueAt * 1_000,
  };
}

/** The level that is reached, and its words. A rule with a warning level has two stages, each with its severity. */
function stageOf(rule: LevelRule, value: number, isBound = false): EventStage {
  const { amber_db: amber, limit_db: limit } = rule;
  const about = { level: levelWords(rule), window: windowWords(rule), limit, value: rounded(value) };
  if (amber !== undefined && !aboveLimit(rule)(value))
    return {
      severity: 'warning',
      limitValue: amber,
      ...eventWords(sentence(isBound ? 'level_may_be_near_limit' : 'level_near_limit', { ...about, warning: amber })),
    };
  return {
    ...(amber !== undefined && { severity: 'critical' as const }),
    limitValue: limit,
    ...eventWords(sentence(isBound ? 'level_may_be_above' : 'level_above', about)),
  };
}

/** `15 min`, `the last 15 min`, `the night`, `the time from 06:00 to 22:00`. */
export function windowWords({
  window,
  align,
  schedule = [],
}: Pick<LevelRule, 'window' | 'align' | 'schedule'>): Sentence {
  if (window === 'scheduled') {
    const [first, ...others] = new Map(schedule.map((one) => [`${one.from} ${one.to}`, one])).values();
    return first && others.length === 0 ? sentence('times', { from: first.from, to: first.to }) : sentence('scheduled');
  }
  if (window === 'day' || window === 'evening' || window === 'night') return sentence(window);
  return sentence(align === 'sliding' ? 'last_time' : 'time', { time: spaced(window) });
}

export const rounded = (level: number): number => Math.round(level * 100) / 100;

/** Only a mean over a window that ends has a budget. */
function noteOf({ quantity, align }: LevelRule): string | null {
  if (isMaximum(quantity)) return 'A maximum has no budget: one loud sound breaks the limit.';
  if (percentOf(quantity) !== undefined) return 'A percentile has no budget: it is known at the end of its window.';
  return align === 'sliding' ? 'A sliding window has no budget: it has no end.' : null;
}

const isMean = (quantity: string): boolean => !isMaximum(quantity) && percentOf(quantity) === undefined;
const roundedOrNull = (level: number | null): number | null => (level === null ? null : Math.round(level * 100) / 100);
const iso = (seconds: number): string => new Date(Math.round(seconds * 1_000)).toISOString();

const BEING_READ = 'The levels of this window are being read from the history.';

/** Until the earlier levels of the window are read, the values would be too low. */
function budgetBeingRead(
  rule: LevelRule & { readonly id: string },
  watch: LevelWatch,
  now: number,
): Budget | undefined {
  const budget = budgetOf(rule, watch, now, null);
  const unknown = { measured_s: 0, leq_so_far: null, remaining_may_average_db: null, will_exceed_at: null };
  return budget && { ...budget, ...unknown, note: BEING_READ, state: 'no_data' };
}

/** The measured time that is missing to judge the window; undefined: enough. A maximum needs no further time. */
function lackOf({ quantity, min_coverage }: LevelRule, measured: number, window: SecondsSpan) {
  const needed = min_coverage * (window.to - window.from);
  if (isMaximum(quantity) || measured >= needed) return undefined;
  const words = `Too little is measured to judge this window: ${Math.floor(measured)} s of the ${Math.ceil(needed)} s that the rule needs.`;
  return { needed, words };
}

/** Undefined while no window is open. `now`: seconds; `goingOn`: the Leq of the last five minutes. */
export function budgetOf(
  rule: LevelRule & { readonly id: string },
  watch: LevelWatch,
  now: number,
  goingOn: number | null,
): Budget | undefined {
  const window = watch.windowOf(now);
  if (!window) return undefined;
  const { quantity, limit_db } = rule;
  const { value } = watch.sum;
  const common = {
    rule: rule.id,
    name: rule.name,
    quantity,
    channel: channelOf(rule),
    limit_db,
    window_from: iso(window.from),
    window_to: iso(window.to),
    elapsed_s: Math.round(now - window.from),
    measured_s: Math.round(watch.sum.seconds * 10) / 10,
    leq_so_far: roundedOrNull(value),
    note: noteOf(rule),
  };
  // An event that warns has not broken the limit.
  const isBroken = rule.amber_db === undefined && watch.isBroken;
  const lack = isBroken ? undefined : lackOf(rule, watch.sum.seconds, window);
  const noVerdict: Budget = { ...common, remaining_may_average_db: null, will_exceed_at: null, state: 'no_data' };
  const isOver = isBroken || (!isMean(quantity) && value !== null && aboveLimit(rule)(value));
  const isEmpty = value === null && now - window.from >= GRACE_S && !isOver;
  if (isEmpty) return noVerdict;
  const canBeEnough = lack === undefined || watch.sum.seconds + window.to - now >= lack.needed;
  if (lack && (!canBeEnough || (isOver && common.note !== null))) return { ...noVerdict, note: lack.words };
  if (common.note !== null)
    return { ...common, remaining_may_average_db: null, will_exceed_at: null, state: isOver ? 'exceeded' : 'ok' };
  const left = indices.budget({
    limit: limit_db,
    exceededFrom: indices.firstAbove(limit_db, rule.decimals),
    windowS: window.to - window.from,
    elapsedS: now - window.from,
    leq: value,
    measuredS: watch.sum.seconds,
    // Only Leq has a forecast.
    goingOn: quantity === 'leq' ? goingOn : null,
  });
  if (lack && left.exceeded) return { ...noVerdict, note: lack.words };
  const { willExceedInS } = left;
  return {
    ...common,
    remaining_may_average_db: roundedOrNull(left.remainingMayAverage),
    will_exceed_at: willExceedInS === null ? null : iso(now + willExceedInS),
    state: left.exceeded ? 'exceeded' : willExceedInS === null ? 'ok' : 'warning',
  };
}

/** A watch that begins with the levels of the history. New levels wait until these are read. */
export abstract class RefilledWatch implements RuleWatch {
  protected readonly parts: WatchParts;
  /** Undefined: the history has been read. */
  #held: Piece[] | undefined = [];
  #isStopped = false;

  constructor(parts: WatchParts) {
    this.parts = parts;
  }

  protected abstract fill(piece: Piece): void;
  protected abstract take(piece: Piece): void;
  protected abstract pass(now: number): void;
  protected filled(): void {}

  protected get isFilled(): boolean {
    return this.#held === undefined;
  }

  level(piece: Piece): void {
    if (this.#held) this.#held.push(piece);
    else this.take(piece);
  }

  tick(now: number): void {
    if (this.isFilled) this.pass(now);
  }

  /** Levels that wait do not count. */
  protected dropHeld(): void {
    if (this.#held) this.#held = [];
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** If the history cannot be read, the rule goes on with new levels only. */
  protected async refill(id: string, rule: RefillRule, from: number): Promise<void> {
    const { clock, log, signal, unitId } = this.parts;
    const to = Math.floor(clock.now() / 1_000);
    try {
      await takeBetween(this.parts, { unitId, rule, from, to }, (piece) => {
        if (!this.#isStopped) this.fill(piece);
        return !this.#isStopped;
      });
      if (this.#isStopped) return;
    } catch (error) {
      const about = { unit_id: unitId, rule: id, reason: messageOf(error) };
      if (!signal.aborted) log.warn(about, 'a window begins without its earlier levels');
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#isStopped) return;
    this.filled();
    for (const piece of held) if (piece.at >= to) this.take(piece);
  }
}

/** Judges no level before the history has answered. */
export class LevelRuleWatch extends RefilledWatch {
  readonly #rule: KeptLevelRule;
  readonly #watch: LevelWatch;

  constructor(rule: KeptLevelRule, parts: WatchParts) {
    super(parts);
    const { lastWindow, open, clock, zone } = parts;
    this.#rule = rule;
    this.#watch = levelWatch(rule, zone);
    if (lastWindow !== undefined)
      this.#watch.resume({
        // Not later than now: the wall clock may have been ahead then.
        from: windowAt(zone, rule, Math.min(lastWindow - 1, clock.now())).from / 1_000,
        worst: open ? (open.worst ?? rule.limit_db) : undefined,
      });
    void this.refill(rule.id, rule, refillFrom(rule, zone, Math.floor(clock.now() / 1_000)));
  }

  forget(): void {
    this.dropHeld();
    this.#watch.forget();
  }

  budget(now: number, goingOn: number | null): Budget | undefined {
    if (!this.isFilled) return budgetBeingRead(this.#rule, this.#watch, now);
    return budgetOf(this.#rule, this.#watch, now, goingOn);
  }

  protected fill(piece: Piece): void {
    this.#apply(this.#watch.fill(piece));
  }

  protected override filled(): void {
    this.#apply(this.#watch.filled());
  }

  protected take(piece: Piece): void {
    this.#apply(this.#watch.take(piece));
  }

  protected pass(now: number): void {
    this.#apply(this.#watch.tick(now));
  }

  #apply(steps: readonly Step[]): void {
    const { events, zone } = this.parts;
    for (const step of steps) {
      if (step.kind === 'close') events.end(step.at * 1_000);
      else if (step.kind === 'further') events.further(step.to * 1_000);
      else if (step.kind === 'worse') events.worse(worseOf(this.#rule, step));
      else events.begin(levelEvent(this.#rule, zone, step));
    }
  }
}

const worseOf = (
  rule: LevelRule,
  { value, valueAt, window, isBound = false }: Step & { readonly kind: 'worse' },
): Worse => ({
  ...(rule.amber_db !== undefined && { stage: stageOf(rule, value, isBound) }),
  value: rounded(value),
  at: valueAt * 1_000,
  window: inMs(window),
  isBound,
});

const inMs = (span: SecondsSpan | undefined): SecondsSpan | undefined =>
  span && { from: span.from * 1_000, to: span.to * 1_000 };
