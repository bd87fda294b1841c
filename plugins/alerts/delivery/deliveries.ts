/**
 * Sends the messages. Each target has a queue of its own, so a failing target does not delay the others. In a queue they
 * are sent one after the other, and each is tried until it has arrived or a day is over. The rows are the queue, so
 * sending goes on after a restart. When the answer to a message was lost, the message is sent again with the same id.
 */
import {
  agesCountFrom,
  type MailReach,
  MOST_DELIVERY_TRIES,
  masked,
  pauseAfter,
  type Rows,
  unlessAborted,
  type Where,
} from '../../../lib/built-in.ts';
import { GatewayError, type Host, isGatewayError, messageOf, type Tables, within } from '../../../lib/index.ts';
import type { AlertSettings } from '../settings.ts';
import type { TargetStore } from '../stores.ts';
import { DELIVERIES, type DeliveryRow, type PhoneRow } from '../tables.ts';
import type { Phones } from './push/phones.ts';
import type { PushSender } from './push/push-sender.ts';
import type { AckLinks } from './signed-links.ts';
import type { Sent, Target } from './target.ts';
import { targetKindOf } from './target-kinds.ts';

/** How long deliveries that have ended are kept. */
const KEPT_MS = 30 * 86_400_000;
/** When a target has accepted nothing for this long, /health names it. */
const FAILING_MS = 3_600_000;
const TIDY_MS = 6 * 3_600_000;
const TEST_MS = 60_000;
const LATE_TEST = `There was no answer within ${TEST_MS / 1_000} s, so it is not known whether the test arrives. An alert waits longer.`;

export interface DeliveriesParts {
  readonly host: Host<AlertSettings>;
  readonly tables: Tables;
  readonly targets: TargetStore;
  readonly links: AckLinks;
  readonly phones: Phones;
  readonly push: PushSender;
}

interface Running {
  readonly queue: DeliveryQueue;
  readonly end: AbortController;
}

