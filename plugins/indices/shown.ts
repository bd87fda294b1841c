/** The index of a day, or of all days, as the API shows it. */
import { indices, tables, zones } from '../../lib/built-in.ts';
import { iso } from '../../lib/index.ts';
import { assessment } from '../assessment/index.ts';

type Index = Omit<indices.DayIndex, 'date'>;

/** Levels in dB with two decimals, coverage from 0 to 1 with three. */
export function shownIndex(index: Index, name: indices.IndexName) {
  const { hours, periods, whole, value, valid, reason } = index;
  const { decibels, shownCoverage } = tables;
  const of = (period: indices.PeriodName) => periods.find((each) => each.period === period);
  const level = (period: indices.PeriodName) => decibels(of(period)?.levels.leq);
  const coverage = (period: indices.PeriodName) => {
    const found = of(period);
    return found ? shownCoverage(indices.periodCoverage(found)) : null;
  };
  const covered = indices.coverageOf(whole.seconds, hours * 3_600);
  const percentile = (percent: number) => decibels(whole.counts?.exceeded(percent));
  return {
    hours: Math.round(hours * 100) / 100,
    lday: level('day'),
    levening: level('evening'),
    lnight: level('night'),
    ...shownValue(value, name),
    leq_24h: decibels(whole.leq),
    leq_24h_gaps: whole.leq === null ? null : shownCoverage(covered) < 1 ? 'left_out' : 'none',
    l10: percentile(10),
    l50: percentile(50),
    l90: percentile(90),
    l95: percentile(95),
    lmax: decibels(whole.lmax),
    lmax_at: iso(whole.lmaxAt),
    lmax_bound: decibels(whole.bounds.lmax),
    coverage: {
      day: coverage('day'),
      evening: coverage('evening'),
      night: coverage('night'),
      all: shownCoverage(covered),
    },
    quality: indices.qualityOf(whole, hours * 3_600),
    valid,
    reason,
  };
}

/** `all`: the same with the excluded time. */
export const shownExclusion = (seconds: number, all: Pick<Index, 'whole' | 'value'> | undefined) => ({
  excluded_s: seconds,
  leq_all: tables.decibels(all?.whole.leq),
  index_all: tables.decibels(all?.value),
});

const shownValue = (value: number | null, name: indices.IndexName) => ({
  lden: name === 'lden' ? tables.decibels(value) : null,
  ldn: name === 'ldn' ? tables.decibels(value) : null,
  cnel: name === 'cnel' ? tables.decibels(value) : null,
});

export function shownMean({ periods, value, leq }: indices.MeanOfDays, name: indices.IndexName) {
  const level = (period: indices.PeriodName) => tables.decibels(periods.find((each) => each.period === period)?.leq);
  return {
    weighted_by: 'days',
    lday: level('day'),
    levening: level('evening'),
    lnight: level('night'),
    ...shownValue(value, name),
    leq_24h: tables.decibels(leq),
  };
}

export const GROUPED_BY = Object.freeze(['none', 'week', 'month', 'year'] as const);
export type GroupedBy = (typeof GROUPED_BY)[number];

/**
 * The weeks, months or years of an answer. `days` in order, each with its first moment, ms since 1970 UTC. A week
 * belongs to the year of its Thursday (ISO 8601).
 */
export function groupsOf(
  zone: string,
  by: GroupedBy,
  preset: indices.Preset,
  days: readonly { readonly from: number; readonly index: indices.DayIndex }[],
): readonly object[] {
  const [first, last] = [days[0], days.at(-1)];
  if (by === 'none' || !first || !last) return [];
  return zones.calendarSpans(zone, { from: first.from, to: last.from + 1 }, by).map(({ name, from, to }) => {
    const own = days.filter((day) => day.from >= from && day.from < to).map(({ index }) => index);
    const valid = own.filter((day) => day.valid);
    const over = (of: (day: indices.DayIndex) => number | null | undefined) =>
      assessment.meanOfLevels(valid.flatMap((day) => of(day) ?? []));
    const periods = preset.periods.map(
      ({ name: period }, at) => [period, over(({ periods }) => periods[at]?.levels.leq)] as const,
    );
    const [value, leq] = [over((day) => day.value), over(({ whole }) => whole.leq)];
    const shown = (which: 'level' | 'error') =>
      shownMean(
        {
          periods: periods.map(([period, mean]) => ({ period, leq: mean[which] })),
          value: value[which],
          leq: leq[which],
        },
        preset.index,
      );
    const { weighted_by: _, ...error } = shown('error');
    return {
      name,
      days: valid.length,
      left_out: own.filter((day) => !day.valid).map(({ date }) => date),
      mean_of_days: shown('level'),
      standard_error: error,
    };
  });
}
