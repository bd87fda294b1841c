/**
 * Calendar days of a place with the real times of their periods: 23 or 25 hours where the clocks change. A night over midnight
 * is part of two days, so a day has the end of one night and the beginning of the next.
 */
import { type Period, type PeriodName, piecesOf } from './periods.ts';
import { firstMoment, offsetSpans } from './zone.ts';

/** Times in ms since 1970 UTC, `to` excluded. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface LocalDay extends Span {
  /** `YYYY-MM-DD` of the local calendar. */
  readonly date: string;
  readonly hours: number;
  /** Pieces of the periods, in order of time; together they are the day. */
  readonly pieces: readonly (Span & { readonly period: PeriodName })[];
}

const DAY_MS = 86_400_000;
/** No local clock is further from UTC than this. */
const FARTHEST_MS = DAY_MS;

/** Every local day that overlaps [from, to), as a whole day. Throws RangeError for a zone that is none. */
export function localDays(zone: string, { from, to }: Span, periods: readonly Period[] = []): LocalDay[] {
  if (!(to > from)) return [];
  const spans = offsetSpans(zone, from - 2 * FARTHEST_MS, to + 2 * FARTHEST_MS);
  const moment = (local: number) => firstMoment(spans, local);
  const days: LocalDay[] = [];
  const first = Math.floor((from - FARTHEST_MS) / DAY_MS) * DAY_MS;
  for (let midnight = first; moment(midnight) < to; midnight += DAY_MS) {
    const day = { from: moment(midnight), to: moment(midnight + DAY_MS) };
    // A place that crosses the date line leaves out a date.
    if (day.to > day.from && day.to > from) days.push(localDay(midnight, day, periods, moment));
  }
  return days;
}

function localDay(
  midnight: number,
  day: Span,
  periods: readonly Period[],
  moment: (local: number) => number,
): LocalDay {
  const at = (minutes: number) => moment(midnight + minutes * 60_000);
  const pieces = periods
    .flatMap((period) => piecesOf(period).map(([from, to]) => ({ period: period.name, from: at(from), to: at(to) })))
    .filter(({ from, to }) => to > from)
    .toSorted((a, b) => a.from - b.from);
  const date = new Date(midnight).toISOString().slice(0, 10);
  return { ...day, date, hours: (day.to - day.from) / 3_600_000, pieces };
}