export class Deliveries {
  readonly #parts: DeliveriesParts;
  readonly #queues = new Map<number, Running>();
  readonly #phoneQueues = new Map<number, Running>();
  #cancelTidying = (): void => {};
  #agesFrom = (): number => 0;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { host, tables, targets, phones } = this.#parts;
    const [newest] = await tables.read((rows) => rows.find(DELIVERIES, { order: { id: 'desc' }, limit: 1 }));
    this.#agesFrom = agesCountFrom(host.clock, newest?.createdAt);
    for (const { id } of targets.list()) this.follow(id);
    for (const { id } of phones.list()) this.#followPhone(id);
    targets.onChange((ids) => {
      for (const id of ids) this.follow(id);
    });
    phones.onChange((id) => this.#followPhone(id));
    host.onStop(() => this.#cancelTidying());
    host.part('alert messages', () => this.#trouble());
  }

  follow(id: string): void {
    const targetId = Number(id);
    this.drop(id);
    const target = this.#parts.targets.find(id);
    if (!target?.enabled) return;
    const { most, ms: gatherMs } = targetKindOf(target.kind)?.gather ?? { most: 1, ms: 0 };
    this.#queues.set(targetId, this.#run({ targetId, phone: null }, most, gatherMs));
    if (this.#queues.size === 1) this.#tidyLater();
  }

  /** Each phone has a queue of its own: a phone that cannot be reached does not delay the others. */
  #followPhone(id: number): void {
    this.#phoneQueues.get(id)?.end.abort(new Error('the phone has unsubscribed'));
    this.#phoneQueues.delete(id);
    if (this.#parts.phones.find(id)) this.#phoneQueues.set(id, this.#run({ phone: id }, 1, 0));
  }

  #run(own: Where<DeliveryRow>, most: number, gatherMs: number): Running {
    const end = new AbortController();
    const { host, tables } = this.#parts;
    const queue = new DeliveryQueue({
      ...host,
      tables,
      own,
      signal: AbortSignal.any([host.signal, end.signal]),
      most,
      gatherMs,
      send: (messages, signal) => this.send(String(messages[0]?.targetId), messages, signal),
    });
    return { queue, end };
  }

  drop(id: string): void {
    this.#queues.get(Number(id))?.end.abort(new Error('the target has changed'));
    this.#queues.delete(Number(id));
    if (this.#queues.size === 0) this.#cancelTidying();
  }

  wake(targetIds: readonly number[]): void {
    for (const id of new Set(targetIds)) {
      this.#queues.get(id)?.queue.wake();
      const isOfPhones = targetKindOf(this.#parts.targets.find(String(id))?.kind ?? '')?.phonesOf !== undefined;
      if (isOfPhones) for (const { queue } of this.#phoneQueues.values()) queue.wake();
    }
  }

  /** Sends a test at once, and gives up after a minute, because a person waits for it. Rejects only if the signal aborts. */
  async test(id: string, message: DeliveryRow, signal: AbortSignal): Promise<Sent> {
    const late = () => new GatewayError('OUTBOUND_FAILED', LATE_TEST);
    const send = (limit: AbortSignal) => unlessAborted(this.send(id, [message], limit), limit);
    const sent = await within(this.#parts.host.clock, TEST_MS, late, send, signal).catch((error: unknown): Sent => {
      if (signal.aborted) throw error;
      return { ok: false, outcome: messageOf(error) };
    });
    if (sent.ok || sent.reach) this.#queues.get(Number(id))?.queue.noteReach(sent.reach ?? null, message.createdAt);
    return sent;
  }

  /** Sends at once, without the queue. Rejects with the reason if it cannot send. */
  async send(id: string, messages: readonly DeliveryRow[], signal: AbortSignal): Promise<Sent> {
    const { host, targets, links, push } = this.#parts;
    const target = targets.get(id);
    const kind = targetKindOf(target.kind);
    if (!kind) return { ok: false, outcome: `Nothing that runs now sends to targets of the kind ${target.kind}.` };
    const secret = await targets.secret(id);
    const unitOf = (unitId: string) => host.configs.get(unitId) ?? host.configs.defaults;
    try {
      const sent = await kind.send(target, messages, { ...host, unitOf, secret, signal, links, push });
      return { ...sent, outcome: masked(sent.outcome, secret ?? '') };
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      throw new GatewayError(error.code, masked(error.message, secret ?? ''));
    }
  }

  /** Not everybody may see the names and addresses of targets, so this names only their ids. */
  #trouble() {
    const late = this.#parts.host.clock.now() - FAILING_MS;
    const isFailing = ([, { queue }]: readonly [number, Running]) =>
      (queue.failingSince ?? Number.POSITIVE_INFINITY) <= late;
    const targets = [...this.#queues].filter(isFailing);
    const names = targets.map(([id]) => `${id} (${this.#parts.targets.find(String(id))?.kind})`).join(', ');
    const unreached = [...this.#queues].flatMap(([id, { queue }]) => {
      const now = this.#addressesOf(String(id));
      const most = queue.unreached(late).filter((address) => now.includes(address)).length;
      return most === 0 ? [] : [`${most} of target ${id}`];
    });
    const phones = [...this.#phoneQueues].filter(isFailing).map(([id]) => id);
    const empty = this.#parts.targets.list().filter((target) => target.enabled && this.phonesOf(target)?.length === 0);
    const detail = [
      ...(targets.length > 0 ? [`Targets of alerts have taken no message for an hour or longer: ${names}.`] : []),
      ...(unreached.length > 0
        ? [
            `The mail server does not take mail for addresses of alerts: ${unreached.join(', ')}. The deliveries of these targets name the addresses and the reasons.`,
          ]
        : []),
      ...(phones.length > 0 ? [`Phones have taken no message for an hour or longer: ${phones.join(', ')}.`] : []),
      ...(empty.length > 0
        ? [`No phone is subscribed for targets of alerts: ${empty.map(({ id }) => id).join(', ')}.`]
        : []),
    ].join(' ');
    return detail === '' ? undefined : { detail };
  }

  /** The phones of a target whose owners may see the unit (undefined: any unit). Undefined: the target has no phones. */
  phonesOf(target: Target, unitId?: string): readonly PhoneRow[] | undefined {
    const kind = targetKindOf(target.kind);
    return kind?.phonesOf && this.#parts.phones.reached(kind.phonesOf(target), unitId);
  }

  #addressesOf(id: string): readonly string[] {
    const target = this.#parts.targets.find(id);
    return (target && targetKindOf(target.kind)?.recipients?.(target)) ?? [];
  }

  #tidyLater(): void {
    const { clock, log } = this.#parts.host;
    this.#cancelTidying();
    this.#cancelTidying = clock.after(TIDY_MS, () => {
      this.#tidy().catch((error: unknown) => log.warn({ err: error }, 'old deliveries could not be removed'));
      this.#tidyLater();
    });
  }

  async #tidy(): Promise<void> {
    const endedAt = { below: this.#agesFrom() - KEPT_MS };
    await this.#parts.tables.write((rows) => rows.remove(DELIVERIES, { state: ['done', 'failed'], endedAt }));
  }
}

interface QueueParts extends Pick<Host, 'clock' | 'log' | 'signal'> {
  readonly tables: Pick<Tables, 'read' | 'write'>;
  readonly own: Where<DeliveryRow>;
  /** The most messages that are sent as one, and how long the first of them waits for others. */
  readonly most: number;
  readonly gatherMs: number;
  readonly send: (messages: readonly DeliveryRow[], signal: AbortSignal) => Promise<Sent>;
}

/** A further check of the rows, needed only if the wall clock was set. */
const LOOK_MS = 600_000;
const STORAGE_MS = 5_000;

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
