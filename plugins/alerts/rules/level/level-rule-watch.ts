/** A level rule at a unit: its window is filled from the history first, then with new levels. */
import { messageOf } from '../../../../lib/index.ts';
import type { RuleBudget } from '../budget.ts';
import type { RuleWatch, SecondsSpan, WatchParts, Worse } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import { ClockWatch } from './clock-watch.ts';
import { windowAt } from './clock-windows.ts';
import { budgetBeingRead, budgetOf } from './level-budget.ts';
import { levelEvent, rounded } from './level-event.ts';
import type { KeptLevelRule } from './level-rule.ts';
import { piecesBetween, refillFrom } from './refill.ts';
import { SlidingWatch } from './sliding-watch.ts';
import { windowOf } from './sliding-window.ts';
import type { LevelWatch, Step } from './step.ts';

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
    else if (step.kind === 'worse') events.worse(worseOf(step));
    else events.begin(levelEvent(rule, zone, step));
  }
}

const worseOf = ({ value, valueAt, window, isBound = false }: Step & { readonly kind: 'worse' }): Worse => ({
  value: rounded(value),
  at: valueAt * 1_000,
  window: inMs(window),
  isBound,
});

const inMs = (span: SecondsSpan | undefined): SecondsSpan | undefined =>
  span && { from: span.from * 1_000, to: span.to * 1_000 };
