/** Rules about the measurement itself: the share of a window that has levels. They report gaps, which other rules do not judge. */
import type { FormField } from '../../../../lib/built-in.ts';
import type { Piece, RuleKind, SecondsSpan, WatchParts } from '../kind.ts';
import { type ClockWindow, windowAt, windowProblems } from '../level/clock-watch.ts';
import { WINDOW_FORM, type WindowName } from '../level/level-rule.ts';
import { RefilledWatch, windowWords } from '../level/level-rule-watch.ts';
import { cut, GRACE_S } from '../level/level-sum.ts';
import { refillFrom } from '../level/refill.ts';
import { isScheduled, type Rule } from '../rule.ts';
import { eventWords, sentence } from '../sentences.ts';

interface CoverageFields {
  readonly window: WindowName;
  readonly least_percent: number;
}
export type KeptCoverageRule = Rule & CoverageFields;

const COVERAGE_FORM: readonly FormField[] = [
  WINDOW_FORM,
  {
    name: 'least_percent',
    label: 'Measured at least',
    unit: '% of the window',
    schema: { type: 'number', minimum: 1, maximum: 100, description: 'Default 75.' },
    default: 75,
    usual: 75,
  },
];

/** `value`: the measured per cent of the window, or the most that it can reach. */
export type CoverageStep =
  | { readonly kind: 'open'; readonly at: number; readonly value: number; readonly window: SecondsSpan }
  | { readonly kind: 'further'; readonly to: number }
  | { readonly kind: 'worse'; readonly at: number; readonly value: number; readonly window: SecondsSpan }
  | { readonly kind: 'close'; readonly at: number };

/**
 * The measured share of each window of the clock. Pure; seconds since 1970 UTC. An event opens as soon as a window
 * cannot reach the wanted share. It goes on while the next windows have too little, and ends with the first window that
 * has enough. It needs no levels: missing levels count.
 */
export class CoverageWatch {
  readonly #rule: KeptCoverageRule;
  readonly #zone: string;
  #window: ClockWindow | undefined;
  /** Measured time of the window in whole ms, so that the limit can be met exactly. */
  #measuredMs = 0;
  #worst: number | undefined;
  #covered = Number.NEGATIVE_INFINITY;

  constructor(rule: KeptCoverageRule, zone: string) {
    this.#rule = rule;
    this.#zone = zone;
  }

  /** Goes on with an event from before a restart. `covered`: beginning of its last window, ms. */
  resume(worst: number | undefined, covered: number): void {
    this.#worst = worst;
    this.#covered = covered;
  }

  /** The window of this time is the first that the watch judges, with or without levels. */
  begin(at: number): void {
    this.#window = windowAt(this.#zone, this.#rule, at * 1_000);
  }

