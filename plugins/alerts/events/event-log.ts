/**
 * The events of all rules. Open events are in memory. Every change is in the database before it is published.
 * So a restart neither loses an event nor publishes it twice. While the disk is full, changes wait here.
 */
import type { Rows } from '../../../lib/built-in.ts';
import { type Host, messageOf, sleep, type Tables } from '../../../lib/index.ts';
import type { Worse } from '../rules/kind.ts';
import type { ShowEvent } from '../shown.ts';
import { EVENTS, type EventRow } from '../tables.ts';

type NewEvent = Omit<
  EventRow,
  'id' | 'closedAt' | 'ack' | 'revised' | 'escalatedAt' | 'windows' | 'sound' | 'channel' | 'cause' | 'sentences'
> & {
  readonly sentences?: EventRow['sentences'];
  readonly windows?: EventRow['windows'];
  readonly channel?: EventRow['channel'];
};

type EventChange =
  | ('opened' | 'continued' | 'worse' | 'critical' | 'closed')
  | ('acknowledged' | 'revised' | 'joined' | 'escalated' | 'measured');
export type Changed = { readonly change: EventChange; readonly event: EventRow };

interface EventLogParts extends Pick<Host, 'clock' | 'log' | 'signal'> {
  readonly tables: Tables;
  /** They get their rows in the same transaction. */
  readonly messages: { add(rows: Rows, changes: readonly Changed[]): Promise<readonly number[]> };
  /** Wakes the targets of these messages afterwards. */
  readonly deliveries: { wake(targetIds: readonly number[]): void };
  readonly tell: (changed: Changed) => void;
}

/** A growing worst value is written at most this often, ms. After a restart the history has it. */
const WORSE_MS = 30_000;
const RETRY_MS = 5_000;
/** The last event of each rule is looked for in this many days. */
const RECENT_MS = 3 * 86_400_000;

/** The most events that are kept. Beyond it the oldest events that have ended are removed. */
export const KEPT_EVENTS = 500_000;
/** After this many new events the log looks for events to remove. */
const TRIM_EVERY = 1_000;

