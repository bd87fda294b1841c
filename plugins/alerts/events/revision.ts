/**
 * Levels can come late: from the card, by an import, or after hours in which nothing could be written. An event may have
 * been louder or longer than its report said, or nobody noticed it. It gets its true times and value, and is reported
 * again. The reported value is kept beside the new value.
 */
import { MAIN_CHANNEL } from '../../../lib/built-in.ts';
import { type GatewayEvent, type Host, messageOf, type Tables } from '../../../lib/index.ts';
import type { WithNotes } from '../../notes/index.ts';
import type { FilledSpan, Opening, SecondsSpan } from '../rules/kind.ts';
import { channelOfRule, RULE_KINDS, ruleKindOf } from '../rules/kinds.ts';
import { concerns, type Rule } from '../rules/rule.ts';
import { eventOf } from '../rules/unit-watches.ts';
import type { Watches } from '../rules/watches.ts';
import type { RuleStore } from '../stores.ts';
import { EVENTS, type EventRow } from '../tables.ts';
import type { EventLog } from './event-log.ts';

interface RevisionParts {
  readonly host: Pick<Host, 'clock' | 'configs' | 'history' | 'log' | 'on' | 'onStop' | 'signal'> & WithNotes;
  readonly tables: Pick<Tables, 'read'>;
  readonly events: Pick<EventLog, 'change' | 'addLate' | 'begin' | 'join'>;
  readonly rules: Pick<RuleStore, 'list'>;
  readonly watches: Pick<Watches, 'onLate' | 'readAgain'>;
}

/** A file comes in many parts: events are checked this long after the last part. */
const QUIET_MS = 10_000;
const MOST_EVENTS = 1_000;
/** No open window, and no window before it, began earlier than this: the longest window is a day. */
const LONGEST_S = 2 * 86_400 + 7_200;
/** A smaller change of a value is rounding, dB. */
const LEAST = 0.1;

interface Became {
  readonly opening: Opening;
  /** ms; null: the event goes on. */
  readonly closedAt: number | null;
}
interface Span {
  from: number;
  to: number;
  cancel: () => void;
}

/** Collects the filled spans and checks them one after the other. The order of arrival must not change the events. */
export class Revision {
  readonly #parts: RevisionParts;
  readonly #spans = new Map<string, Span>();
  #working: Promise<void> = Promise.resolve();

  constructor(parts: RevisionParts) {
    this.#parts = parts;
  }

  /** Levels of a card and of an import come late. Levels of the stream are late if a watch could not process them in time. */
  start(): void {
    const { host, watches } = this.#parts;
    host.on('late', (event) => {
      const { source } = event.data;
      if (source === 'card' || source === 'import') this.late(event);
    });
    watches.onLate((unitId, data) => this.late({ unitId, data }));
    host.onStop(() => this.close());
  }

