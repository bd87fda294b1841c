/**
 * Sends the messages to one target one after the other. Each message is tried until it has arrived or a day is over.
 * The rows are the queue, so sending goes on after a restart. When the answer to a message was lost, the message is
 * sent again with the same id.
 */
import {
  type Clock,
  type Log,
  type MailReach,
  MOST_DELIVERY_TRIES,
  messageOf,
  pauseAfter,
  type Rows,
  type Tables,
  type Where,
} from '../../../lib/index.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import type { Sent } from './target.ts';

/** The target of a queue, and how it is sent to. */
interface QueueParts {
  readonly tables: Pick<Tables, 'read' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Selects the messages of this queue: those of a target, or of a phone. */
  readonly own: Where<DeliveryRow>;
  /** The most messages that are sent as one, and how long the first of them waits for others. */
  readonly most: number;
  readonly gatherMs: number;
  readonly send: (messages: readonly DeliveryRow[], signal: AbortSignal) => Promise<Sent>;
}

/** A further check of the rows, needed only if the wall clock was set. */
const LOOK_MS = 600_000;
const STORAGE_MS = 5_000;

/** The queue of one target, until it is stopped. */
export class DeliveryQueue {
  readonly #parts: QueueParts;
  #wake = (): void => {};
  #isWoken = false;
  #failingSince: number | undefined;
  #reach: { readonly of: MailReach; readonly since: number } | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    void this.#run();
  }

  /** Since when every try has failed, ms since 1970 UTC. Undefined: the last try was a success, or nothing was tried. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  /** Addresses without the newest mail: the server refused them, or has put them off since `late` (ms since 1970 UTC) or longer. */
  unreached(late: number): readonly string[] {
    if (!this.#reach) return [];
    const { of, since } = this.#reach;
    return [...(since <= late ? of.left : []), ...of.refused.map(({ address }) => address)];
  }

  /** How far the newest mail has come. `since`: the time of this mail, ms since 1970 UTC. Null: to all addresses. */
  noteReach(reach: MailReach | null, since: number): void {
    this.#reach = reach ? { of: reach, since } : undefined;
  }

  /** There is something new. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal, log, own } = this.#parts;
    let isRecalled = false;
    while (!signal.aborted) {
      try {
        if (!isRecalled) await this.#recall();
        isRecalled = true;
        await this.#pause(await this.#step());
      } catch (error) {
        if (signal.aborted) return;
        log.error({ ...own, reason: messageOf(error) }, 'the deliveries to a target cannot be read or noted');
        await this.#pause(STORAGE_MS);
      }
    }
  }

  /** Reads the newest mail that has ended, so that addresses without it are known after a restart, too. */
  async #recall(): Promise<void> {
    const newest = {
      where: { ...this.#parts.own, state: ['done', 'failed'] as const },
      order: { id: 'desc' },
      limit: 1,
    } as const;
    const [row] = await this.#parts.tables.read((rows) => rows.find(DELIVERIES, newest));
    if (row?.state === 'failed') this.noteReach(row.reach, row.createdAt);
  }

  /** Sends what is due. Returns how long there is nothing to do, ms. */
  async #step(): Promise<number> {
    const { tables, clock, most, gatherMs, send, signal } = this.#parts;
    this.#isWoken = false;
    const now = clock.now();
    const waiting = await tables.read((rows) => this.#waiting(rows, now, most));
    const [first] = waiting;
    if (!first) return this.#untilNext(now);
    const gathered = first.createdAt + gatherMs - now;
    if (waiting.length < most && gathered > 0 && first.tries === 0) return gathered;
    // Written before the first byte is sent, so that the next try is the same mail in any case.
    const messages = most > 1 ? waiting.map((row) => ({ ...row, batch: first.batch ?? first.id })) : waiting;
    if (most > 1 && first.batch === null) await tables.write((rows) => rows.put(DELIVERIES, messages));
    const sent = await send(messages, signal).catch(
      (error: unknown): Sent => ({ ok: false, outcome: messageOf(error) }),
    );
    if (signal.aborted) return 0;
    const ended = clock.now();
    // Tries from before a restart count.
    if (sent.ok || sent.reach) this.#failingSince = undefined;
    else this.#failingSince ??= first.tries > 0 ? first.createdAt : now;
    if (sent.ok || sent.reach) this.noteReach(sent.reach ?? null, first.createdAt);
    const noted = messages.map((row) => noteOf(row, sent, ended));
    await tables.write((rows) => rows.put(DELIVERIES, noted));
    return 0;
  }

  /**
   * The oldest message that can be sent now, and the messages that go with it. A message that failed delays all later ones.
   * A message that waits for the end of quiet hours, or for some of its addresses, does not delay others.
   */
  async #waiting(rows: Rows, now: number, most: number): Promise<DeliveryRow[]> {
    const where = { ...this.#parts.own, state: 'waiting' as const };
    const [failing] = await rows.find(DELIVERIES, {
      where: { ...where, tries: { above: 0 }, reach: null },
      order: { id: 'asc' },
      limit: 1,
    });
    if (failing && failing.notBefore > now) return [];
    const due = { ...where, notBefore: { atMost: now } };
    const found = await rows.find(DELIVERIES, { where: due, order: { id: 'asc' }, limit: most });
    const batch = found[0]?.batch ?? null;
    if (batch === null) return found.filter((row) => row.batch === null);
    return rows.find(DELIVERIES, { where: { ...where, batch }, order: { id: 'asc' } });
  }

  async #untilNext(now: number): Promise<number> {
    const where = { ...this.#parts.own, state: 'waiting' as const };
    const next = await this.#parts.tables.read(async (rows) => [
      ...(await rows.find(DELIVERIES, {
        where: { ...where, tries: { above: 0 }, reach: null },
        order: { id: 'asc' },
        limit: 1,
      })),
      ...(await rows.find(DELIVERIES, { where, order: { notBefore: 'asc' }, limit: 1 })),
    ]);
    const at = next[0]?.notBefore;
    return at === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, at - now));
  }

  /** Ends early when there is a new message, or when the plugin ends. */
  #pause(ms: number): Promise<void> {
    const { clock, signal } = this.#parts;
    if (ms <= 0 || this.#isWoken || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        this.#wake = () => {};
        resolve();
      };
      const cancel = clock.after(ms, end);
      this.#wake = end;
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

function noteOf(row: DeliveryRow, { ok, outcome, isFinal = false, reach = row.reach }: Sent, now: number): DeliveryRow {
  const tries = row.tries + 1;
  const tried = { ...row, tries, outcome, reach };
  if (ok) return { ...tried, state: 'done', endedAt: now };
  if (isFinal || tries >= MOST_DELIVERY_TRIES) return { ...tried, state: 'failed', endedAt: now };
  return { ...tried, notBefore: now + pauseAfter(tries) };
}
