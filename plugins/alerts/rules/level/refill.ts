/** Reads the levels of a window from before the watch began from the history: after a restart, and for a new rule. */
import type { HistoryQuery, HistoryRow } from '../../../../lib/index.ts';
import type { HistoryParts, Piece, SecondsSpan } from '../kind.ts';
import { windowAt } from './clock-watch.ts';
import { channelOf, type LevelRule, leavesOut, percentOf, windowSeconds } from './level-rule.ts';

/** Up to this length a window is filled by the second, a longer window by the minute. Seconds. */
const FINE_S = 300;

/** The fields of a rule that decide which levels it needs. */
export type RefillRule = Pick<LevelRule, 'quantity' | 'channel' | 'align' | 'window' | 'schedule' | 'exclusions'>;

interface Refill {
  readonly unitId: string;
  readonly rule: RefillRule;
  readonly from: number;
  readonly to: number;
  /** Seconds of a piece; default by the window of the rule. */
  readonly step?: number | undefined;
}

export async function* piecesBetween(
  parts: HistoryParts,
  { unitId, rule, from, to, step }: Refill,
): AsyncGenerator<Piece> {
  const counts = percentOf(rule.quantity) !== undefined;
  const seconds = step ?? stepOf(rule);
  const begin = Math.floor(from / seconds) * seconds;
  const end = Math.floor(to / seconds) * seconds;
  if (end <= begin) return;
  const over = { from: begin, to: end, step: seconds };
  const query = { unitId, channel: channelOf(rule), over, counts, ...leftOut(parts, { unitId, rule, ...over }) };
  const answer = await parts.history.query(query, parts.signal);
  for await (const page of answer.rows) {
    for (const row of page) {
      const piece = pieceOf(row);
      if (piece) yield piece;
    }
  }
  // The rest of the last minute.
  if (end < to) yield* piecesBetween(parts, { unitId, rule, from: end, to, step: 1 });
}

interface Reading {
  readonly takers: Set<(piece: Piece) => boolean>;
  readonly done: Promise<void>;
}
/** Readings that begin in a moment, by what they read. */
const beginning = new WeakMap<HistoryParts['history'], Map<string, Reading>>();

/**
 * Gives the same pieces to `take` until it returns false. The rules of a unit often begin together, as after a start: those
 * that want the same levels share one reading, and a long window of percentiles is read once.
 */
export function takeBetween(parts: HistoryParts, refill: Refill, take: (piece: Piece) => boolean): Promise<void> {
  const { unitId, rule, from, to } = refill;
  const readings = beginning.get(parts.history) ?? new Map<string, Reading>();
  beginning.set(parts.history, readings);
  const isCounted = percentOf(rule.quantity) !== undefined;
  const key = JSON.stringify([unitId, channelOf(rule), from, to, stepOf(rule), isCounted, leavesOut(rule)]);
  const other = readings.get(key);
  if (other) {
    other.takers.add(take);
    return other.done;
  }
  const takers = new Set([take]);
  const read = async () => {
    // The rules that begin now join.
    await Promise.resolve();
    readings.delete(key);
    for await (const piece of piecesBetween(parts, refill)) {
      for (const each of takers) if (!each(piece)) takers.delete(each);
      if (takers.size === 0) return;
    }
  };
  const done = read();
  readings.set(key, { takers, done });
  return done;
}

/** The time within a span of seconds that a query of the history leaves out for a rule. */
export function leftOut(
  { notes }: Pick<HistoryParts, 'notes'>,
  {
    unitId,
    rule,
    from,
    to,
  }: SecondsSpan & { readonly unitId: string; readonly rule: Pick<LevelRule, 'channel' | 'exclusions'> },
): Pick<HistoryQuery, 'excluded'> {
  if (!leavesOut(rule)) return {};
  return { excluded: notes.excluded(unitId, { from: from * 1_000, to: to * 1_000 }, channelOf(rule)).ranges };
}

/** A sliding window moves by seconds, so that a restart changes no value. */
function stepOf({ align, window }: RefillRule): number {
  return align === 'sliding' || windowSeconds(window) <= FINE_S ? 1 : 60;
}

/**
 * The time from which a watch that begins at `now` needs the levels. With windows of the clock, the watch judges the
 * window before, too: it may have ended while the gateway was down. The window in which a rule was created counts as a
 * whole, earlier windows do not.
 */
export function refillFrom(rule: RefillRule & { readonly changedAt: number }, zone: string, now: number): number {
  if (rule.align === 'sliding') return Math.floor((now - windowSeconds(rule.window)) / 60) * 60;
  const present = windowAt(zone, rule, now * 1_000);
  const before = windowAt(zone, rule, present.from - 1);
  const made = windowAt(zone, rule, rule.changedAt);
  return Math.floor(Math.max(before.from, made.from) / 60_000) * 60;
}

/** Undefined: the row has no measured time. */
function pieceOf(row: HistoryRow): Piece | undefined {
  const { from, to, measured, leq, counts, bounds } = row;
  return leq === null ? undefined : { at: from, to, seconds: measured, levels: row, bounds, counts };
}
