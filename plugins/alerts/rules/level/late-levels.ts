/**
 * Levels may come hours later, in any order. They change an event, join two events, or show an event that nobody noticed.
 * The rule is run over all levels that are known now. Its events replace the stored events around the filled span.
 */
import { MAIN_CHANNEL, type quantities } from '../../../../lib/built-in.ts';
import type { EventRow } from '../../tables.ts';
import type {
  FilledSpan,
  HistoryParts,
  LateEvent,
  LateLevels,
  LateParts,
  Opening,
  Replayed,
  RuleUnit,
  SecondsSpan,
} from '../kind.ts';
import { windowAt } from './clock-watch.ts';
import { type KeptLevelRule, type LevelFields, percentOf, windowSeconds } from './level-rule.ts';
import { levelEvent, rounded } from './level-rule-watch.ts';
import { leftOut, refillFrom } from './refill.ts';
import { replay } from './replay.ts';

/** A smaller excess is rounding, dB: the stream already had this window, and found it below the limit. */
const LEAST_DB = 0.1;

export const lateLevels: LateLevels<LevelFields> = { value: valueNow, events: lateEvents };

async function valueNow(
  { unitId, ...event }: EventRow,
  parts: HistoryParts,
  rule: KeptLevelRule | undefined,
): Promise<number | null> {
  const { what, worst, windows, worstAt, openedAt } = event;
  const channel = event.channel ?? MAIN_CHANNEL;
  // An event of several windows has the value of the worst of them.
  const [windowFrom, windowTo] = [windows?.worstFrom ?? event.windowFrom, windows?.worstTo ?? event.windowTo];
  if (worst === null || windowFrom === null || windowTo === null) return null;
  // The worst sliding window ended at the worst value; a window of the clock keeps its place.
  const isSliding = windowTo === openedAt && worstAt !== null && worstAt > windowTo;
  const shift = isSliding ? worstAt - windowTo : 0;
  const span = secondsOf(windowFrom + shift, windowTo + shift);
  const value = await levelOver({ unitId, channel, what, ...span, exclusions: rule?.exclusions }, parts);
  return value === null ? null : rounded(value);
}

async function lateEvents(
  rule: KeptLevelRule,
  place: RuleUnit,
  filled: FilledSpan,
  parts: LateParts,
): Promise<LateEvent[]> {
  const { span, found } = await foundAround(rule, place, filled, parts);
  const known = await parts.known(span);
  const late: LateEvent[] = [];
  for (const one of found) {
    const to = one.closedAt ?? Number.POSITIVE_INFINITY;
    if (to <= filled.from || one.from >= filled.to) continue;
    const own = known.filter((event) => isSame(rule, event, one, to));
    const opening = levelEvent(rule, place.zone, one);
    // The running watch finds new events of the present, unless they began before the levels that it reads.
    const isOver = to * 1_000 <= parts.now;
    if (!isOver && own.length === 0 && one.from >= refillFrom(rule, place.zone, parts.now / 1_000)) continue;
    const closedAt = isOver ? to * 1_000 : null;
    if (own.length > 0) {
      late.push({ opening, closedAt, known: own, was: null });
      continue;
    }
    // The gateway's own levels were judged when they came, if they came in time.
    const was = filled.isOwn ? null : await ownValue(rule, place, opening, parts);
    if (was === null || one.value - was >= LEAST_DB) late.push({ opening, closedAt, known: own, was });
  }
  return late;
}

/** Widens the span until no event reaches beyond it, since hours come in any order. */
async function foundAround(rule: KeptLevelRule, place: RuleUnit, filled: SecondsSpan, parts: LateParts) {
  const now = Math.floor(parts.now / 1_000);
  const length = Math.max(3_600, 2 * windowSeconds(rule.window));
  let [before, after] = [length, length];
  for (;;) {
    const span = widened(rule, place.zone, { from: filled.from - before, to: Math.min(now, filled.to + after) });
    if (span.to <= span.from) return { span, found: [] };
    const found = await replay(rule, place, span, parts);
    const [first, last] = [found[0], found.at(-1)];
    // Without `continue` each window of the clock has an event of its own.
    if (rule.align === 'clock' && rule.continue !== true) return { span, found };
    const mayBeginBefore = first !== undefined && first.from <= span.from && !isFirst(rule, place.zone, span.from);
    const mayEndAfter = last !== undefined && last.closedAt === undefined && span.to < now;
    if (!mayBeginBefore && !mayEndAfter) return { span, found };
    if (mayBeginBefore) before *= 2;
    if (mayEndAfter) after *= 2;
  }
}

/** Whether windows before this time do not count, because the rule was created later. */
const isFirst = (rule: KeptLevelRule, zone: string, from: number): boolean =>
  from * 1_000 <= (rule.align === 'sliding' ? rule.changedAt + 1_000 : windowAt(zone, rule, rule.changedAt).from);

function widened(rule: KeptLevelRule, zone: string, { from, to }: SecondsSpan): SecondsSpan {
  const { align, window, changedAt } = rule;
  if (align === 'sliding') {
    const length = windowSeconds(window);
    return { from: Math.max(from - length, Math.ceil(changedAt / 1_000)), to: to + length };
  }
  const begin = (at: number) => windowAt(zone, rule, at).from;
  return {
    from: Math.floor(Math.max(begin(from * 1_000), begin(changedAt)) / 1_000),
    to: Math.floor(windowAt(zone, rule, to * 1_000 - 1).to / 1_000),
  };
}

function isSame({ align }: KeptLevelRule, event: EventRow, { from, at }: Replayed, to: number): boolean {
  if (align === 'clock') return (event.windowFrom ?? 0) < to * 1_000 && (event.windowTo ?? 0) > from * 1_000;
  return event.openedAt < to * 1_000 && (event.closedAt ?? Number.POSITIVE_INFINITY) > at * 1_000;
}

/** Uses only levels of the stream. */
async function ownValue({ exclusions }: KeptLevelRule, { unitId }: RuleUnit, opening: Opening, parts: HistoryParts) {
  const { channel = MAIN_CHANNEL, what, windowFrom, windowTo } = opening;
  const span = secondsOf(windowFrom ?? 0, windowTo ?? 0);
  const value = await levelOver({ unitId, channel, what, ...span, exclusions, source: 'stream' }, parts);
  return value === null ? null : rounded(value);
}

const secondsOf = (from: number, to: number): SecondsSpan => ({
  from: Math.floor(from / 1_000),
  to: Math.floor(to / 1_000),
});

interface Wanted extends SecondsSpan {
  readonly unitId: string;
  readonly channel: string;
  readonly what: string;
  readonly source?: 'stream' | undefined;
  readonly exclusions: LevelFields['exclusions'];
}

async function levelOver({ unitId, channel, what, from, to, source, exclusions }: Wanted, parts: HistoryParts) {
  const percent = percentOf(what);
  const percentiles = percent === undefined ? [] : [percent];
  const excluding = leftOut(parts, { unitId, from, to, rule: { channel, ...(exclusions && { exclusions }) } });
  const over = { ranges: [{ from, to }] };
  const query = { unitId, channel, over, percentiles, ...(source && { source }), ...excluding };
  for await (const [row] of (await parts.history.query(query, parts.signal)).rows) {
    if (!row) continue;
    if (percent !== undefined) return row.ln[0] ?? null;
    return row[what as quantities.KeptQuantity] ?? null;
  }
  return null;
}
