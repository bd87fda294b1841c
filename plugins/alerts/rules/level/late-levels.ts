/**
 * Levels of the card come hours later. They change the value of an event, or show one that nobody could see while it happened: the rule is
 * tried on what is known now, and what it finds in the span that the card has filled becomes an event that is over.
 */
import { MAIN_CHANNEL, type quantities } from '../../../../lib/index.ts';
import type { EventRow } from '../../tables.ts';
import type {
  HistoryParts,
  LateEvent,
  LateLevels,
  LateParts,
  Opening,
  Replayed,
  RuleUnit,
  SecondsSpan,
} from '../kind.ts';
import { windowAt } from './clock-windows.ts';
import { levelEvent, rounded } from './level-event.ts';
import { type KeptLevelRule, type LevelFields, percentOf, windowSeconds } from './level-rule.ts';
import { leftOut } from './refill.ts';
import { replay } from './replay.ts';

/** Less is rounding, dB: the stream had the window already, and found it below the limit. */
const LEAST_DB = 0.1;

/** How the kind `level` looks back. */
export const lateLevels: LateLevels<LevelFields> = { value: valueNow, events: lateEvents };

/** By what is recorded now. */
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
  // A sliding window was worst where it ended then; one of the clock stays where it is.
  const isSliding = windowTo === openedAt && worstAt !== null && worstAt > windowTo;
  const shift = isSliding ? worstAt - windowTo : 0;
  const span = secondsOf(windowFrom + shift, windowTo + shift);
  const value = await levelOver({ unitId, channel, what, ...span, exclusions: rule?.exclusions }, parts);
  return value === null ? null : rounded(value);
}

async function lateEvents(
  rule: KeptLevelRule,
  place: RuleUnit,
  filled: SecondsSpan,
  parts: LateParts,
): Promise<LateEvent[]> {
  const wide = widened(rule, place.zone, filled);
  if (wide.to <= wide.from) return [];
  // Each window for itself: some of them may be known.
  const found = await replay({ ...rule, continue: false }, place, wide, parts);
  const known = await parts.known(wide);
  const late: LateEvent[] = [];
  for (const one of found) {
    const { closedAt } = one;
    // A window that has not ended is left to the running watch.
    if (closedAt === undefined || closedAt * 1_000 > parts.now) continue;
    if (closedAt <= filled.from || one.from >= filled.to) continue;
    if (known.some((event) => isSame(rule, event, one, closedAt))) continue;
    const opening = levelEvent(rule, place.zone, one);
    const was = await ownValue(rule, place, opening, parts);
    if (was !== null && one.value - was < LEAST_DB) continue;
    late.push({ opening, closedAt: closedAt * 1_000, was });
  }
  return late;
}

/** Whole windows, none from before the one in which the rule was made as it is. */
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

function isSame({ align }: KeptLevelRule, event: EventRow, { from, at }: Replayed, closedAt: number): boolean {
  if (align === 'clock') return (event.windowFrom ?? 0) <= from * 1_000 && (event.windowTo ?? 0) > from * 1_000;
  return event.openedAt < closedAt * 1_000 && (event.closedAt ?? Number.POSITIVE_INFINITY) > at * 1_000;
}

/** Only of the stream. */
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
  /** All unless one is named. */
  readonly source?: 'stream' | undefined;
  /** Of the rule. */
  readonly exclusions: LevelFields['exclusions'];
}

/** A quantity over a span. */
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
