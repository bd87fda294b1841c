/**
 * A level rule at a unit: its window is filled from the history first, then with new levels. And its event, found while
 * it happened or later in the levels of the card.
 */
import { indices, messageOf, type Sentence } from '../../../../lib/index.ts';
import type { RuleBudget } from '../budget.ts';
import type { EventStage, Opening, Replayed, RuleWatch, SecondsSpan, WatchParts, Worse } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import { spaced } from '../rule.ts';
import { eventWords, sentence } from '../sentences.ts';
import { ClockWatch, windowAt } from './clock-watch.ts';
import { channelOf, isMaximum, type KeptLevelRule, type LevelRule, levelWords, percentOf } from './level-rule.ts';
import { aboveLimit, GRACE_S, type LevelWatch, type Step } from './level-sum.ts';
import { piecesBetween, refillFrom } from './refill.ts';
import { SlidingWatch, windowOf } from './sliding-watch.ts';

/** The window and the value of an event. */
export interface Found {
  /** Beginning of its window. Seconds. */
  readonly from: number;
  readonly at: number;
  readonly value: number;
  readonly valueAt: number;
  /** The value is the maximum of a row that reaches over an end of the window. Its true place may be outside. */
  readonly isBound?: boolean;
  /** For an event over several windows of the clock. */
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
  if (amber !== undefined && !aboveLimit(rule).has(value))
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

/** Two decimals. */
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

/**
 * The noise that a level rule still allows in the present window. The answer after a start, until the earlier levels
 * of the window are read: without them the value would be too low.
 */
function budgetBeingRead(
  rule: LevelRule & { readonly id: string },
  watch: LevelWatch,
  now: number,
): RuleBudget | undefined {
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
): RuleBudget | undefined {
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
  const noVerdict: RuleBudget = { ...common, remaining_may_average_db: null, will_exceed_at: null, state: 'no_data' };
  const isOver = isBroken || (!isMean(quantity) && value !== null && aboveLimit(rule).has(value));
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

/** Judges no level before the history has answered. */
export const levelRuleWatch = (rule: KeptLevelRule, parts: WatchParts): RuleWatch =>
  rule.align === 'sliding' ? slidingRuleWatch(rule, parts) : new ClockRuleWatch(rule, parts);

function slidingRuleWatch(rule: KeptLevelRule, parts: WatchParts): RuleWatch {
  const window = windowOf(rule, parts);
  const watch = resumed(new SlidingWatch(rule, parts.zone, window.sumFor(rule.quantity)), rule, parts);
  const apply = (steps: readonly Step[]) => publish(steps, rule, parts);
  const leave = window.join({ judge: (at) => apply(watch.judge(at)), leave: (at) => apply(watch.leave(at)) });
  return {
    level: (piece) => window.take(piece),
    tick: (now) => window.isFilled && apply(watch.tick(now)),
    forget: () => window.forget(),
    budget: (now, goingOn) =>
      window.isFilled ? budgetOf(rule, watch, now, goingOn) : budgetBeingRead(rule, watch, now),
    stop: leave,
  };
}

class ClockRuleWatch implements RuleWatch {
  readonly #rule: KeptLevelRule;
  readonly #parts: WatchParts;
  readonly #watch: LevelWatch;
  /** Levels that come while the history is read; undefined: the history has been read. */
  #held: Piece[] | undefined = [];
  #stopped = false;

  constructor(rule: KeptLevelRule, parts: WatchParts) {
    this.#rule = rule;
    this.#parts = parts;
    this.#watch = resumed(new ClockWatch(rule, parts.zone), rule, parts);
    void this.#refill();
  }

  level(piece: Piece): void {
    if (this.#held) this.#held.push(piece);
    else this.#apply(this.#watch.take(piece));
  }

  tick(now: number): void {
    if (!this.#held) this.#apply(this.#watch.tick(now));
  }

  forget(): void {
    this.#watch.forget();
    if (this.#held) this.#held = [];
  }

  budget(now: number, goingOn: number | null): RuleBudget | undefined {
    if (this.#held) return budgetBeingRead(this.#rule, this.#watch, now);
    return budgetOf(this.#rule, this.#watch, now, goingOn);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** If the history cannot be read, the rule goes on with new levels only. */
  async #refill(): Promise<void> {
    const { clock, log, signal, unitId, zone } = this.#parts;
    const rule = this.#rule;
    const to = Math.floor(clock.now() / 1_000);
    const from = refillFrom(rule, zone, to);
    try {
      for await (const piece of piecesBetween(this.#parts, { unitId, rule, from, to })) {
        if (this.#stopped) return;
        this.#apply(this.#watch.take(piece));
      }
    } catch (error) {
      const about = { unit_id: unitId, rule: rule.id, reason: messageOf(error) };
      if (!signal.aborted) log.warn(about, 'a window begins without its earlier levels');
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#stopped) return;
    for (const piece of held) if (piece.at >= to) this.#apply(this.#watch.take(piece));
  }

  #apply(steps: readonly Step[]): void {
    publish(steps, this.#rule, this.#parts);
  }
}

/** Goes on with the event from before the restart. */
function resumed<Watch extends LevelWatch>(watch: Watch, rule: KeptLevelRule, parts: WatchParts): Watch {
  const { lastWindow, open, clock, zone } = parts;
  if (lastWindow !== undefined)
    watch.resume({
      // Not later than now: the wall clock may have been ahead then.
      from: windowAt(zone, rule, Math.min(lastWindow - 1, clock.now())).from / 1_000,
      worst: open ? (open.worst ?? rule.limit_db) : undefined,
    });
  return watch;
}

function publish(steps: readonly Step[], rule: KeptLevelRule, { events, zone }: WatchParts): void {
  for (const step of steps) {
    if (step.kind === 'close') events.end(step.at * 1_000);
    else if (step.kind === 'further') events.further(step.to * 1_000);
    else if (step.kind === 'worse') events.worse(worseOf(rule, step));
    else events.begin(levelEvent(rule, zone, step));
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
