/**
 * Rows of the card come late and fill gaps, so an event may have been louder than it was reported, or it was not noticed at all. A
 * changed value is kept next to the reported one, and reported again; an unnoticed event is reported as one that has ended.
 */
import { type Clock, type GatewayEvent, type History, type Log, messageOf, type Tables } from '../../../lib/index.ts';
import { EVENTS, type EventRow } from '../tables.ts';
import type { EventLog } from './event-log.ts';
import { type KeptLevelRule, LEAST_DB, lateEvents, levelOver } from './late-events.ts';

export interface RevisionParts {
  readonly clock: Clock;
  readonly history: Pick<History, 'flush' | 'query'>;
  readonly tables: Pick<Tables, 'read'>;
  readonly events: Pick<EventLog, 'change' | 'addLate'>;
  /** The level rules of a unit that are on. */
  readonly rulesOf: (unitId: string) => readonly KeptLevelRule[];
  /** IANA name of the zone of a unit. */
  readonly zoneOf: (unitId: string) => string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A file comes in many pieces: the events are checked this long after the last one. */
const QUIET_MS = 10_000;
const MOST_EVENTS = 1_000;

interface Span {
  from: number;
  to: number;
  cancel: () => void;
}

export class Revision {
  readonly #parts: RevisionParts;
  readonly #spans = new Map<string, Span>();
  #working: Promise<void> = Promise.resolve();

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
      const work = this.#revise(unitId, span).catch((error: unknown) => {
        if (!this.#parts.signal.aborted)
          this.#parts.log.warn({ unit_id: unitId, reason: messageOf(error) }, 'events could not be revised');
      });
      this.#working = Promise.all([this.#working, work]).then(() => {});
    });
    this.#spans.set(unitId, span);
  }

  /** Resolves when no check is running. */
  settled(): Promise<void> {
    return this.#working;
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
    for (const rule of this.#parts.rulesOf(unitId)) await this.#late(rule, unitId, { from, to });
  }

  async #late(rule: KeptLevelRule, unitId: string, filled: { readonly from: number; readonly to: number }) {
    const { clock, events, zoneOf } = this.#parts;
    for (const { event, closedAt, was } of await lateEvents(
      this.#parts,
      rule,
      { unitId, timezone: zoneOf(unitId) },
      filled,
    ))
      await events.addLate({ ...event, closedAt, revised: { value: event.worst ?? 0, was, at: clock.now() } });
  }

  async #look(event: EventRow): Promise<void> {
    const { worst, windowFrom, windowTo, worstAt } = event;
    if (worst === null || windowFrom === null || windowTo === null) return;
    // A sliding window was worst where it ended then; one of the clock stays where it is.
    const isSliding = windowTo === event.openedAt && worstAt !== null && worstAt > windowTo;
    const shift = isSliding ? worstAt - windowTo : 0;
    const { history, signal } = this.#parts;
    const [from, to] = [windowFrom, windowTo].map((at) => Math.floor((at + shift) / 1_000)) as [number, number];
    const value = await levelOver(history, { unitId: event.unitId, what: event.what, from, to }, signal);
    const was = event.revised?.value ?? worst;
    if (value === null || Math.abs(value - was) < LEAST_DB) return;
    const revised = { value: Math.round(value * 100) / 100, was, at: this.#parts.clock.now() };
    await this.#parts.events.change(event.id, 'revised', (present) => ({ ...present, revised }));
  }
}

function extend(span: Span, from: number, to: number): void {
  span.from = Math.min(span.from, from);
  span.to = Math.max(span.to, to);
}
