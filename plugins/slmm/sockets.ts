/**
 * The two WebSockets: `stream`, ten frames a second, and `monitor`, one reading a second for all. As in SLMM, a client is
 * first accepted and then gets errors in a message. It is refused before that if it may not see the unit, or if there are
 * too many clients.
 */
import type { UnitStatus } from '../../lib/built-in.ts';
import {
  type Client,
  GatewayError,
  type Host,
  isGatewayError,
  type LiveFrame,
  Mailbox,
  type Meter,
  messageOf,
  readLive,
  type Schema,
  sleep,
} from '../../lib/index.ts';
import { addRoute, type SlmmGateway, type SlmmRoute, type SlmmSettings, slmmRoute, slmmTime } from './route.ts';
import { measuredValues, slmmText } from './status.ts';

const PAUSE_MS = 1_000;
const BACKOFF_MS = 10_000;
const FAILURES = 3;
/** After this time without a frame a client gets a message to show that the socket is alive. */
const HEARTBEAT_MS = 25_000;
/** A client with this many unread bytes gets no frame until it has read them. */
const FULL_BYTES = 16_384;

type Feed = 'ok' | 'unreachable';

/**
 * One meter, read about once a second while clients watch it, for all viewers together. A slow client gets the newest
 * frame when it can take one. After three failures it reports them once, and is slower.
 */
class Monitor {
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

  /** A reading each second would interrupt the fast stream. So its values are used, also in its breaks. */
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

const SLOW_MS = 30_000;
const ANY: Schema = { type: 'object' };

export function addSockets(gateway: SlmmGateway): void {
  const { host } = gateway;
  const clients = new Set<Client>();
  const monitors = new Map<string, Monitor>();

  const enter = (client: Client): void => {
    clients.add(client);
    client.gone.addEventListener('abort', () => clients.delete(client), { once: true });
  };
  const admit = (): void => {
    if (clients.size < host.settings.streams) return;
    const words = `Too many streams are open: at most ${host.settings.streams}.`;
    throw new GatewayError('TOO_MANY_STREAMS', words, { headers: { 'Retry-After': '10' } });
  };
  const common = { besideBase: true, undocumented: true, access: 'viewer', messages: [ANY], errors: [] } as const;
  const base = host.settings.base_path;

  host.socket({
    ...common,
    path: `${base}/{unit_id}/stream`,
    summary: 'The fast stream, in the frames of SLMM',
    admit,
    open(client, { unitId }) {
      enter(client);
      const meter = meterFor(gateway, client, unitId);
      if (meter) stream(gateway, client, meter);
    },
  });

  host.socket({
    ...common,
    path: `${base}/{unit_id}/monitor`,
    summary: 'One reading each second, shared by all viewers',
    admit,
    open(client, { unitId }) {
      enter(client);
      // In SLMM an unknown unit is "unreachable"; here it gets no monitor.
      if (!host.configs.get(unitId)) return client.send(unknown(gateway, unitId));
      const monitor = monitors.get(unitId) ?? new Monitor(host, unitId, () => monitors.delete(unitId));
      monitors.set(unitId, monitor);
      monitor.join(client);
    },
  });

  addRoute(gateway, monitorStatus(monitors));
  host.onStop(() => {
    for (const monitor of [...monitors.values()]) monitor.stop();
    for (const client of clients) client.close(1001, 'the gateway is stopping');
  });
}

const unknown = ({ host }: SlmmGateway, unitId: string) => ({
  unit_id: unitId,
  timestamp: slmmTime(host.clock.now()),
  feed_status: 'unreachable',
});

/** Undefined: the client got the reason and was closed. */
function meterFor({ host }: SlmmGateway, client: Client, unitId: string): Meter | undefined {
  try {
    return host.meter(unitId);
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    client.send({ error: messageOf(error), unit_id: unitId });
    client.close(1000, 'no stream');
    return undefined;
  }
}

function stream({ host }: SlmmGateway, client: Client, meter: Meter): void {
  const startedAt = () => slmmTime(meter.deviceState.startedAt);
  const mailbox = new Mailbox<LiveFrame>({
    clock: host.clock,
    send: ({ at, frame: { counter, main } }) =>
      client.send({
        unit_id: meter.unitId,
        timestamp: slmmTime(at),
        measurement_state: 'Measure',
        measurement_start_time: startedAt(),
        counter: String(counter),
        lp: slmmText(main.lp, true),
        leq: slmmText(main.leq, true),
        lmax: slmmText(main.lmax, true),
        lmin: slmmText(main.lmin, true),
        lpeak: slmmText(main.lpeak, true),
        ln1: null,
        ln2: null,
        raw_payload: null,
      }),
    buffered: () => client.buffered,
    tooSlow: () => client.close(1013, 'too slow'),
    fullBytes: FULL_BYTES,
    slowMs: SLOW_MS,
  });
  const unwatch = meter.feed.watch({
    frame: (frame) => mailbox.offer('frame', meter.unitId, frame),
    status(status, detail) {
      if (status !== 'lost') return;
      client.send({ error: 'The stream of the meter is lost.', detail });
      client.close(1000, 'the stream is lost');
    },
    end(reason, detail) {
      mailbox.close();
      client.close(reason === 'stopping' ? 1001 : 1000, detail);
    },
  });
  client.gone.addEventListener(
    'abort',
    () => {
      unwatch();
      mailbox.close();
    },
    { once: true },
  );
}

const monitorStatus = (monitors: ReadonlyMap<string, Monitor>): SlmmRoute =>
  slmmRoute('GET', '/_monitor/status', 'viewer', {}, async (request, gateway) => {
    const { units } = await gateway.ask(request, { method: 'GET', path: '/' });
    const own = units as readonly { unit_id: string; tcp_enabled: boolean; poll_enabled: boolean }[];
    const shown = own.flatMap(({ unit_id, tcp_enabled, poll_enabled }) => {
      const monitor = monitors.get(unit_id);
      const keepalive = tcp_enabled && poll_enabled;
      if (!monitor && !keepalive) return [];
      const reachable = monitor?.reachable ?? gateway.host.reachability(unit_id)?.reachable !== false;
      const mode = monitor?.mode ?? (reachable ? 'idle' : 'backoff');
      return [[unit_id, { running: true, subscribers: monitor?.subscribers ?? 0, keepalive, reachable, mode }]];
    });
    return { monitors: Object.fromEntries(shown) };
  });
