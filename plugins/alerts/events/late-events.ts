/**
 * Events that nobody could see while they happened, because their levels were only on the card. The rule is tried on what is known now; what it
 * finds in the span that the card has filled, and that was not reported, becomes an event that has ended.
 */
import type { Clock, DeviceConfig, History, Tables } from '../../../lib/index.ts';
import { windowAt } from '../rules/clock-windows.ts';
import { lengthOf } from '../rules/level-watch.ts';
import { type Replayed, replay } from '../rules/replay.ts';
import { type LevelRule, percentOf, type Rule } from '../rules/rule.ts';
import { EVENTS, type EventRow } from '../tables.ts';
import { levelEvent, type NewEvent, rounded } from './level-event.ts';

export type KeptLevelRule = LevelRule & Pick<Rule, 'id' | 'createdAt' | 'changedAt'>;

/** Seconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface LateParts {
  readonly history: Pick<History, 'query'>;
  readonly tables: Pick<Tables, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

export interface LateEvent {
  readonly event: NewEvent;
  readonly closedAt: number;
  /** The value that the gateway itself had recorded in the window; null: nothing. */
  readonly was: number | null;
}

/** Less is rounding, dB: the stream had the window already, and found it below the limit. */
export const LEAST_DB = 0.1;

export async function lateEvents(
  parts: LateParts,
  rule: KeptLevelRule,
  unit: Pick<DeviceConfig, 'unitId' | 'timezone'>,
  filled: Span,
): Promise<LateEvent[]> {
  const wide = widened(rule, unit.timezone, filled);
  if (wide.to <= wide.from) return [];
  const found = await replay(parts.history, rule, unit, wide, parts.signal);
  const known = await knownIn(parts.tables, rule, unit.unitId, wide);
  const late: LateEvent[] = [];
  for (const one of found) {
    const { closedAt } = one;
    // A window that has not ended is left to the running watch.
    if (closedAt === undefined || closedAt * 1_000 > parts.clock.now()) continue;
    if (closedAt <= filled.from || one.from >= filled.to) continue;
    if (known.some((event) => isSame(rule, event, one, closedAt))) continue;
    const event = levelEvent(rule, unit.timezone, unit.unitId, one);
    const was = await ownValue(parts, event);
    if (was !== null && one.value - was < LEAST_DB) continue;
    late.push({ event, closedAt: closedAt * 1_000, was });
  }
  return late;
}

/** Whole windows, none from before the one in which the rule was made as it is. */
function widened({ align, window, changedAt }: KeptLevelRule, zone: string, { from, to }: Span): Span {
  if (align === 'sliding') {
    const length = lengthOf(window);
    return { from: Math.max(from - length, Math.ceil(changedAt / 1_000)), to: to + length };
  }
  const begin = (at: number) => windowAt(zone, window, at).from;
  return {
    from: Math.floor(Math.max(begin(from * 1_000), begin(changedAt)) / 1_000),
    to: Math.floor(windowAt(zone, window, to * 1_000 - 1).to / 1_000),
  };
}

async function knownIn(tables: LateParts['tables'], rule: KeptLevelRule, unitId: string, { from, to }: Span) {
  const where = { ruleId: Number(rule.id), unitId, windowFrom: { below: to * 1_000 } };
  const events = await tables.read((rows) => rows.find(EVENTS, { where }));
  return events.filter(({ closedAt }) => closedAt === null || closedAt >= from * 1_000);
}

function isSame({ align }: KeptLevelRule, event: EventRow, { from, at }: Replayed, closedAt: number): boolean {
  if (align === 'clock') return event.windowFrom === from * 1_000;
  return event.openedAt < closedAt * 1_000 && (event.closedAt ?? Number.POSITIVE_INFINITY) > at * 1_000;
}

/** Only of the stream. */
async function ownValue({ history, signal }: LateParts, event: NewEvent): Promise<number | null> {
  const [from, to] = [event.windowFrom ?? 0, event.windowTo ?? 0].map((at) => Math.floor(at / 1_000)) as [
    number,
    number,
  ];
  const value = await levelOver(
    history,
    { unitId: event.unitId, what: event.what, from, to, source: 'stream' },
    signal,
  );
  return value === null ? null : rounded(value);
}

export interface Asked extends Span {
  readonly unitId: string;
  readonly what: string;
  readonly source?: 'stream' | undefined;
}

/** The quantity of an event over a span, from all sources unless one is named. */
export async function levelOver(
  history: Pick<History, 'query'>,
  { unitId, what, from, to, source }: Asked,
  signal: AbortSignal,
): Promise<number | null> {
  const percent = percentOf(what);
  const percentiles = percent === undefined ? [] : [percent];
  const query = { unitId, over: { ranges: [{ from, to }] }, percentiles, ...(source && { source }) };
  for await (const [row] of (await history.query(query, signal)).rows) {
    if (!row) continue;
    if (percent !== undefined) return row.ln[0] ?? null;
    return what === 'leq' ? row.leq : what === 'lmax' ? row.lmax : row.lpeak;
  }
  return null;
}
