/**
 * Calendar days of a place with the real times of their periods: 23 or 25 hours at a clock change. A night over
 * midnight is part of two days: a day has the end of one night and the beginning of the next.
 */
import { calendarSpans, momentsAround, type Span } from '../zone.ts';
import { MINUTES_A_DAY, minutesOfPeriod, type Period, type PeriodName } from './periods.ts';

const DAY_MS = 86_400_000;

/** A day of the local calendar, ms since 1970 UTC. */
export interface LocalDay extends Span {
  /** `YYYY-MM-DD` of the local calendar. */
  readonly date: string;
  readonly hours: number;
  /** Pieces of the periods, in order of time; together they are the day. */
  readonly pieces: readonly DayPiece[];
}

/** A part of a period that lies in one day. */
export interface DayPiece extends Span {
  readonly period: PeriodName;
  /** The whole period of this piece: a night that midnight cuts continues in the day before or after. */
  readonly within: Span;
}

/** Every local day that overlaps [from, to), as a whole day. Throws RangeError for an unknown zone. */
export function localDays(zone: string, span: Span, periods: readonly Period[] = []): LocalDay[] {
  const days = calendarSpans(zone, span, 'day');
  const moment = momentsAround(zone, { from: span.from - DAY_MS, to: span.to + DAY_MS });
  return days.map(({ name, local, from, to }) => {
    const at = (minutes: number) => moment(local + minutes * 60_000);
    const pieces = periods
      .flatMap((period) => minutesOfPeriod(period).map((piece) => pieceOf(period, piece, at)))
      .filter((piece) => piece.to > piece.from)
      .toSorted((a, b) => a.from - b.from);
    return { from, to, date: name, hours: (to - from) / 3_600_000, pieces };
  });
}

function pieceOf(
  { name, from, to }: Period,
  [begin, end]: readonly [number, number],
  at: (minutes: number) => number,
): DayPiece {
  const isCut = from >= to;
  const within = {
    from: at(isCut && begin === 0 ? from - MINUTES_A_DAY : begin),
    to: at(isCut && begin !== 0 ? to + MINUTES_A_DAY : end),
  };
  return { period: name, from: at(begin), to: at(end), within };
}
