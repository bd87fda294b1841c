/**
 * Rows of the card come late and know more: gaps are filled, so an event may have been louder than it was told. What changes
 * is noted beside what was told, and told again.
 */
import { type Clock, type GatewayEvent, type History, type Log, messageOf, type Tables } from '../../lib/index.ts';
import type { EventLog } from './event-log.ts';
import { percentOf } from './rule.ts';
import { EVENTS, type EventRow } from './tables.ts';

export interface RevisionParts {
  readonly clock: Clock;
  readonly history: Pick<History, 'flush' | 'query'>;
  readonly tables: Pick<Tables, 'read'>;
  readonly events: Pick<EventLog, 'change'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A file comes in many pieces: so long after the last one the events are looked at. */
const QUIET_MS = 10_000;
/** Less is rounding, dB. */
const LEAST_DB = 0.1;
const MOST_EVENTS = 1_000;

interface Span {
  from: number;
  to: number;
  cancel: () => void;
}

export class Revision {
  readonly #parts: RevisionParts;
  readonly #spans = new Map<string, Span>();

  constructor(parts: RevisionParts) {
    this.#parts = parts;
  }

  rows({ unitId, data }: Pick<GatewayEvent<'rows'>, 'unitId' | 'data'>): void {
    if (data.source !== 'card') return;
    const span = this.#spans.get(unitId) ?? { from: Infinity, to: -Infinity, cancel: () => {} };
    for (const { at } of data.seconds ?? []) extend(span, at, at + 1);
    for (const { at, duration } of data.intervals ?? []) extend(span, at, at + duration);
    span.cancel();
    span.cancel = this.#parts.clock.after(QUIET_MS, () => {
      this.#spans.delete(unitId);
      this.#revise(unitId, span).catch((error: unknown) => {
        if (!this.#parts.signal.aborted)
          this.#parts.log.warn({ unit_id: unitId, reason: messageOf(error) }, 'events could not be revised');
      });
    });
    this.#spans.set(unitId, span);
  }

  close(): void {
    for (const { cancel } of this.#spans.values()) cancel();
  }

  async #revise(unitId: string, { from, to }: Span): Promise<void> {
    const { history, tables, signal } = this.#parts;
    await history.flush(signal);
    const where = {
      unitId,
      kind: 'level' as const,
      closedAt: { above: from * 1_000 },
      windowFrom: { below: to * 1_000 },
    };
    const found = await tables.read((rows) => rows.find(EVENTS, { where, order: { id: 'desc' }, limit: MOST_EVENTS }));
    for (const event of found) await this.#look(event);
  }

  async #look(event: EventRow): Promise<void> {
    const { worst, windowFrom, windowTo, worstAt } = event;
    if (worst === null || windowFrom === null || windowTo === null) return;
    // A sliding window was worst where it ended then; one of the clock stays where it is.
    const isSliding = windowTo === event.openedAt && worstAt !== null && worstAt > windowTo;
    const shift = isSliding ? worstAt - windowTo : 0;
    const value = await this.#value(
      event,
      Math.floor((windowFrom + shift) / 1_000),
      Math.floor((windowTo + shift) / 1_000),
    );
    const was = event.revised?.value ?? worst;
    if (value === null || Math.abs(value - was) < LEAST_DB) return;
    const revised = { value: Math.round(value * 100) / 100, was, at: this.#parts.clock.now() };
    await this.#parts.events.change({ ...event, revised }, 'revised');
  }

  async #value({ unitId, what }: EventRow, from: number, to: number): Promise<number | null> {
    const { history, signal } = this.#parts;
    const percent = percentOf(what);
    const percentiles = percent === undefined ? [] : [percent];
    const { rows } = await history.query({ unitId, over: { ranges: [{ from, to }] }, percentiles }, signal);
    for await (const [row] of rows) {
      if (!row) continue;
      if (percent !== undefined) return row.ln[0] ?? null;
      return what === 'leq' ? row.leq : what === 'lmax' ? row.lmax : row.lpeak;
    }
    return null;
  }
}

function extend(span: Span, from: number, to: number): void {
  span.from = Math.min(span.from, from);
  span.to = Math.max(span.to, to);
}
