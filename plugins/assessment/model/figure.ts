/** One figure of one day: its level, its additions, the limit, and whether it can be judged. */
import { indices, type zones } from '../../../lib/built-in.ts';
import { type Added, addedTo, type ChosenAdditions, type PartLevels } from './additions.ts';
import type { FigureBody, PresetBody } from './contract.ts';
import type { PlannedPart } from './parts.ts';
import { correctionOf, ratingLevel, specificLevel } from './rating.ts';

/** `no_limit`: a value without a limit. */
export const VERDICTS = Object.freeze(['met', 'exceeded', 'not_assessable', 'no_limit'] as const);
/** Judgement of a figure or a day. */
export type Verdict = (typeof VERDICTS)[number];

/** Input of a person for a period. */
export interface Chosen extends ChosenAdditions {
  readonly residual?: number;
  readonly background?: number;
  /** Duration of the noise in the period, seconds. */
  readonly duration_s?: number;
}

interface MeasuredPart extends PlannedPart, PartLevels {
  /** Measured time that exclusions leave out, s; absent: none. */
  readonly excludedS?: number;
}

export interface MeasuredWindow extends zones.Span {
  readonly parts: readonly MeasuredPart[];
}

export interface CountedPart extends PlannedPart {
  readonly leq: number | null;
  readonly measured: number;
  readonly added: Added;
  /** Level without the residual level; null: no residual level was given. */
  readonly specific: number | null;
  /** The level with all additions; null: unknown. */
  readonly rated: number | null;
}

interface RatedWindow extends zones.Span {
  readonly parts: readonly CountedPart[];
  readonly leq: number | null;
  readonly lr: number | null;
}

/** The window that is not over yet. Only of figures that are a mean level with additions, and nothing else. */
export interface RunningWindow extends zones.Span {
  /** Level so far with all additions, dB; null: nothing was measured. */
  readonly level: number | null;
  readonly measured: number;
  readonly added: number;
}

/** One figure. Levels dB, times ms since 1970 UTC. */
export interface FigureResult {
  readonly figure: string;
  readonly period: string | null;
  readonly from: number;
  readonly to: number;
  /** Real time of its parts, s. */
  readonly seconds: number;
  readonly measured: number;
  /** Mean of the measured time; it says nothing about gaps. */
  readonly leq: number | null;
  readonly worst: RatedWindow | null;
  /** Null if the figure is not assessable. */
  readonly lr: number | null;
  /** The compared value: Lr, LN, emergence, difference or index. Null if the figure is not assessable. */
  readonly value: number | null;
  readonly limit: number | null;
  readonly lmax: number | null;
  readonly lmaxAt: number | null;
  readonly peakLimit: number | null;
  readonly assessable: boolean;
  /** Why the figure is not assessable, and remarks about the value. */
  readonly reasons: readonly string[];
  readonly verdict: Verdict;
  readonly running: RunningWindow | null;
}

interface AskedFigure {
  readonly figure: FigureBody;
  readonly preset: PresetBody;
  readonly chosen: Chosen;
  readonly limit: number | null;
  /** ms since 1970 UTC: a time that ends later is not over, and its rest is unknown. */
  readonly now: number;
}

/**
 * For the windows of a period of one day. Every part needs enough data: a gap must not make a level lower. A window that
 * is complete and above the limit exceeds it, whatever is known of the others.
 */
export function rateFigure(asked: AskedFigure, all: readonly MeasuredWindow[]): FigureResult {
  const windows = countingOf(asked.preset, all);
  const whole = { ...rateWindows(asked, windows), ...extentOf(all) };
  if (whole.assessable || windows.length < 2 || whole.limit === null) return whole;
  const complete = windows.filter(
    (window) => isOver(asked, [window]) && gapReasons(asked.preset, window.parts).length === 0,
  );
  if (complete.length === 0) return whole;
  const known = rateWindows(asked, complete);
  if (known.verdict !== 'exceeded') return whole;
  const { worst, lr, value, assessable, verdict } = known;
  return { ...whole, worst, lr, value, assessable, verdict };
}

/** Where several windows are compared, those that exclusions leave without enough data do not count, if enough others do. */
function countingOf({ min_coverage: enough }: PresetBody, windows: readonly MeasuredWindow[]) {
  const isLeftOut = ({ parts }: MeasuredWindow) =>
    parts.some((part) => shareOf(part) < enough) &&
    parts.every((part) => shareOf(part, part.excludedS) >= enough && part.excludedS !== undefined);
  const counting = windows.filter((window) => !isLeftOut(window));
  return counting.length >= windows.length * enough ? counting : windows;
}

const shareOf = ({ from, to, levels }: MeasuredPart, moreS = 0): number =>
  indices.coverageOf(levels.seconds + moreS, (to - from) / 1_000);

