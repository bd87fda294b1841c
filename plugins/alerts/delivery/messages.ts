/** Makes the messages about an event: for each target and phone, with their times. Rows are written with the event, in one transaction. */
import type { Rows } from '../../../lib/built-in.ts';
import type { Clock, DeviceConfig, Tables } from '../../../lib/index.ts';
import type { Changed, EventLog } from '../events/event-log.ts';
import { isScheduled, type Rule, secondsOf } from '../rules/rule.ts';
import type { ShowEvent } from '../shown.ts';
import { DELIVERIES, type DeliveryRow, type EventRow, type MessageType, type PhoneRow } from '../tables.ts';
import type { Phones } from './push/phones.ts';
import type { Target } from './target.ts';

interface MessagesParts {
  readonly clock: Clock;
  readonly rules: { find(id: string): Rule | undefined };
  readonly targets: { find(id: string): Target | undefined };
  readonly phones: Pick<Phones, 'quietUntil'>;
  /** `phonesOf`: the phones of a target for an event; undefined: the target has no phones. */
  readonly deliveries: { phonesOf(target: Target, unitId: string): readonly PhoneRow[] | undefined };
  /** Their default zone is that of quiet hours that name none. */
  readonly configs: { readonly defaults: Pick<DeviceConfig, 'timezone'> };
  readonly shown: ShowEvent;
}

const MESSAGES: readonly string[] = ['opened', 'critical', 'closed', 'revised', 'escalated'];
const isMessage = (change: Changed['change']): change is Exclude<MessageType, 'test'> & Changed['change'] =>
  MESSAGES.includes(change);
const MINUTE_MS = 60_000;
const WEEK_MINUTES = 10_080;

export class Messages {
  readonly #parts: MessagesParts;
  /** The messages of each change. If a transaction is tried again (the database may have stored it), they are the same. */
  readonly #made = new WeakMap<Changed, readonly DeliveryRow[]>();
  #nextId = 1;

  constructor(parts: MessagesParts) {
    this.#parts = parts;
  }

  async load(tables: Tables): Promise<void> {
    const [newest] = await tables.read((rows) => rows.find(DELIVERIES, { order: { id: 'desc' }, limit: 1 }));
    this.#nextId = (newest?.id ?? 0) + 1;
  }

  /** Returns the ids of the targets with a new message. If a change is tried again, nobody gets a second message. */
  async add(rows: Rows, changes: readonly Changed[]): Promise<readonly number[]> {
    const again = changes.flatMap((changed) => this.#made.get(changed) ?? []).map(({ id }) => id);
    const where = { id: { atLeast: Math.min(...again), atMost: Math.max(...again) } };
    const stored = again.length > 0 ? await rows.find(DELIVERIES, { where }) : [];
    const known = new Set(stored.map(({ id }) => id));
    const messages = changes.flatMap((changed) => this.#of(changed));
    await rows.put(
      DELIVERIES,
      messages.filter(({ id }) => !known.has(id)),
    );
    return messages.map(({ targetId }) => targetId);
  }

  #of(changed: Changed): readonly DeliveryRow[] {
    const known = this.#made.get(changed);
    if (known) return known;
    const messages = isMessage(changed.change) ? this.#about(changed.change, changed.event) : [];
    this.#made.set(changed, messages);
    return messages;
  }

  test(target: Target, event: Readonly<Record<string, unknown>>): DeliveryRow {
    return this.#row(target, 'test', null, event, this.#parts.clock.now());
  }

  /** A phone that several targets name gets one message. */
  #about(type: MessageType, event: EventRow): DeliveryRow[] {
    const told = new Set<number>();
    return this.#targets(type, event).flatMap((target) => {
      const message = this.#message(target, type, event);
      const phones = this.#parts.deliveries.phonesOf(target, event.unitId);
      // Without a phone the message fails for the target, so that people see it.
      if (!phones || phones.length === 0) return [message];
      return phones.flatMap((phone) => {
        if (told.has(phone.id)) return [];
        told.add(phone.id);
        const notBefore = this.#parts.phones.quietUntil(phone, event, message.notBefore);
        return [{ ...message, id: this.#nextId++, phone: phone.id, notBefore }];
      });
    });
  }

  #targets(type: MessageType, { ruleId }: EventRow): Target[] {
    const rule = this.#parts.rules.find(String(ruleId));
    const ids = new Set(type === 'escalated' ? rule?.escalate_to : rule?.targets);
    const found = [...ids].flatMap((id) => this.#parts.targets.find(id) ?? []);
    return found.filter(({ enabled, resolved }) => enabled && (type !== 'closed' || resolved));
  }

  #message(target: Target, type: MessageType, event: EventRow): DeliveryRow {
    const now = this.#parts.clock.now();
    const notBefore =
      event.severity === 'critical'
        ? now
        : quietUntil(target, target.zone ?? this.#parts.configs.defaults.timezone, now);
    return this.#row(target, type, event.id, this.#parts.shown(event), notBefore);
  }

  #row(
    target: Target,
    type: MessageType,
    eventId: number | null,
    event: Readonly<Record<string, unknown>>,
    notBefore: number,
  ): DeliveryRow {
    return {
      id: this.#nextId++,
      targetId: Number(target.id),
      phone: null,
      eventId,
      type,
      event,
      notBefore,
      createdAt: this.#parts.clock.now(),
      state: 'waiting',
      tries: 0,
      endedAt: null,
      outcome: '',
      batch: null,
      reach: null,
    };
  }
}

/** The end of the quiet hours at `now`. Outside quiet hours, or if they never end, this is `now`. */
export function quietUntil({ quiet }: Pick<Target, 'quiet'>, zone: string, now: number): number {
  if (!quiet || !isScheduled(quiet, zone, now)) return now;
  const first = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  for (let minute = 1; minute <= WEEK_MINUTES; minute++) {
    const at = first + minute * MINUTE_MS;
    if (!isScheduled(quiet, zone, at)) return at;
  }
  return now;
}

/** When nobody acknowledges an event in time, its rule's further targets get a message, once. `now`: ms since 1970 UTC. */
export function escalate(events: EventLog, rules: MessagesParts['rules'], now: number): void {
  for (const event of events.open) {
    const within = rules.find(String(event.ruleId))?.ack_within;
    if (within === undefined || event.ack || event.escalatedAt !== null) continue;
    if (now - event.openedAt >= secondsOf(within) * 1_000)
      void events.change(event.id, 'escalated', (present) => ({ ...present, escalatedAt: now }));
  }
}

/** The same at each try; `msg_...`, as Standard Webhooks names it. */
export const messageIdOf = ({ id, createdAt }: Pick<DeliveryRow, 'id' | 'createdAt'>): string =>
  `msg_${createdAt}_${id}`;

/** The JSON of the message; the same bytes at each try. */
export const bodyOf = ({ type, createdAt, event }: Pick<DeliveryRow, 'type' | 'createdAt' | 'event'>): string =>
  JSON.stringify({ type: `alert.${type}`, timestamp: new Date(createdAt).toISOString(), data: event });