  take(piece: Piece): CoverageStep[] {
    const steps: CoverageStep[] = [];
    for (let at = piece.at; at < piece.to; ) {
      const end = Math.min(piece.to, windowAt(this.#zone, this.#rule, at * 1_000).to / 1_000);
      steps.push(...this.#moveTo(at));
      // Levels of a window that has ended come too late.
      if (this.#window && at * 1_000 >= this.#window.from)
        this.#measuredMs += Math.round(cut(piece, at, end).seconds * 1_000);
      at = end;
    }
    return steps;
  }

  tick(now: number): CoverageStep[] {
    const seen = now - GRACE_S;
    const steps = this.#moveTo(seen);
    const window = this.#window;
    if (!window || seen * 1_000 < window.from) return steps;
    const most = window.to - seen * 1_000 + Math.min(this.#measuredMs, seen * 1_000 - window.from);
    return [...steps, ...this.#judge(window, most, seen, false)];
  }

  /** Judges the ended windows one after the other. If the wall clock was set back, the watch starts again. */
  #moveTo(at: number): CoverageStep[] {
    const steps: CoverageStep[] = [];
    const time = at * 1_000;
    if (this.#window && time < this.#window.from - (this.#window.to - this.#window.from)) this.#window = undefined;
    for (let window = this.#window; window && time >= window.to; window = this.#window) {
      steps.push(...this.#finish(window));
      this.#measuredMs = 0;
      this.#window = windowAt(this.#zone, this.#rule, window.to);
    }
    this.#window ??= windowAt(this.#zone, this.#rule, time);
    return steps;
  }

  #finish(window: ClockWindow): CoverageStep[] {
    const { from, to } = window;
    if (!this.#counts(window)) return this.#worst === undefined ? [] : this.#close(from / 1_000);
    if (this.#isEnough(this.#measuredMs, to - from)) return this.#worst === undefined ? [] : this.#close(to / 1_000);
    return this.#judge(window, this.#measuredMs, to / 1_000, true);
  }

  /** `most`: the most that the window can have, ms. It decreases each second; the true value is reported at the end. */
  #judge(window: ClockWindow, most: number, at: number, isOver: boolean): CoverageStep[] {
    const { from, to } = window;
    if (!this.#counts(window) || this.#isEnough(most, to - from)) return [];
    const value = Math.round((1_000 * most) / (to - from)) / 10;
    const span = { from: from / 1_000, to: to / 1_000 };
    const isNew = from > this.#covered;
    this.#covered = Math.max(from, this.#covered);
    if (this.#worst === undefined) {
      if (!isNew) return [];
      this.#worst = value;
      return [{ kind: 'open', at, value, window: span }];
    }
    const steps: CoverageStep[] = isNew ? [{ kind: 'further', to: span.to }] : [];
    if (isOver && value < this.#worst) {
      this.#worst = value;
      steps.push({ kind: 'worse', at, value, window: span });
    }
    return steps;
  }

  /** The window in which the rule was created is not judged: the rule did not exist at its beginning. */
  #counts({ from, to, counts }: ClockWindow): boolean {
    const { schedule, changedAt } = this.#rule;
    const isOn = (at: number) => isScheduled(schedule, this.#zone, at);
    return counts && from >= changedAt && isOn(from) && isOn(to - 1);
  }

  #isEnough(ms: number, length: number): boolean {
    return ms * 100 >= this.#rule.least_percent * length;
  }

  #close(at: number): CoverageStep[] {
    this.#worst = undefined;
    return [{ kind: 'close', at }];
  }
}

const about = ({ least_percent: least, ...rule }: CoverageFields & Pick<Rule, 'schedule'>) => ({
  least,
  window: windowWords({ ...rule, align: 'clock' }),
});

export const coverageKind: RuleKind<CoverageFields> = {
  name: 'coverage',
  title: 'gaps in the measurement',
  fields: COVERAGE_FORM,
  problems: windowProblems,
  needs: () => ({ history: 'poll' }),
  words: (rule) => sentence('coverage_rule', about(rule)),
  unitOf: () => '%',
  watch: (rule, parts) => new CoverageRuleWatch(rule, parts),
  noPreview: 'GET history shows the coverage of each row',
};

class CoverageRuleWatch extends RefilledWatch {
  readonly #rule: KeptCoverageRule;
  readonly #watch: CoverageWatch;

  constructor(rule: KeptCoverageRule, parts: WatchParts) {
    super(parts);
    this.#rule = rule;
    this.#watch = new CoverageWatch(rule, parts.zone);
    const { open, lastWindow, zone, clock } = parts;
    if (lastWindow !== undefined)
      this.#watch.resume(open ? (open.worst ?? 0) : undefined, windowAt(zone, rule, lastWindow - 1).from);
    // The levels of this window and of the window before it.
    const { id, window, changedAt } = rule;
    const levels = { quantity: 'leq', align: 'clock', window, changedAt } as const;
    const from = refillFrom(levels, zone, Math.floor(clock.now() / 1_000));
    this.#watch.begin(from);
    void this.refill(id, levels, from);
  }

  protected fill(piece: Piece): void {
    this.take(piece);
  }

  protected take(piece: Piece): void {
    this.#apply(this.#watch.take(piece));
  }

  protected pass(now: number): void {
    this.#apply(this.#watch.tick(now));
  }

  #apply(steps: readonly CoverageStep[]): void {
    const { events } = this.parts;
    for (const step of steps) {
      if (step.kind === 'close') events.end(step.at * 1_000);
      else if (step.kind === 'further') events.further(step.to * 1_000);
      else if (step.kind === 'worse') {
        const window = { from: step.window.from * 1_000, to: step.window.to * 1_000 };
        events.worse({ value: step.value, at: step.at * 1_000, window });
      } else events.begin(openingOf(this.#rule, step));
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
    ...eventWords(sentence('coverage_low', { ...about(rule), value })),
  };
}
