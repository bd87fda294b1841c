/**
 * A level rule whose windows follow one after the other, by the clock of the place. For Leq, the value of a window is the
 * least that it can have, as if the rest of it were silent. So an event opens in the second in which the limit is certain
 * to be exceeded, and its value only grows. At the end of the window the value is its Leq. Pure. Seconds since 1970 UTC.
 */
import { type InputError, indices, zones } from '../../../../lib/built-in.ts';
import { assessment } from '../../../assessment/index.ts';
import type { Piece, SecondsSpan } from '../kind.ts';
import { isScheduled, type RuleBody, DAYS as WEEK, type WeeklyHours } from '../rule.ts';
import { isMaximum, type LevelRule, opensEvent, percentOf, WINDOW_S, type WindowName } from './level-rule.ts';
import { cut, GRACE_S, growingSum, type LevelSum, type LevelWatch, type Step } from './level-sum.ts';

/** Times in ms since 1970 UTC. */
export interface ClockWindow {
  readonly from: number;
  readonly to: number;
  /** False: this is a time between two windows, such as the day for a rule about the night. */
  readonly counts: boolean;
}

const DAY_MS = 86_400_000;
const part = (name: indices.PeriodName, from: number, to: number): indices.Period => ({
  name,
  from: from * 60,
  to: to * 60,
  weight: 1,
});
const USUAL_DAY = 1_440;
const EIGHT_HOURS = [part('day', 0, 8), part('evening', 8, 16), part('night', 16, 24)];
const TWELVE_HOURS = [part('day', 0, 12), part('night', 12, 24)];

export type Windowed = Pick<RuleBody, 'schedule'> & { readonly window: WindowName };

/** Units in one time zone have the same windows. The newest window of each name is kept. */
const known = new Map<string, ClockWindow>();
/** The same for the windows of a schedule. */
const knownOfSchedule = new WeakMap<readonly WeeklyHours[], Map<string, ClockWindow>>();

/** The window that contains `at`. */
export function windowAt(zone: string, { window: name, schedule }: Windowed, at: number): ClockWindow {
  if (name === 'scheduled') return ofSchedule(zone, schedule ?? [], at);
  return newest(known, `${name} ${zone}`, at, () => find(zone, name, at));
}

function newest(of: Map<string, ClockWindow>, key: string, at: number, find: () => ClockWindow): ClockWindow {
  const last = of.get(key);
  if (last && at >= last.from && at < last.to) return last;
  const window = find();
  of.set(key, window);
  return window;
}

function find(zone: string, name: Exclude<WindowName, 'scheduled'>, at: number): ClockWindow {
  if (name === 'day' || name === 'evening' || name === 'night') return period(zone, name, at);
  if (name === '8h') return piece(zone, EIGHT_HOURS, at);
  if (name === '12h') return piece(zone, TWELVE_HOURS, at);
  return { ...zones.stepAt(zone, at, WINDOW_S[name] * 1_000), counts: true };
}

function ofSchedule(zone: string, schedule: readonly WeeklyHours[], at: number): ClockWindow {
  const own = knownOfSchedule.get(schedule) ?? new Map<string, ClockWindow>();
  knownOfSchedule.set(schedule, own);
  return newest(own, zone, at, () => timeAt(zone, schedule, at));
}

function timeAt(zone: string, schedule: readonly WeeklyHours[], at: number): ClockWindow {
  const span = { from: at - 8 * DAY_MS, to: at + 8 * DAY_MS };
  const times = assessment.timesWithin(schedule, { zone, span, holidays: NO_HOLIDAYS });
  const own = times.find(({ from, to }) => at >= from && at < to);
  if (own) return { ...own, counts: true };
  const before = times.findLast(({ to }) => to <= at);
  const after = times.find(({ from }) => from > at);
  return { from: before?.to ?? span.from, to: after?.from ?? span.to, counts: false };
}

const NO_HOLIDAYS: ReadonlySet<string> = new Set();

