/** A level rule at a unit: fills its window from the history first, then takes the levels as they come. */
import { messageOf } from '../../../../lib/index.ts';
import type { Budget } from '../budget.ts';
import type { RuleWatch, Span, WatchParts } from '../kind.ts';
import type { Piece } from '../pieces.ts';
import { windowAt } from './clock-windows.ts';
import { budgetBeingRead, budgetOf } from './level-budget.ts';
import { levelEvent, rounded } from './level-event.ts';
import type { KeptLevelRule } from './level-rule.ts';
import { LevelWatch, type Step } from './level-watch.ts';
import { piecesBetween, refillFrom } from './refill.ts';

export class LevelRuleWatch implements RuleWatch {
  readonly #rule: KeptLevelRule;
  readonly #parts: WatchParts;
  readonly #watch: LevelWatch;
  /** Levels that come while the history is read; undefined: it has been. */
  #held: Piece[] | undefined = [];
  #stopped = false;

  constructor(rule: KeptLevelRule, parts: WatchParts) {
    this.#rule = rule;
    this.#parts = parts;
    this.#watch = new LevelWatch(rule, parts.zone);
    const { lastWindow, open, clock } = parts;
    if (lastWindow !== undefined)
      this.#watch.resume({
        // Not later than now: the wall clock may have been ahead then.
        from: windowAt(parts.zone, rule.window, Math.min(lastWindow - 1, clock.now())).from / 1_000,
        worst: open ? (open.worst ?? rule.limit_db) : undefined,
      });
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
  }

  budget(now: number, goingOn: number | null): Budget | undefined {
    if (this.#held) return budgetBeingRead(this.#rule, this.#watch, now);
    return budgetOf(this.#rule, this.#watch, now, goingOn);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** If the history cannot be read, the rule goes on with new levels only. */
  async #refill(): Promise<void> {
    const { clock, history, log, signal, unitId, zone } = this.#parts;
    const rule = this.#rule;
    const to = Math.floor(clock.now() / 1_000);
    const from = refillFrom(rule, zone, to);
    try {
      for await (const piece of piecesBetween(history, { unitId, rule, from, to }, signal))
        if (!this.#stopped) this.#apply(this.#watch.refill(piece));
    } catch (error) {
      if (!signal.aborted)
        log.warn(
          { unit_id: unitId, rule: rule.id, reason: messageOf(error) },
          'a window begins without its earlier levels',
        );
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#stopped) return;
    this.#apply(this.#watch.settle());
    for (const piece of held) if (piece.at >= to) this.#apply(this.#watch.take(piece));
  }

  #apply(steps: readonly Step[]): void {
    const { events, zone } = this.#parts;
    for (const step of steps) {
      if (step.kind === 'close') events.end(step.at * 1_000);
      else if (step.kind === 'further') events.further(step.to * 1_000);
      else if (step.kind === 'worse') events.worse(rounded(step.value), step.valueAt * 1_000, inMs(step.window));
      else events.begin(levelEvent(this.#rule, zone, step));
    }
  }
}

const inMs = (span: Span | undefined): Span | undefined => span && { from: span.from * 1_000, to: span.to * 1_000 };
