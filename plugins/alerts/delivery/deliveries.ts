/** A queue for each target, and how each kind of target is sent to. A failing target does not delay the others. */
import type { Host, Tables } from '../../../lib/index.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import type { AckLinks } from './mail/ack-links.ts';
import type { AlertSettings } from './mail/mail-settings.ts';
import type { Sent, TargetKind } from './target-kind.ts';
import type { TargetStore } from './target-store.ts';

/** How long deliveries that have ended are kept. */
const KEPT_MS = 30 * 86_400_000;
/** A target that takes nothing for so long is told at /health. */
const FAILING_MS = 3_600_000;
const TIDY_MS = 6 * 3_600_000;

/** What the queues need. */
export interface DeliveriesParts {
  readonly host: Host<AlertSettings>;
  readonly tables: Tables;
  readonly targets: TargetStore;
  readonly kinds: readonly TargetKind[];
  readonly links: AckLinks;
}

/** The queues of all targets. */
export class Deliveries {
  readonly #host: Host<AlertSettings>;
  readonly #tables: Tables;
  readonly #targets: TargetStore;
  readonly #kinds: readonly TargetKind[];
  readonly #links: AckLinks;
  readonly #queues = new Map<number, { readonly queue: DeliveryQueue; readonly end: AbortController }>();
  #cancelTidying = (): void => {};

  constructor({ host, tables, targets, kinds, links }: DeliveriesParts) {
    this.#host = host;
    this.#tables = tables;
    this.#targets = targets;
    this.#kinds = kinds;
    this.#links = links;
  }

  start(): void {
    for (const { id } of this.#targets.list()) this.follow(id);
    this.#host.onStop(() => this.#cancelTidying());
    this.#host.part('alert messages', () => this.#trouble());
  }

  /** A target is new or has changed. */
  follow(id: string): void {
    const targetId = Number(id);
    this.drop(id);
    const target = this.#targets.find(id);
    if (!target?.enabled) return;
    const end = new AbortController();
    const { clock, log } = this.#host;
    const { most, ms: gatherMs } = this.#kindOf(target.kind)?.gather ?? { most: 1, ms: 0 };
    const queue = new DeliveryQueue({
      ...{ tables: this.#tables, clock, log, targetId, signal: AbortSignal.any([this.#host.signal, end.signal]) },
      ...{ most, gatherMs },
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
    const { outbound, clock, history, settings, configs } = this.#host;
    const target = this.#targets.get(id);
    const kind = this.#kindOf(target.kind);
    if (!kind) return { ok: false, outcome: `Nothing that runs now sends to targets of the kind ${target.kind}.` };
    const secret = await this.#targets.secret(id);
    const unitOf = (unitId: string) => configs.get(unitId) ?? configs.defaults;
    const links = this.#links;
    return kind.send(target, messages, { outbound, clock, history, settings, unitOf, secret, signal, links });
  }

  /** Names and addresses of targets are not for everybody: only the ids are said. */
  #trouble() {
    const late = this.#host.clock.now() - FAILING_MS;
    const failing = [...this.#queues].filter(
      ([, { queue }]) => (queue.failingSince ?? Number.POSITIVE_INFINITY) <= late,
    );
    if (failing.length === 0) return undefined;
    const names = failing.map(([id]) => `${id} (${this.#targets.find(String(id))?.kind})`).join(', ');
    return { detail: `Targets of alerts have taken no message for an hour or longer: ${names}.` };
  }

  #kindOf(kind: string): TargetKind | undefined {
    return this.#kinds.find(({ name }) => name === kind);
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