/** The time of all windows, and how much of it was measured and counts. */
function extentOf(windows: readonly MeasuredWindow[]): Pick<FigureResult, 'from' | 'to' | 'seconds' | 'measured'> {
  const parts = windows.flatMap((window) => window.parts);
  return {
    from: windows[0]?.from ?? 0,
    to: windows.at(-1)?.to ?? 0,
    seconds: secondsOf(parts),
    measured: parts.reduce((sum, { levels }) => sum + levels.seconds, 0),
  };
}

function rateWindows(asked: AskedFigure, windows: readonly MeasuredWindow[]): FigureResult {
  const { figure, preset } = asked;
  const parts = windows.flatMap((window) => window.parts);
  const levels = indices.mergeLevels(parts.map((part) => part.levels));
  const { value: raw, worst, reasons: missing, remarks } = windowValue(asked, windows);
  const reasons = [...(isOver(asked, windows) ? gapReasons(preset, parts) : [NOT_OVER]), ...missing];
  const assessable = reasons.length === 0 && raw !== null;
  const limit = limitOf(asked);
  const value = assessable ? raw : null;
  const lr = figure.quantity === 'leq' && assessable ? (worst?.lr ?? null) : null;
  const over = figure.quantity === 'lmax' && !figure.overBackground ? 0 : preset.peaks_over[figure.name];
  const peakLimit = over === undefined || asked.limit === null ? null : asked.limit + over;
  return {
    figure: figure.name,
    period: figure.period,
    worst,
    lr,
    value,
    limit,
    peakLimit,
    assessable,
    ...extentOf(windows),
    leq: levels.leq,
    lmax: levels.lmax,
    lmaxAt: levels.lmaxAt,
    reasons: [...new Set([...reasons, ...remarks])],
    verdict: verdictOf({ value, limit, peak: levels.lmax, peakLimit, decimals: preset.decimals }),
    running: runningOf(asked, windows),
  };
}

function runningOf(asked: AskedFigure, windows: readonly MeasuredWindow[]): RunningWindow | null {
  const { figure, preset, chosen, now } = asked;
  const isPlain = preset.residual === 'subtract' && preset.background === 'none' && preset.duration === null;
  const window = windows.find(({ from, to }) => from <= now && to > now);
  if (!window || figure.quantity !== 'leq' || figure.overBackground || !isPlain || chosen.residual !== undefined)
    return null;
  const { parts } = rateWindow(asked, window);
  const present = parts.find(({ from, to }) => from <= now && to > now);
  if (!present || present.added.sum === null) return null;
  const known = parts.flatMap(({ rated, measured }) => (rated === null ? [] : [{ level: rated, seconds: measured }]));
  return {
    from: window.from,
    to: window.to,
    level: indices.energyMean(known),
    measured: known.reduce((sum, { seconds }) => sum + seconds, 0),
    added: present.added.sum + present.rest,
  };
}

interface CompleteValue {
  readonly value: number | null;
  readonly worst: RatedWindow | null;
  readonly reasons: readonly string[];
  readonly remarks: readonly string[];
}

/** The value of the worst window, as if everything was measured. */
function windowValue(asked: AskedFigure, windows: readonly MeasuredWindow[]): CompleteValue {
  const { quantity, overBackground: isOverBackground } = asked.figure;
  const rated = windows.map((window) => rateWindow(asked, window));
  if (quantity === 'leq' && !isOverBackground) {
    const worst = worstOf(rated);
    const reasons = [...worst.reasons];
    const value = compared(asked, worst.window, reasons);
    return { value, worst: worst.window, reasons, remarks: worst.remarks };
  }
  const values = windows.map(({ parts }) => {
    const levels = indices.mergeLevels(parts.map((part) => part.levels));
    const level = typeof quantity === 'number' ? (levels.counts?.exceeded(quantity) ?? null) : levels[quantity];
    const background = isOverBackground ? (levels.counts?.exceeded(BACKGROUND_PERCENT) ?? null) : 0;
    return level === null || background === null ? null : level - background;
  });
  const known = values.flatMap((value) => value ?? []);
  const value = known.length > 0 ? Math.max(...known) : null;
  const isLacking = values.includes(null) && (typeof quantity === 'number' || isOverBackground);
  const reasons = isLacking ? ['There are no percentiles of this time.'] : [];
  return { value, worst: rated[values.indexOf(value)] ?? null, reasons, remarks: [] };
}

/** The background is the LA90 of the window. */
const BACKGROUND_PERCENT = 90;

const secondsOf = (spans: readonly zones.Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + to - from, 0) / 1_000;