/** A rule whose windows are the times of its schedule needs times that do not overlap. */
export function windowProblems({ window, schedule }: Partial<Windowed>): InputError[] {
  if (window !== 'scheduled') return [];
  if (!schedule)
    return [{ path: '/schedule', message: 'is needed: window scheduled makes a window of each of its times' }];
  const times = schedule.flatMap(({ days, from, to }, index) =>
    days.map((day) => {
      const begin = WEEK.indexOf(day) * USUAL_DAY + assessment.minutesOf(from);
      const length = assessment.minutesOf(to) - assessment.minutesOf(from);
      return { index, begin, end: begin + (length > 0 ? length : length + USUAL_DAY) };
    }),
  );
  const overlaps = (one: (typeof times)[number], other: (typeof times)[number]) =>
    [-7, 0, 7].some((days) => one.begin + days * USUAL_DAY < other.end && other.begin < one.end + days * USUAL_DAY);
  const second = times.find((one, at) => times.some((other, place) => place < at && overlaps(one, other)));
  return second
    ? [{ path: `/schedule/${second.index}`, message: 'overlaps another time of the schedule: each would be a window' }]
    : [];
}

const piecesAround = (zone: string, periods: readonly indices.Period[], at: number) =>
  indices.localDays(zone, { from: at - DAY_MS, to: at + DAY_MS }, periods).flatMap(({ pieces }) => pieces);

function piece(zone: string, periods: readonly indices.Period[], at: number): ClockWindow {
  const found = piecesAround(zone, periods, at).find(({ from, to }) => at >= from && at < to);
  return { from: found?.from ?? at, to: found?.to ?? at + 1, counts: found !== undefined };
}

/** A night has two parts, the end of one day and the beginning of the next. */
function period(zone: string, name: indices.PeriodName, at: number): ClockWindow {
  const pieces = piecesAround(zone, indices.PRESETS.eu.periods, at);
  const index = pieces.findIndex(({ from, to }) => at >= from && at < to);
  const own = pieces[index];
  if (!own) return { from: at, to: at + 1, counts: false };
  let { from, to } = own;
  const before = pieces[index - 1];
  const after = pieces[index + 1];
  if (before?.period === own.period && before.to === from) from = before.from;
  if (after?.period === own.period && after.from === to) to = after.to;
  return { from, to, counts: own.period === name };
}

export class ClockWatch implements LevelWatch {
  readonly sum: LevelSum;
  readonly #rule: LevelRule;
  readonly #zone: string;
  readonly #percent: number | undefined;
  readonly #tooLoud: (level: number) => boolean;
  #window: ClockWindow | undefined;
  #worst: number | undefined;
  #lastOpened = Number.NEGATIVE_INFINITY;
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

  fill(piece: Piece): Step[] {
    return this.take(piece);
  }

  filled(): Step[] {
    return [];
  }

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

  #judge(now: number): Step[] {
    const { quantity } = this.#rule;
    const window = this.#window;
    if (!window || this.#percent !== undefined) return [];
    if (isMaximum(quantity)) {
      const { value } = this.sum;
      return value !== null && this.#tooLoud(value) ? this.#over(value, now, this.sum.valueAt ?? now) : [];
    }
    const { energy, seconds } = this.sum;
    const length = (window.to - window.from) / 1_000;
    // With this much measured time the window counts, and its mean does not include gaps.
    const isEnough = seconds >= this.#rule.min_coverage * length;
    const least = indices.levelOf(energy / (isEnough ? seconds + window.to / 1_000 - now : length));
    return this.#tooLoud(least) ? this.#over(least, now, now) : [];
  }

  #finish(): Step[] {
    const window = this.#window;
    if (!window) return [];
    const { quantity, min_coverage } = this.#rule;
    const [from, to] = [window.from / 1_000, window.to / 1_000];
    const value = window.counts ? this.sum.value : null;
    const isEnough = this.sum.seconds >= min_coverage * (to - from);
    const at = isMaximum(quantity) ? (this.sum.valueAt ?? to) : to;
    const steps = value !== null && this.#tooLoud(value) && isEnough ? this.#over(value, to, at) : [];
    this.sum.clear();
    this.#window = this.isOpen && this.#lastOpened === from ? this.#goesOnIn(window) : undefined;
    // A window below the limit ends the event of the windows before it.
    if (this.isOpen && !this.#window) steps.push(...this.#close(this.#lastOpened < from ? from : to));
    return steps;
  }

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
