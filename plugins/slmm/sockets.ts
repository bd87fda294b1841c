/**
 * The two WebSockets: `stream`, ten frames a second, and `monitor`, one reading a second for all. As in SLMM, a client is
 * first accepted and then gets errors in a message. It is refused before that if it may not see the unit, or if there are
 * too many clients.
 */
import {
  type Client,
  createMailbox,
  GatewayError,
  isGatewayError,
  type LiveFrame,
  type Meter,
  messageOf,
  type Schema,
} from '../../lib/index.ts';
import { Monitor } from './monitor.ts';
import { addRoute, type SlmmGateway, type SlmmRoute } from './route.ts';
import { slmmTime } from './shapes.ts';
import { slmmText } from './status.ts';

const FULL_BYTES = 16_384;
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
  const mailbox = createMailbox<LiveFrame>({
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
    frame: (frame) => mailbox.offer(frame),
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

const monitorStatus = (monitors: ReadonlyMap<string, Monitor>): SlmmRoute => ({
  method: 'GET',
  path: '/_monitor/status',
  access: 'viewer',
  async answer(request, gateway) {
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
  },
});
