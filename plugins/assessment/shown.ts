/** Figures, days and summaries as the API shows them. Levels dB with two decimals. */
import { indices, tables } from '../../lib/built-in.ts';
import { iso } from '../../lib/index.ts';
import type { MeasuredPeriod } from './measured.ts';
import * as assessment from './model/index.ts';
import type { KeptPreset } from './preset-schemas.ts';
import type { COMPARED } from './schemas.ts';

const { decibels, shownCoverage, shownTenths } = tables;
/** Impacts from these differences to the background on, dB (BS 4142, section 11). */
const IMPACTS = [
  [10, 'significant'],
  [5, 'adverse'],
] as const;

export function shownFigure(preset: KeptPreset, result: assessment.FigureResult, periods: readonly MeasuredPeriod[]) {
  const { figure, period, seconds, measured, value, limit, verdict, assessable, reasons, worst } = result;
  const excludedS = periods.reduce((sum, each) => sum + each.excludedS, 0);
  const isBackground = preset.background === 'difference' && value !== null;
  return {
    figure,
    period,
    from: iso(result.from),
    to: iso(result.to),
    hours: Math.round(seconds / 36) / 100,
    coverage: shownCoverage(indices.coverageOf(measured, seconds)),
    leq: decibels(result.leq),
    leq_all: excludedS > 0 ? decibels(indices.energyMean(periods.flatMap(({ all }) => all))) : null,
    excluded_s: excludedS,
    lr: decibels(result.lr),
    value: decibels(value),
    limit: decibels(limit),
    margin: value === null || limit === null ? null : decibels(limit - value),
    impact: isBackground ? (IMPACTS.find(([from]) => shownTenths(value) >= from)?.[1] ?? 'low') : null,
    lmax: decibels(result.lmax),
    lmax_at: iso(result.lmaxAt),
    peak_limit: decibels(result.peakLimit),
    over: [
      { quantity: 'value' as const, level: value, limit },
      { quantity: 'lmax' as const, level: result.lmax, limit: result.peakLimit },
    ].flatMap(({ quantity, level, limit: most }) =>
      level !== null && most !== null && indices.isAbove(level, most, preset.decimals)
        ? [{ quantity, level: tables.shownTenths(level), limit: most }]
        : [],
    ),
    verdict,
    assessable,
    reasons,
    worst: worst && shownWindow(worst),
  };
}

const shownWindow = ({ from, to, leq, lr, parts }: NonNullable<assessment.FigureResult['worst']>) => ({
  from: iso(from),
  to: iso(to),
  leq: decibels(leq),
  lr: decibels(lr),
  parts: parts.map(shownPart),
});

const shownPart = ({ from, to, rest, leq, measured, added, specific, rated }: assessment.CountedPart) => ({
  from: iso(from),
  to: iso(to),
  leq: decibels(leq),
  measured_s: measured,
  specific: decibels(specific),
  tonal: added.tonal,
  impulse: decibels(added.impulse),
  low_frequency: added.low_frequency,
  other: added.other,
  added: decibels(added.sum),
  rest,
  rated: decibels(rated),
});

export interface AssessedDay {
  readonly date: string;
  /** ms. */
  readonly from: number;
  readonly verdict: assessment.Verdict;
  readonly results: readonly assessment.FigureResult[];
}

function comparedOf(preset: KeptPreset, { period, quantity }: assessment.FigureBody): (typeof COMPARED)[number] {
  if (period === null) return 'index';
  if (typeof quantity === 'number') return 'percentile';
  if (preset.residual === 'emergence') return 'emergence';
  if (preset.background === 'difference') return 'difference';
  const adds = assessment.ADDITIONS.some((name) => preset[name] !== null);
  return adds || preset.rest !== null || preset.duration?.changes === 'level' ? 'rating' : 'leq';
}

/** The days together: how many of each verdict, and the mean of each figure. */
export function summaryOf(name: string, preset: KeptPreset, days: readonly AssessedDay[]) {
  const count = (verdict: assessment.Verdict) => days.filter((day) => day.verdict === verdict).length;
  return {
    name,
    met: count('met'),
    exceeded: count('exceeded'),
    not_assessable: count('not_assessable'),
    no_limit: count('no_limit'),
    figures: preset.figures.map((body) => {
      const { name: figure, period, quantity, window_s } = body;
      const own = days.flatMap(({ date, results }) =>
        results.filter((result) => result.figure === figure).map((result) => ({ date, ...result })),
      );
      const known = own.flatMap(({ date, value }) => (value === null ? [] : [{ date, value }]));
      const { level, error } = assessment.meanOfLevels(known.map(({ value }) => value));
      const highest = known.reduce<(typeof known)[number] | undefined>(
        (best, each) => (best && best.value >= each.value ? best : each),
        undefined,
      );
      return {
        figure,
        mean: decibels(level),
        standard_error: decibels(error),
        days: known.length,
        left_out: own.filter(({ value }) => value === null).map(({ date }) => date),
        highest: decibels(highest?.value),
        highest_on: highest?.date ?? null,
        limit: decibels(own[0]?.limit),
        compared: comparedOf(preset, body),
        period,
        percent: typeof quantity === 'number' ? quantity : null,
        window_s,
      };
    }),
  };
}
