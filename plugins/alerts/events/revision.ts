/**
 * Rows of the card come late and fill gaps, so an event may have been louder than it was reported, or it was not noticed at all. A
 * changed value is kept next to the reported one, and reported again; an unnoticed event is reported as one that has ended. Windows that are on are read again, also after an import.
 */
import {
  type Clock,
  type GatewayEvent,
  type History,
  type Log,
  MAIN_CHANNEL,
  messageOf,
  type Notes,
  type Tables,
} from '../../../lib/index.ts';
import type { RuleKind } from '../rules/kind.ts';
import type { Rule } from '../rules/rule.ts';
import { aboutRule, channelOfRule } from '../rules/unit-watches.ts';
import { EVENTS, type EventRow } from '../tables.ts';
import type { EventLog } from './event-log.ts';

/** What a revision reads and changes. */
export interface RevisionParts {
  readonly clock: Clock;
  readonly history: Pick<History, 'flush' | 'query'>;
  readonly notes: Pick<Notes, 'excluded'>;
  readonly tables: Pick<Tables, 'read'>;
  readonly events: Pick<EventLog, 'change' | 'addLate'>;
  readonly kinds: readonly RuleKind[];
  /** The rules of a unit that are on. */
  readonly rulesOf: (unitId: string) => readonly Rule[];
  /** IANA name of the zone of a unit. */
  readonly zoneOf: (unitId: string) => string;
  /** The history has levels of windows that are on or over since a short time only. */
  readonly readAgain: (unitId: string) => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A file comes in many pieces: the events are checked this long after the last one. */
const QUIET_MS = 10_000;
const MOST_EVENTS = 1_000;
/** No window that is on began before that, nor the one before it: the longest is a day. */
const LONGEST_S = 2 * 86_400 + 7_200;
/** A smaller change of a value is rounding, dB. */
const LEAST = 0.1;

/** Seconds since 1970 UTC. */
interface Filled {
  readonly from: number;
  readonly to: number;
}
interface Span {
  from: number;
  to: number;
  cancel: () => void;
}

/** Collects the spans that were filled, and looks at them one after the other. */
export class Revision {
  readonly #parts: RevisionParts;
  readonly #spans = new Map<string, Span>();
  #working: Promise<void> = Promise.resolve();

  constructor(parts: RevisionParts) {
    this.#parts = parts;
  }

  late({ unitId, data }: Pick<GatewayEvent<'late'>, 'unitId' | 'data'>): void {
    const { source, channel } = data;
    if (source !== 'card' && source !== 'import') return;
    const { clock } = this.#parts;
    // A past that is brought for hours does not delay what counts now.
    if (source === 'import' && data.to <= clock.now() / 1_000 - LONGEST_S) return;
    const key = `${source} ${channel} ${unitId}`;
    const span = this.#spans.get(key) ?? { from: data.from, to: data.to, cancel: () => {} };
    span.from = Math.min(span.from, data.from);
    span.to = Math.max(span.to, data.to);
    span.cancel();
    span.cancel = clock.after(QUIET_MS, () => {
      this.#spans.delete(key);
      // An import counts in windows that are on; what was reported before stays as it was measured here.
      const work = (source === 'card' ? this.#revise(unitId, channel, span) : this.#count(unitId, span)).catch(
        (error: unknown) => {
          if (!this.#parts.signal.aborted)
            this.#parts.log.warn({ unit_id: unitId, reason: messageOf(error) }, 'events could not be revised');
        },
      );
      this.#working = Promise.all([this.#working, work]).then(() => {});
    });
    this.#spans.set(key, span);
  }

  /** Resolves when no check is running. */
  settled(): Promise<void> {
    return this.#working;
  }

  close(): void {
    for (const { cancel } of this.#spans.values()) cancel();
  }

  /** Windows that are on are read again if they may have some of these levels. */
  async #count(unitId: string, { to }: Filled): Promise<void> {
    const { history, clock, signal } = this.#parts;
    if (to <= clock.now() / 1_000 - LONGEST_S) return;
    await history.flush(signal);
    this.#parts.readAgain(unitId);
  }

  async #revise(unitId: string, channel: string, { from, to }: Span): Promise<void> {
    const { history, tables, kinds, signal } = this.#parts;
    await history.flush(signal);
    const where = {
      unitId,
      kind: kinds.flatMap(({ name, late }) => (late ? [name] : [])),
      closedAt: { above: from * 1_000 },
      windowFrom: { below: to * 1_000 },
    };
    const found = await tables.read((rows) => rows.find(EVENTS, { where, order: { id: 'desc' }, limit: MOST_EVENTS }));
    for (const event of found) if ((event.channel ?? MAIN_CHANNEL) === channel) await this.#look(event);
    for (const rule of this.#parts.rulesOf(unitId))
      if (channelOfRule(rule, kinds) === channel) await this.#late(rule, unitId, { from, to });
    await this.#count(unitId, { from, to });
  }

  async #late(rule: Rule, unitId: string, filled: { readonly from: number; readonly to: number }) {
    const { clock, events, zoneOf } = this.#parts;
    const place = { unitId, zone: zoneOf(unitId) };
    const parts = { ...this.#parts, now: clock.now(), known: (span: Filled) => this.#known(rule, unitId, span) };
    const late = (await this.#lateOf(rule.kind)?.events(rule, place, filled, parts)) ?? [];
    for (const { opening, closedAt, was } of late) {
      const revised = { value: opening.worst ?? 0, was, at: clock.now() };
      await events.addLate({ ...aboutRule(rule, unitId), ...opening, closedAt, revised });
    }
  }

  async #look(event: EventRow): Promise<void> {
    const rule = this.#parts.rulesOf(event.unitId).find(({ id }) => Number(id) === event.ruleId);
    const value = await this.#lateOf(event.kind)?.value(event, this.#parts, rule);
    const was = event.revised?.value ?? event.worst;
    if (value === undefined || value === null || was === null || Math.abs(value - was) < LEAST) return;
    const revised = { value, was, at: this.#parts.clock.now() };
    await this.#parts.events.change(event.id, 'revised', (present) => ({ ...present, revised }));
  }

  async #known(rule: Rule, unitId: string, { from, to }: Filled): Promise<readonly EventRow[]> {
    const where = { ruleId: Number(rule.id), unitId, windowFrom: { below: to * 1_000 } };
    const events = await this.#parts.tables.read((rows) => rows.find(EVENTS, { where }));
    return events.filter(({ closedAt }) => closedAt === null || closedAt >= from * 1_000);
  }

  #lateOf(kind: string): RuleKind['late'] {
    return this.#parts.kinds.find(({ name }) => name === kind)?.late;
  }
}