function rateWindow({ figure, preset, chosen }: AskedFigure, window: MeasuredWindow): RatedWindow {
  const period = figure.period ?? '';
  const parts = window.parts.map((part): CountedPart => {
    const { leq, seconds: measured } = part.levels;
    const added = addedTo(preset, period, chosen, part);
    const { from, to, rest } = part;
    const isFree = chosen.residual === undefined || preset.residual === 'emergence';
    const specific = leq === null || isFree ? null : (specificLevel(leq, chosen.residual)?.level ?? null);
    const base = isFree ? leq : specific;
    const rated = base === null || added.sum === null ? null : base + added.sum + rest;
    return { from, to, rest, leq, measured, added, specific, rated };
  });
  const known = parts.flatMap(({ leq, measured }) => (leq === null ? [] : [{ level: leq, seconds: measured }]));
  const rated = parts.flatMap((part) =>
    part.rated === null ? [] : [{ level: part.rated, seconds: (part.to - part.from) / 1_000 }],
  );
  const correction =
    preset.duration?.changes === 'level' && chosen.duration_s !== undefined
      ? correctionOf(preset.duration.steps[period] ?? [], chosen.duration_s)
      : 0;
  const lr = rated.length === parts.length ? ratingLevel(rated) : null;
  return {
    from: window.from,
    to: window.to,
    parts,
    leq: indices.energyMean(known),
    lr: lr === null ? null : lr + correction,
  };
}

/** The window with the highest rating level; if no window has a rating level, the loudest window, with the reasons. */
function worstOf(windows: readonly RatedWindow[]) {
  const by = (of: (window: RatedWindow) => number | null) =>
    windows.reduce<RatedWindow | null>(
      (best, each) => ((of(each) ?? -Infinity) > (best ? (of(best) ?? -Infinity) : -Infinity) ? each : best),
      null,
    );
  const window = by(({ lr }) => lr) ?? by(({ leq }) => leq);
  // An unknown addition in a window may make it the worst.
  const reasons = windows.flatMap(({ parts }) =>
    parts.flatMap(({ added, leq }) => (leq === null ? [] : added.reasons)),
  );
  const remarks = (window?.parts ?? []).flatMap(({ leq, specific }) =>
    leq !== null && specific !== null && leq - specific > MARKED
      ? ['Total and residual level are less than 10 dB apart: the specific level is uncertain.']
      : [],
  );
  return { window, reasons: [...new Set(reasons)], remarks };
}

/** Difference of specific and total level if the residual level is 10 dB below the total: 10 lg(1 - 0.1). */
const MARKED = -10 * Math.log10(1 - 0.1) + 1e-9;

function compared({ preset, chosen }: AskedFigure, window: RatedWindow | null, reasons: string[]): number | null {
  const { residual, background } = chosen;
  if (preset.residual !== 'subtract' && residual === undefined) {
    reasons.push('Give `residual`: the level without the source.');
    return null;
  }
  if (preset.background === 'difference' && background === undefined) {
    reasons.push('Give `background`: the LA90 that is representative.');
    return null;
  }
  if (!window || window.leq === null) return null;
  if (preset.residual === 'emergence') return window.leq - (residual ?? 0);
  if (window.lr === null) {
    if (residual !== undefined && window.parts.some(({ leq, specific }) => leq !== null && specific === null))
      reasons.push('Total and residual level are less than 3 dB apart: the level of the source cannot be determined.');
    return null;
  }
  return preset.background === 'difference' ? window.lr - (background ?? 0) : window.lr;
}

function limitOf({ figure, preset, chosen, limit }: AskedFigure): number | null {
  const { duration } = preset;
  if (limit === null || duration?.changes !== 'limit' || chosen.duration_s === undefined) return limit;
  return limit + correctionOf(duration.steps[figure.period ?? ''] ?? [], chosen.duration_s);
}

const NOT_OVER = 'This time is not over.';

/** The end is exclusive: a time that ends now is over. */
const isOver = ({ now }: AskedFigure, windows: readonly zones.Span[]): boolean => windows.every(({ to }) => to <= now);

function gapReasons({ min_coverage: enough }: PresetBody, parts: readonly MeasuredPart[]): string[] {
  const short = parts.filter((part) => part.levels.leq === null || shareOf(part) < enough);
  if (parts.length === 0) return ['This day has no such time.'];
  if (short.length === 0) return [];
  const all = indices.coverageOf(
    parts.reduce((sum, { levels }) => sum + levels.seconds, 0),
    secondsOf(parts),
  );
  if (all === 0) return ['There is no data.'];
  const needed = `${percent(enough)} of each part are needed.`;
  const measured = `${percent(all)} of the time were measured; parts with too little data: ${short.length} of ${parts.length}`;
  return [`${measured}; ${needed}`];
}

/** Rounded down, so that a missed share is not shown as reached. */
const percent = (share: number): string => `${Math.floor(share * 1_000) / 10} %`;

export interface Compared {
  readonly value: number | null;
  readonly limit: number | null;
  readonly peak?: number | null;
  readonly peakLimit?: number | null;
  readonly decimals: number;
}

/** A single peak above its limit exceeds it, whatever else was measured. */
export function verdictOf({ value, limit, peak = null, peakLimit = null, decimals }: Compared): Verdict {
  if (peak !== null && peakLimit !== null && indices.isAbove(peak, peakLimit, decimals)) return 'exceeded';
  if (value === null) return 'not_assessable';
  if (limit === null) return 'no_limit';
  return indices.isAbove(value, limit, decimals) ? 'exceeded' : 'met';
}
