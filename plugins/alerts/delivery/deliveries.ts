/** A queue for each target, and how each kind of target is sent to. A failing target does not delay the others. */
import type { Host, Tables } from '../../../lib/index.ts';
import { DeliveryQueue, type Sent } from './delivery-queue.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import type { Mailer } from './mail.ts';
import { sendMqtt } from './mqtt-message.ts';
import type { TargetBook } from './target-book.ts';
import { sendWebhook } from './webhook.ts';

/** One mail for the events of a minute. */
const MAIL_GATHER_MS = 60_000;
const MAIL_MOST = 50;
/** How long deliveries that have ended are kept. */
const KEPT_MS = 30 * 86_400_000;
const TIDY_MS = 6 * 3_600_000;

export class Deliveries {
  readonly #host: Host;
  readonly #tables: Tables;
  readonly #targets: TargetBook;
  readonly #mailer: Mailer;
  readonly #queues = new Map<number, { readonly queue: DeliveryQueue; readonly end: AbortController }>();
  #cancelTidying = (): void => {};

  constructor(host: Host, tables: Tables, targets: TargetBook, mailer: Mailer) {
    this.#host = host;
    this.#tables = tables;
    this.#targets = targets;
    this.#mailer = mailer;
  }

  start(): void {
    for (const { id } of this.#targets.list()) this.follow(id);
    this.#host.onStop(() => this.#cancelTidying());
  }

  /** A target is new or has changed. */
  follow(id: string): void {
    const targetId = Number(id);
    this.drop(id);
    const target = this.#targets.find(id);
    if (!target?.enabled) return;
    const end = new AbortController();
    const { clock, log } = this.#host;
    const isMail = target.kind === 'mail';
    const queue = new DeliveryQueue({
      ...{ tables: this.#tables, clock, log, targetId, signal: AbortSignal.any([this.#host.signal, end.signal]) },
      most: isMail ? MAIL_MOST : 1,
      gatherMs: isMail ? MAIL_GATHER_MS : 0,
      send: (messages, signal) => this.send(id, messages, signal),
    });
    this.#queues.set(targetId, { queue, end });
    if (this.#queues.size === 1) this.#tidyLater();
  }

  drop(id: string): void {
    this.#queues.get(Number(id))?.end.abort(new Error('the target has changed'));
    this.#queues.delete(Number(id));
    if (this.#queues.size === 0) this.#cancelTidying();
  }

  wake(targetIds: readonly number[]): void {
    for (const id of new Set(targetIds)) this.#queues.get(id)?.queue.wake();
  }

  /** Sends at once, without the queue: also for the test of a target. Rejects with the reason if it cannot send. */
  async send(id: string, messages: readonly DeliveryRow[], signal: AbortSignal): Promise<Sent> {
    const { outbound, clock } = this.#host;
    const target = this.#targets.get(id);
    if (target.kind === 'mail') return this.#mailer.send(target.to, messages, signal);
    const secret = await this.#targets.secret(id);
    const [message] = messages;
    if (!message) return { ok: true, outcome: 'There was nothing to send.' };
    if (target.kind === 'mqtt') return sendMqtt(outbound, target, secret, message, signal);
    if (secret === undefined) return { ok: false, outcome: 'The secret of the target is lost: set it again.' };
    return sendWebhook({ outbound, clock, url: target.url, secret }, message, signal);
  }

  #tidyLater(): void {
    const { clock, log } = this.#host;
    this.#cancelTidying();
    this.#cancelTidying = clock.after(TIDY_MS, () => {
      const endedAt = { below: clock.now() - KEPT_MS };
      this.#tables
        .write((rows) => rows.remove(DELIVERIES, { state: ['done', 'failed'], endedAt }))
        .catch((error: unknown) => log.warn({ err: error }, 'old deliveries could not be removed'));
      this.#tidyLater();
    });
  }
}
