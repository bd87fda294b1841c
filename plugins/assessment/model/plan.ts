/** Plans the times of each day for a preset. Computes its figures, its index and its verdict from the measured levels. */

import { indices } from '../../../lib/built-in.ts';
import { type AskedDates, type AssessedDate, datesOf, timesWithin } from './calendar.ts';
import type { FigureBody, PresetBody } from './contract.ts';
import { type Chosen, type FigureResult, type MeasuredWindow, rateFigure, type Verdict, verdictOf } from './figure.ts';
import { type PlannedWindow, spansOfPeriod, windowsOf } from './parts.ts';
import { ratingLevel } from './rating.ts';

/** A period of a day with the division for a figure. Several figures may share one. */
interface PlannedPeriod {
  /** The same on all days: `night/3600`. */
  readonly key: string;
  readonly windows: readonly PlannedWindow[];
}

export interface PlannedDay {
  readonly date: AssessedDate;
  readonly periods: readonly PlannedPeriod[];
}

const keyOf = (period: string, window_s: number | null): string => `${period}/${window_s ?? 'whole'}`;

/** The keys of a preset, each once. An index needs each period as a whole. */
export function keysOf({
  figures,
  periods,
}: PresetBody): ReadonlyMap<string, Pick<FigureBody, 'window_s'> & { readonly period: string }> {
  const needed = figures.flatMap(({ period, window_s }) =>
    period === null ? periods.map(({ name }) => ({ period: name, window_s: null })) : [{ period, window_s }],
  );
  return new Map(needed.map((each) => [keyOf(each.period, each.window_s), each]));
}

/** `area`: the name of the area, for additions that only apply in some areas. */
export function planDays(preset: PresetBody, asked: AskedDates, area: string | null): PlannedDay[] {
  const { zone, holidays } = asked;
  const dates = datesOf(preset.periods, preset.night_of, asked);
  const [first, last] = [dates[0], dates.at(-1)];
  if (!first || !last) return [];
  const { rest } = preset;
  const counts = rest !== null && (rest.areas === null || (area !== null && rest.areas.includes(area)));
  const spans = counts ? timesWithin(rest.times, { zone, holidays, span: { from: first.from, to: last.to + 1 } }) : [];
  const division = { zone, rest: counts ? { db: rest.db, spans } : null };
  const keys = [...keysOf(preset)];
  return dates.map((date) => ({
    date,
    periods: keys.map(([key, { period, window_s }]) => ({
      key,
      windows: windowsOf(spansOfPeriod(date, period), { ...division, window_s }),
    })),
  }));
}

/** Input of people, and the valid limits. */
export interface Judging {
  /** ms since 1970 UTC. */
  readonly now: number;
  chosen(period: string): Chosen;
  limit(figure: string): number | null;
}

/** In the order of the preset. A figure of a period that the day does not have is left out. */
export function figuresOf(
  preset: PresetBody,
  measured: ReadonlyMap<string, readonly MeasuredWindow[]>,
  { now, chosen, limit }: Judging,
): FigureResult[] {
  const windowsFor = (period: string, window_s: number | null) => measured.get(keyOf(period, window_s)) ?? [];
  return preset.figures.flatMap((figure) => {
    const own = limit(figure.name);
    if (figure.period === null) {
      const wholes = preset.periods.flatMap(({ name }) => {
        const windows = windowsFor(name, null);
        const whole = { ...figure, name, period: name };
        const plain = { ...preset, tonal: null, impulse: null, low_frequency: null, other: null, peaks_over: {} };
        const asked = {
          figure: whole,
          preset: { ...plain, residual: 'subtract' as const },
          chosen: {},
          limit: null,
          now,
        };
        return windows.length > 0 ? [[name, rateFigure(asked, windows)] as const] : [];
      });
      return [rateIndex(figure, preset, new Map(wholes), own)];
    }
    const windows = windowsFor(figure.period, figure.window_s);
    return windows.length > 0
      ? [rateFigure({ figure, preset, chosen: chosen(figure.period), limit: own, now }, windows)]
      : [];
  });
}

/** `10 lg( 1/H sum h_i 10^((L_i + w_i)/10) )`, h_i the real time of each period. `wholes`: each period as one window. */
function rateIndex(
  figure: FigureBody,
  preset: PresetBody,
  wholes: ReadonlyMap<string, FigureResult>,
  limit: number | null,
): FigureResult {
  const periods = preset.periods.flatMap(({ name }) => wholes.get(name) ?? []);
  const wrong = periods.filter(({ leq, reasons }) => leq === null || reasons.length > 0);
  const levels = periods.flatMap(({ leq, seconds, period }) =>
    leq === null ? [] : [{ level: leq + (figure.weights?.[period ?? ''] ?? 0), seconds }],
  );
  const assessable = periods.length > 0 && wrong.length === 0;
  const value = assessable ? ratingLevel(levels) : null;
  const known = periods.flatMap(({ leq, measured }) => (leq === null ? [] : [{ level: leq, seconds: measured }]));
  const loudest = periods.reduce<FigureResult | undefined>(
    (best, each) => ((each.lmax ?? -Infinity) > (best?.lmax ?? -Infinity) ? each : best),
    undefined,
  );
  return {
    figure: figure.name,
    period: null,
    worst: null,
    lr: value,
    value,
    limit,
    peakLimit: null,
    assessable,
    from: Math.min(...periods.map(({ from }) => from)),
    to: Math.max(...periods.map(({ to }) => to)),
    seconds: periods.reduce((sum, { seconds }) => sum + seconds, 0),
    measured: periods.reduce((sum, { measured }) => sum + measured, 0),
    leq: ratingLevel(known),
    lmax: loudest?.lmax ?? null,
    lmaxAt: loudest?.lmaxAt ?? null,
    reasons: wrong.flatMap(({ period, reasons }) => reasons.map((reason) => `${period}: ${reason}`)),
    verdict: verdictOf({ value, limit, decimals: preset.decimals }),
    running: null,
  };
}

/** One exceeded figure is enough; an unknown figure leaves the day open. Figures without a limit do not count. */
export function verdictOfDay(figures: readonly FigureResult[]): Verdict {
  const verdicts = figures.map(({ verdict }) => verdict);
  if (verdicts.includes('exceeded')) return 'exceeded';
  const limited = figures.filter(({ limit }) => limit !== null);
  if (limited.length === 0) return verdicts.every((each) => each === 'not_assessable') ? 'not_assessable' : 'no_limit';
  return limited.some(({ verdict }) => verdict === 'not_assessable') ? 'not_assessable' : 'met';
}

export const NO_LEVELS = { levels: indices.mergeLevels([]), takt: null } as const;
