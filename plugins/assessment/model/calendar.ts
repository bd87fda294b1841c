/** Periods of a preset as real times, also at clock changes and for nights that end on a holiday. */
import { zones } from '../../../lib/built-in.ts';
import { DAY_KINDS, type DayKind, type PeriodBody, type TimeOfDay } from './contract.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Minutes of a day without a clock change. */
export const USUAL_MINUTES = 1_440;

/** Minutes after midnight of `HH:MM`. */
export const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/** Minutes after the midnight of its day; the end may be on the next day. */
export function minutesOfTime({ from, to }: TimeOfDay): { readonly from: number; readonly to: number } {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  return { from: begin, to: end > begin ? end : end + USUAL_MINUTES };
}

interface Occurrence {
  readonly period: string;
  /** In order; two spans if midnight cuts a night. ms since 1970 UTC. */
  readonly spans: readonly zones.Span[];
}

export interface AssessedDate extends zones.Span {
  /** `2026-11-21` of the local calendar. */
  readonly date: string;
  readonly kind: DayKind;
  readonly periods: readonly Occurrence[];
}

export interface AskedDates {
  readonly zone: string;
  readonly span: zones.Span;
  /** Dates, `2026-12-25`. */
  readonly holidays: ReadonlySet<string>;
}

/** `local`: its midnight by the local clock. */
const kindOf = (local: number, holidays: ReadonlySet<string>): DayKind =>
  holidays.has(new Date(local).toISOString().slice(0, 10)) ? 'holiday' : (DAY_KINDS[zones.weekdayOf(local)] ?? 'mon');

/** Every local day that overlaps the span, as a whole: with the night that begins on it, or parts of two nights. */
export function datesOf(
  periods: readonly PeriodBody[],
  nightOf: 'evening' | 'midnight',
  { zone, span, holidays }: AskedDates,
): AssessedDate[] {
  const moment = zones.momentsAround(zone, { from: span.from - 2 * DAY_MS, to: span.to + 3 * DAY_MS });
  const on = (times: readonly TimeOfDay[], local: number): zones.Span[] => {
    const kind = kindOf(local, holidays);
    return times
      .filter(({ days }) => days.includes(kind))
      .map(minutesOfTime)
      .map(({ from, to }) => ({ from: moment(local + from * MINUTE_MS), to: moment(local + to * MINUTE_MS) }))
      .filter(({ from, to }) => to > from);
  };
  return zones.calendarSpans(zone, span, 'day').map(({ name, local, from, to }) => ({
    date: name,
    from,
    to,
    kind: kindOf(local, holidays),
    periods: periods
      .map((period) => ({
        period: period.name,
        spans:
          nightOf === 'evening'
            ? on(period.times, local)
            : partsWithin([...on(period.times, local - DAY_MS), ...on(period.times, local)], { from, to }),
      }))
      .filter(({ spans }) => spans.length > 0),
  }));
}

/** The times within a span, in order, from all days that overlap the span. */
export function timesWithin(times: readonly TimeOfDay[], { zone, span, holidays }: AskedDates): zones.Span[] {
  return datesOf([{ name: 'rest', times }], 'evening', { zone, span, holidays })
    .flatMap(({ periods }) => periods.flatMap(({ spans }) => spans))
    .toSorted((one, other) => one.from - other.from);
}

export const partsWithin = (spans: readonly zones.Span[], { from, to }: zones.Span): zones.Span[] =>
  spans
    .map((span) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
    .filter((span) => span.to > span.from)
    .toSorted((one, other) => one.from - other.from);
