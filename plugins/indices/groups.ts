/** The weeks, months or years of an answer: means of their valid days, in which each day counts the same, and how sure they are. */
import { type indices, zones } from '../../lib/index.ts';
import { assessment } from '../assessment/index.ts';
import { shownMean } from './shown.ts';

/** The lengths of groups of days. */
export const GROUPED_BY = Object.freeze(['none', 'week', 'month', 'year'] as const);
export type GroupedBy = (typeof GROUPED_BY)[number];

/** `days` in order, each with its first moment, ms since 1970 UTC. A week belongs to the year of its Thursday (ISO 8601). */
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
