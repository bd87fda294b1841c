/**
 * Calendar days of a place with the real times of their periods: 23 or 25 hours where the clocks change. A night over midnight
 * is part of two days, so a day has the end of one night and the beginning of the next.
 */
import { calendarSpans, momentsAround, type Span } from '../zone.ts';
import { type Period, type PeriodName, piecesOf } from './periods.ts';

export interface LocalDay extends Span {
  /** `YYYY-MM-DD` of the local calendar. */
  readonly date: string;
  readonly hours: number;
  /** Pieces of the periods, in order of time; together they are the day. */
  readonly pieces: readonly (Span & { readonly period: PeriodName })[];
}

/** Every local day that overlaps [from, to), as a whole day. Throws RangeError for a zone that is none. */
export function localDays(zone: string, span: Span, periods: readonly Period[] = []): LocalDay[] {
  const days = calendarSpans(zone, span, 'day');
  const moment = momentsAround(zone, span);
  return days.map(({ name, local, from, to }) => {
    const at = (minutes: number) => moment(local + minutes * 60_000);
    const pieces = periods
      .flatMap((period) =>
        piecesOf(period).map(([begin, end]) => ({ period: period.name, from: at(begin), to: at(end) })),
      )
      .filter((piece) => piece.to > piece.from)
      .toSorted((a, b) => a.from - b.from);
    return { from, to, date: name, hours: (to - from) / 3_600_000, pieces };
  });
}