  late({ unitId, data }: Pick<GatewayEvent<'late'>, 'unitId' | 'data'>): void {
    const { source, channel } = data;
    const { clock, log, signal } = this.#parts.host;
    // An import of a distant past that takes hours must not delay recent levels.
    const isPast = data.to <= clock.now() / 1_000 - LONGEST_S;
    const key = `${source} ${isPast} ${channel} ${unitId}`;
    const span = this.#spans.get(key) ?? { from: data.from, to: data.to, cancel: () => {} };
    span.from = Math.min(span.from, data.from);
    span.to = Math.max(span.to, data.to);
    span.cancel();
    span.cancel = clock.after(QUIET_MS, () => {
      this.#spans.delete(key);
      const isOwn = source === 'stream' || source === 'poll';
      // Spans wait for each other: a later span finds the events of an earlier one.
      this.#working = this.#working.then(() =>
        this.#revise(unitId, channel, { from: span.from, to: span.to, isOwn }).catch((error: unknown) => {
          if (!signal.aborted) log.warn({ unit_id: unitId, reason: messageOf(error) }, 'events could not be revised');
        }),
      );
    });
    this.#spans.set(key, span);
  }

  settled(): Promise<void> {
    return this.#working;
  }

  close(): void {
    for (const { cancel } of this.#spans.values()) cancel();
  }

  /** Windows that are open are read again if they may have some of these levels. */
  async #count(unitId: string, { to }: SecondsSpan): Promise<void> {
    const { history, clock, signal } = this.#parts.host;
    if (to <= clock.now() / 1_000 - LONGEST_S) return;
    await history.flush(signal);
    this.#parts.watches.readAgain(unitId);
  }

  async #revise(unitId: string, channel: string, filled: FilledSpan): Promise<void> {
    const { host, tables } = this.#parts;
    const { from, to } = filled;
    await host.history.flush(host.signal);
    for (const rule of this.#rulesOf(unitId))
      if (channelOfRule(rule) === channel) await this.#late(rule, unitId, filled);
    const where = {
      unitId,
      kind: RULE_KINDS.flatMap(({ name, late }) => (late ? [name] : [])),
      closedAt: { above: from * 1_000 },
      windowFrom: { below: to * 1_000 },
    };
    const found = await tables.read((rows) => rows.find(EVENTS, { where, order: { id: 'desc' }, limit: MOST_EVENTS }));
    for (const event of found) if ((event.channel ?? MAIN_CHANNEL) === channel) await this.#look(event);
    await this.#count(unitId, filled);
  }

  async #late(rule: Rule, unitId: string, filled: FilledSpan) {
    const { host, events } = this.#parts;
    const place = { unitId, zone: (host.configs.get(unitId) ?? host.configs.defaults).timezone };
    const now = host.clock.now();
    const parts = { ...host, now, known: (span: SecondsSpan) => this.#known(rule, unitId, span) };
    const late = (await ruleKindOf(rule.kind)?.late?.events(rule, place, filled, parts)) ?? [];
    for (const { opening, closedAt, known, was } of late) {
      const [first, ...others] = known;
      const begun = eventOf(rule, unitId, opening);
      const revised = { value: opening.worst ?? 0, was, at: now };
      if (first) await this.#become(first, others, { opening, closedAt });
      else if (closedAt === null) events.begin(begun);
      else await events.addLate({ ...begun, closedAt, revised });
    }
  }

  /** Events of the same time become the first of them. If it goes on, the watch ends it. */
  async #become(first: EventRow, others: readonly EventRow[], { opening, closedAt }: Became): Promise<void> {
    const open = [first, ...others].find((event) => event.closedAt === null);
    const kept = open ?? first;
    const was = kept.revised?.value ?? kept.worst;
    const [value, end] = [opening.worst ?? 0, open ? null : (closedAt ?? kept.closedAt)];
    const isOther = was === null || Math.abs(value - was) >= LEAST;
    const isSame = opening.windowFrom === kept.windowFrom && end === kept.closedAt && others.length === 0;
    if (isSame && !isOther) return;
    const revised = isOther ? { value, was, at: this.#parts.host.clock.now() } : kept.revised;
    const ack = kept.ack ?? others.find((event) => event.ack)?.ack ?? null;
    const cause = kept.cause ?? others.find((event) => event.cause)?.cause ?? null;
    const gone = [first, ...others].filter(({ id }) => id !== kept.id);
    await this.#parts.events.join(kept.id, gone, (present) => ({
      ...present,
      ...opening,
      sentences: { ...present.sentences, ...opening.sentences },
      closedAt: end,
      ack,
      cause,
      revised,
    }));
  }

  async #look(event: EventRow): Promise<void> {
    const rule = this.#rulesOf(event.unitId).find(({ id }) => Number(id) === event.ruleId);
    const value = await ruleKindOf(event.kind)?.late?.value(event, this.#parts.host, rule);
    const was = event.revised?.value ?? event.worst;
    if (value === undefined || value === null || was === null || Math.abs(value - was) < LEAST) return;
    const revised = { value, was, at: this.#parts.host.clock.now() };
    await this.#parts.events.change(event.id, 'revised', (present) => ({ ...present, revised }));
  }

  async #known(rule: Rule, unitId: string, { from, to }: SecondsSpan): Promise<readonly EventRow[]> {
    const where = { ruleId: Number(rule.id), unitId, windowFrom: { below: to * 1_000 } };
    const events = await this.#parts.tables.read((rows) => rows.find(EVENTS, { where, order: { id: 'asc' } }));
    return events.filter(({ closedAt }) => closedAt === null || closedAt >= from * 1_000);
  }

  #rulesOf(unitId: string): readonly Rule[] {
    const unit = this.#parts.host.configs.get(unitId);
    return unit ? this.#parts.rules.list().filter((rule) => rule.enabled && concerns(rule, unit)) : [];
  }
}
