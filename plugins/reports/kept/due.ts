/**
 * When a report is due, and about what: the day, week or month before, at a time of the local clock. Pure. A time that the clocks skip is
 * due as soon as they have jumped; of one that comes twice the first counts.
 */
import { zones } from '../../../lib/index.ts';
import type { ReportBody } from './schemas.ts';

/** One time at which a report is due, and the span it is about; ms since 1970 UTC. */
export interface Due extends zones.Span {
  readonly at: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The last rows of a period are kept by then. */
const SETTLE_MS = 5 * MINUTE_MS;
/** The longest period, and a day for the clock. */
const LONGEST_MS = 33 * DAY_MS;

/** Every time in (after, until], in order. Times more than 400 days before `until` are left out. */
export function duesIn(body: ReportBody, after: number, until: number): readonly Due[] {
  const { period, at, zone } = body;
  if (period === 'none' || until <= after) return [];
  const since = Math.max(after, until - 400 * DAY_MS);
  const spans = zones.calendarSpans(zone, { from: since - LONGEST_MS, to: until + DAY_MS }, period);
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const time = (hours * 60 + minutes) * MINUTE_MS;
  const moment = zones.momentsAround(zone, { from: since - LONGEST_MS, to: until + LONGEST_MS });
  return spans
    .flatMap(({ local, from }, index): Due[] => {
      const before = spans[index - 1];
      const due = Math.max(moment(local + time), from + SETTLE_MS);
      return before ? [{ from: before.from, to: before.to, at: due }] : [];
    })
    .filter((due) => due.at > since && due.at <= until);
}

/** The first time after this one; null: never. */
export const nextDue = (body: ReportBody, after: number): number | null =>
  body.period === 'none' ? null : (duesIn(body, after, after + LONGEST_MS)[0]?.at ?? null);

/** The last whole period before now; undefined for a report without one. */
export function lastPeriod({ period, zone }: ReportBody, now: number): zones.Span | undefined {
  if (period === 'none') return undefined;
  const spans = zones.calendarSpans(zone, { from: now - LONGEST_MS - LONGEST_MS, to: now }, period);
  return spans.findLast(({ to }) => to <= now);
}
