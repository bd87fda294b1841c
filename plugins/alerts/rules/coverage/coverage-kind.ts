/** Rules about the measurement itself: the share of a window that has levels. They report gaps, which other rules do not judge. */
import { messageOf } from '../../../../lib/index.ts';
import type { RuleKind, RuleWatch, WatchParts } from '../kind.ts';
import { windowAt, windowProblems } from '../level/clock-windows.ts';
import { windowWords } from '../level/level-event.ts';
import { piecesBetween, refillFrom } from '../level/refill.ts';
import type { Piece } from '../pieces.ts';
import { COVERAGE_FORM, type CoverageFields, type KeptCoverageRule } from './coverage-rule.ts';
import { type CoverageStep, CoverageWatch } from './coverage-watch.ts';

/** Rules of the kind `coverage`. */
export const coverageKind: RuleKind<CoverageFields> = {
  name: 'coverage',
  title: 'gaps in the measurement',
  fields: COVERAGE_FORM,
  problems: windowProblems,
  needs: () => ({ history: 'poll' }),
  words: ({ least_percent, ...rule }) =>
    `Less than ${least_percent} % of ${windowWords({ ...rule, align: 'clock' })} measured`,
  unitOf: () => '%',
  watch: (rule, parts) => new CoverageRuleWatch(rule, parts),
  noPreview: 'GET history shows the coverage of each row',
};

class CoverageRuleWatch implements RuleWatch {
  readonly #rule: KeptCoverageRule;
  readonly #parts: WatchParts;
  readonly #watch: CoverageWatch;
  /** Levels that come while the history is read; undefined: the history has been read. */
  #held: Piece[] | undefined = [];
  #stopped = false;

  constructor(rule: KeptCoverageRule, parts: WatchParts) {
    this.#rule = rule;
    this.#parts = parts;
    this.#watch = new CoverageWatch(rule, parts.zone);
    const { open, lastWindow, zone } = parts;
    if (lastWindow !== undefined)
      this.#watch.resume(open ? (open.worst ?? 0) : undefined, windowAt(zone, rule, lastWindow - 1).from);
    void this.#refill();
  }

  level(piece: Piece): void {
    if (this.#held) this.#held.push(piece);
    else this.#apply(this.#watch.take(piece));
  }

  tick(now: number): void {
    if (!this.#held) this.#apply(this.#watch.tick(now));
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Reads the levels of this window and of the window before it from the history. */
  async #refill(): Promise<void> {
    const { clock, log, signal, unitId, zone } = this.#parts;
    const { id, window, changedAt } = this.#rule;
    const levels = { quantity: 'leq', align: 'clock', window, changedAt } as const;
    const to = Math.floor(clock.now() / 1_000);
    const from = refillFrom(levels, zone, to);
    this.#watch.begin(from);
    try {
      for await (const piece of piecesBetween(this.#parts, { unitId, rule: levels, from, to })) {
        if (this.#stopped) return;
        this.#apply(this.#watch.take(piece));
      }
    } catch (error) {
      const about = { unit_id: unitId, rule: id, reason: messageOf(error) };
      if (!signal.aborted) log.warn(about, 'a window begins without its earlier levels');
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#stopped) return;
    for (const piece of held) if (piece.at >= to) this.#apply(this.#watch.take(piece));
  }

  #apply(steps: readonly CoverageStep[]): void {
    const { events } = this.#parts;
    const inMs = ({ from, to }: { readonly from: number; readonly to: number }) => ({
      from: from * 1_000,
      to: to * 1_000,
    });
    for (const step of steps) {
      if (step.kind === 'close') events.end(step.at * 1_000);
      else if (step.kind === 'further') events.further(step.to * 1_000);
      else if (step.kind === 'worse')
        events.worse({ value: step.value, at: step.at * 1_000, window: inMs(step.window) });
      else events.begin(openingOf(this.#rule, step));
    }
  }
}

function openingOf(rule: KeptCoverageRule, { at, value, window }: Extract<CoverageStep, { kind: 'open' }>) {
  const [windowFrom, windowTo] = [window.from * 1_000, window.to * 1_000];
  return {
    what: 'coverage',
    limitValue: rule.least_percent,
    windowFrom,
    windowTo,
    windows: { count: 1, worstFrom: windowFrom, worstTo: windowTo },
    openedAt: at * 1_000,
    worst: value,
    worstAt: at * 1_000,
    detail: `${coverageKind.words(rule)}: at most ${value} % can be.`,
  };
}