/** Events are opened, changed and closed here and nowhere else. */
export class EventLog {
  readonly #parts: EventLogParts;
  readonly #open = new Map<string, EventRow>();
  readonly #last = new Map<string, number>();
  readonly #writtenAt = new Map<number, number>();
  #waiting: Changed[] = [];
  #nextId = 1;
  /** Counts the writes, so that a read can see that it is outdated. */
  #writes = 0;
  #writing: Promise<void> | undefined;
  #trimAt = 0;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    const { tables, clock } = this.#parts;
    const [newest, open, recent] = await tables.read(async (rows) => [
      await rows.find(EVENTS, { order: { id: 'desc' }, limit: 1 }),
      await rows.find(EVENTS, { where: { closedAt: null }, order: { id: 'asc' } }),
      await rows.find(EVENTS, { where: { openedAt: { atLeast: clock.now() - RECENT_MS } }, order: { id: 'asc' } }),
    ]);
    this.#nextId = (newest[0]?.id ?? 0) + 1;
    for (const event of recent) if (event.windowTo !== null) this.#last.set(keyOf(event), event.windowTo);
    for (const event of open) this.#open.set(keyOf(event), event);
  }

  openOf(ruleId: number, unitId: string): EventRow | undefined {
    return this.#open.get(keyOf({ ruleId, unitId }));
  }

  /** ms */
  lastWindowOf(ruleId: number, unitId: string): number | undefined {
    return this.#last.get(keyOf({ ruleId, unitId }));
  }

  get open(): readonly EventRow[] {
    return [...this.#open.values()];
  }

  begin(given: NewEvent): void {
    const event: EventRow = {
      windows: null,
      channel: null,
      sentences: null,
      ...given,
      id: this.#nextId++,
      closedAt: null,
      ack: null,
      cause: null,
      revised: null,
      escalatedAt: null,
      sound: null,
    };
    this.#open.set(keyOf(event), event);
    if (event.windowTo !== null) this.#last.set(keyOf(event), event.windowTo);
    this.#write('opened', event);
  }

  /** Events of another gateway that have ended. Resolves when they are on the disk; no messages are sent. */
  async take(given: readonly Omit<EventRow, 'id'>[]): Promise<readonly EventRow[]> {
    const rows = given.map((event) => ({ ...event, id: this.#nextId++ }));
    if (rows.length === 0) return rows;
    await this.#parts.tables.write(async (tables) => {
      await tables.put(EVENTS, rows);
      await this.#trim(tables);
    });
    return rows;
  }

  /** A warning that exceeds its limit makes a message at once, and needs an answer of its own. */
  worse(ruleId: number, unitId: string, { value: worst, at: worstAt, window, isBound = false, stage }: Worse): void {
    const event = this.openOf(ruleId, unitId);
    if (!event) return;
    const worstIn = window && { worstFrom: window.from, worstTo: window.to };
    const before = event.windows ?? (worstIn ? { count: 1, ...worstIn } : null);
    const windows = before && { ...before, ...worstIn, isBound };
    const isCritical = stage?.severity === 'critical' && event.severity !== 'critical';
    const sentences = { ...event.sentences, ...stage?.sentences };
    const next = { ...event, worst, worstAt, windows, ...(isCritical && { ...stage, sentences, ack: null }) };
    this.#open.set(keyOf(event), next);
    const now = this.#parts.clock.elapsed();
    if (isCritical) this.#write('critical', next);
    else if (now - (this.#writtenAt.get(event.id) ?? Number.NEGATIVE_INFINITY) >= WORSE_MS) this.#write('worse', next);
  }

  further(ruleId: number, unitId: string, windowTo: number): void {
    const event = this.openOf(ruleId, unitId);
    if (!event) return;
    const { windowFrom, windowTo: end, windows } = event;
    const before = windows ?? { count: 1, worstFrom: windowFrom ?? 0, worstTo: end ?? 0 };
    const next = { ...event, windowTo, windows: { ...before, count: before.count + 1 } };
    this.#open.set(keyOf(event), next);
    this.#last.set(keyOf(event), windowTo);
    this.#write('continued', next);
  }

  end(ruleId: number, unitId: string, closedAt: number): void {
    const event = this.openOf(ruleId, unitId);
    if (!event) return;
    this.#open.delete(keyOf(event));
    this.#writtenAt.delete(event.id);
    // The wall clock may have been set back.
    this.#write('closed', { ...event, closedAt: Math.max(event.openedAt, closedAt) });
  }

  /** The event as it is now: its worst value in memory is newer than that on the disk. */
  latest(event: EventRow): EventRow {
    const open = this.#open.get(keyOf(event));
    return open?.id === event.id ? open : event;
  }

  /** Adds an event that had ended before it was noticed. Resolves when it is on the disk. */
  async addLate(given: NewEvent & Pick<EventRow, 'closedAt' | 'revised'>): Promise<void> {
    const event = { windows: null, channel: null, sentences: null, ...given };
    if (event.windowTo !== null) this.#cover(event, event.windowTo);
    this.#write('revised', { ...event, id: this.#nextId++, ack: null, cause: null, escalatedAt: null, sound: null });
    await this.settled();
  }

  /** Joins several events into one: it becomes `next`, and the others are removed. As `change`. */
  async join(
    id: number,
    others: readonly EventRow[],
    next: (present: EventRow) => EventRow,
  ): Promise<EventRow | undefined> {
    for (const other of others) this.#write('joined', other);
    const event = await this.change(id, 'revised', next);
    if (event?.windowTo != null) this.#cover(event, event.windowTo);
    return event;
  }

  /** Later windows only: a covered window opens no second event. */
  #cover(event: EventRow | NewEvent, windowTo: number): void {
    const key = keyOf(event);
    this.#last.set(key, Math.max(this.#last.get(key) ?? 0, windowTo));
  }

  /**
   * Changes an event. `next` gets the present event, and returns the same object to leave it unchanged. Resolves with the
   * new event when it is on the disk; undefined: the event does not exist.
   */
  async change(
    id: number,
    change: 'acknowledged' | 'revised' | 'escalated' | 'measured',
    next: (present: EventRow) => EventRow,
  ): Promise<EventRow | undefined> {
    let present = this.open.find((event) => event.id === id);
    while (!present) {
      await this.settled();
      const writes = this.#writes;
      const [found] = await this.#parts.tables.read((rows) => rows.find(EVENTS, { where: { id } }));
      if (!found) return undefined;
      // A write during the read may have been about this event.
      if (writes === this.#writes) present = found;
    }
    const event = next(present);
    if (event !== present) {
      if (this.#open.get(keyOf(event)) === present) this.#open.set(keyOf(event), event);
      this.#write(change, event);
    }
    await this.settled();
    return event;
  }

  async settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  #write(change: EventChange, event: EventRow): void {
    this.#writes += 1;
    this.#writtenAt.set(event.id, this.#parts.clock.elapsed());
    if (event.closedAt !== null) this.#writtenAt.delete(event.id);
    this.#waiting.push({ change, event });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    const { clock, log, signal, tell, deliveries } = this.#parts;
    while (this.#waiting.length > 0) {
      const changes = this.#waiting;
      this.#waiting = [];
      try {
        deliveries.wake(await this.#commit(changes));
        for (const one of changes) tell(one);
      } catch (error) {
        this.#waiting = [...changes, ...this.#waiting];
        log.error({ events: changes.length, reason: messageOf(error) }, 'alert events cannot be written and wait');
        if (await sleep(clock, RETRY_MS, signal).catch(() => 'stopping')) return;
      }
    }
  }

  /** The ids follow the order in which events are written. */
  async #trim(rows: Rows): Promise<void> {
    if (this.#nextId < this.#trimAt) return;
    this.#trimAt = this.#nextId + TRIM_EVERY;
    await rows.remove(EVENTS, { id: { atMost: this.#nextId - 1 - KEPT_EVENTS }, closedAt: { atLeast: 0 } });
  }

  #commit(changes: readonly Changed[]): Promise<readonly number[]> {
    const latest = new Map(changes.map(({ event }) => [event.id, event]));
    const gone = changes.flatMap(({ change, event }) => (change === 'joined' ? event.id : []));
    for (const id of gone) latest.delete(id);
    return this.#parts.tables.write(async (rows) => {
      await rows.put(EVENTS, [...latest.values()]);
      for (const id of gone) await rows.remove(EVENTS, { id });
      await this.#trim(rows);
      return this.#parts.messages.add(rows, changes);
    });
  }
}

/** Publishes changes as the API shows them. `ended` gets the changes of events that are over. */
export const publisherOf =
  (host: Pick<Host, 'publish'>, shown: ShowEvent, ended: (changed: Changed) => void) =>
  (changed: Changed): void => {
    host.publish(changed.event.unitId, 'alert', { change: changed.change, ...shown(changed.event) });
    if (changed.event.closedAt !== null) ended(changed);
  };

const keyOf = ({ ruleId, unitId }: Pick<EventRow, 'ruleId' | 'unitId'>): string => `${ruleId} ${unitId}`;
