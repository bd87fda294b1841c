/**
 * One meter, read about once a second while clients watch it, for all viewers together. Nobody waits for a slow client: it
 * gets the newest frame when it can take one.
 *
 *   first watcher -> reading -> frame to all -> pause -> reading ...     three failures: reported once, and slower
 */
import {
  type Client,
  type Host,
  isGatewayError,
  messageOf,
  readLive,
  sleep,
  type UnitStatus,
} from '../../lib/index.ts';
import type { SlmmSettings } from './route.ts';
import { slmmTime } from './shapes.ts';
import { measuredValues } from './status.ts';

const PAUSE_MS = 1_000;
const BACKOFF_MS = 10_000;
const FAILURES = 3;
/** After this time without a frame a client gets a message to show that the socket is alive. */
const HEARTBEAT_MS = 25_000;
/** A client with this many unread bytes gets no frame until it has read them. */
const FULL_BYTES = 16_384;

type Feed = 'ok' | 'unreachable';

/** The viewers of one meter. */
export class Monitor {
  readonly #host: Host<SlmmSettings>;
  readonly #unitId: string;
  readonly #clients = new Set<Client>();
  readonly #ended: () => void;
  readonly #ending = new AbortController();
  #last: object | undefined;
  #feed: Feed = 'ok';
  #failures = 0;
  #stopHeartbeat = (): void => {};

  constructor(host: Host<SlmmSettings>, unitId: string, ended: () => void) {
    this.#host = host;
    this.#unitId = unitId;
    this.#ended = ended;
  }

  get subscribers(): number {
    return this.#clients.size;
  }

  get reachable(): boolean {
    return this.#feed === 'ok';
  }

  get mode(): 'watched' | 'backoff' {
    return this.#failures > 0 ? 'backoff' : 'watched';
  }

  join(client: Client): void {
    const isFirst = this.#clients.size === 0;
    this.#clients.add(client);
    client.gone.addEventListener('abort', () => this.#leave(client), { once: true });
    if (this.#last) client.send(this.#last);
    if (this.#feed === 'unreachable') client.send(this.#notice({}));
    if (isFirst) void this.#run();
  }

  /** Closes all clients. */
  stop(): void {
    for (const client of this.#clients) client.close(1001, 'the gateway is stopping');
    this.#end();
  }

  #leave(client: Client): void {
    this.#clients.delete(client);
    if (this.#clients.size === 0) this.#end();
  }

  #end(): void {
    this.#stopHeartbeat();
    this.#ending.abort(new Error('nobody is watching now'));
    this.#ended();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    this.#restartHeartbeat();
    while (!signal.aborted) {
      await this.#read(signal);
      const pause = this.#failures >= FAILURES ? BACKOFF_MS : PAUSE_MS;
      await sleep(this.#host.clock, pause, signal).catch(() => {});
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const known = await this.#known(signal);
      if (signal.aborted) return;
      this.#failures = 0;
      this.#feed = 'ok';
      const {
        battery_level: _b,
        power_source: _p,
        sd_remaining_mb: _m,
        sd_free_ratio: _r,
        ...values
      } = measuredValues(known);
      this.#tell({ unit_id: this.#unitId, timestamp: this.#now(), ...values, feed_status: 'ok' });
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
  }

  /**
   * A reading each second would interrupt the fast stream each second. So the values of the stream are used, also while a
   * command interrupts it for a moment.
   */
  async #known(signal: AbortSignal): Promise<UnitStatus> {
    const host = this.#host;
    const meter = host.meter(this.#unitId);
    if (meter.feed.watchers > 0 && meter.feed.state !== 'lost') return host.status.of(this.#unitId);
    return readLive(host, meter, { signal, priority: 'background' });
  }

  #failed(error: unknown): void {
    if (!isGatewayError(error))
      this.#host.log.error({ unit_id: this.#unitId, reason: messageOf(error) }, 'a monitor failed');
    this.#failures += 1;
    if (this.#failures < FAILURES || this.#feed === 'unreachable') return;
    this.#feed = 'unreachable';
    for (const client of this.#clients) client.send(this.#notice({}));
  }

  #tell(frame: object): void {
    this.#last = frame;
    for (const client of this.#clients) if (client.buffered < FULL_BYTES) client.send(frame);
    this.#restartHeartbeat();
  }

  #restartHeartbeat(): void {
    this.#stopHeartbeat();
    this.#stopHeartbeat = this.#host.clock.after(HEARTBEAT_MS, () => {
      for (const client of this.#clients) client.send(this.#notice({ heartbeat: true }));
      this.#restartHeartbeat();
    });
  }

  #notice(more: object): object {
    return { unit_id: this.#unitId, timestamp: this.#now(), feed_status: this.#feed, ...more };
  }

  #now(): string | null {
    return slmmTime(this.#host.clock.now());
  }
}
