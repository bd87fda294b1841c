/**
 * What the clocks of a place show. A time zone is a list of spans, each with one offset from UTC; local times are milliseconds
 * since 1970 as if the local clock were UTC. The rules of all zones come with Node; the zone of this computer is not used.
 *
 *   UTC     |-------- +1 h --------|------- +2 h -------|--- +1 h ...
 *   local                      02:00 03:00          03:00 02:00
 */
import { Temporal } from 'temporal-polyfill';

/** Within [from, to) local = UTC + offset. All in milliseconds. */
export interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** The spans that hold [from, to], in order, without holes; the first begins at `from`. Throws RangeError for no zone. */
export function offsetSpans(zone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  // A clock may count parts of a millisecond; no zone changes within one.
  let at = Temporal.Instant.fromEpochMilliseconds(Math.floor(from)).toZonedDateTimeISO(zone);
  for (let begin = from; ; ) {
    const next = at.getTimeZoneTransition('next');
    const end = next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds;
    spans.push({ from: begin, to: end, offset: at.offsetNanoseconds / 1e6 });
    if (next === null || end > to) return spans;
    at = next;
    begin = end;
  }
}

/** How far the clocks of the zone are ahead of UTC at this time (ms since 1970 UTC), ms. */
export const zoneOffset = (zone: string, at: number): number => offsetSpans(zone, at, at)[0]?.offset ?? 0;

/**
 * The first time at which the local clock shows `local` or later. If the clock is set back over it, this is the first of the two;
 * if it is skipped, the time of the change. So edges keep their order, and no time is between two spans or in both.
 */
export function firstMoment(spans: readonly OffsetSpan[], local: number): number {
  const span = spans.find(({ to, offset }) => to + offset > local);
  if (!span) throw new RangeError('the spans do not reach that far');
  return Math.max(span.from, local - span.offset);
}
