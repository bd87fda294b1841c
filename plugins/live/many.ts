/** WS /_live: one socket for many meters. Turns the gateway's events into messages, once for all clients. */
import {
  type DeviceState,
  numeric,
  quantities,
  SNAPSHOT_FIELDS,
  type Stamp,
  shownClockOffset,
  shownDoubts,
  shownJob,
  shownLevelSettings,
  shownReachability,
  shownRecord,
  shownUnit,
  shownValues,
  shownWeighting,
} from '../../lib/built-in.ts';
import { type EventKind, type GatewayEvent, type Host, iso } from '../../lib/index.ts';
import { FRAME_EVENT, HELLO_MESSAGE, type LiveSettings, UNIT_EVENT } from './schemas.ts';
import type { FrameWeightings, StreamLimit } from './streams.ts';
import {
  CHANGE,
  QUERY,
  Subscriber,
  type SubscriberEvent,
  type SubscriptionChange,
  type SubscriptionQuery,
  subscriptionOf,
} from './subscriber.ts';

export function serveMany(host: Host<LiveSettings>, limit: StreamLimit, weightings: FrameWeightings): void {
  const subscribers = new Set<Subscriber>();
  const tell = (told: SubscriberEvent) => {
    for (const subscriber of [...subscribers]) subscriber.tell(told);
  };
  let listening: readonly (() => void)[] = [];
  const enter = (subscriber: Subscriber) => {
    if (subscribers.size === 0) listening = [...listen(host, tell), ...tellStreams(host, tell)];
    subscribers.add(subscriber);
  };
  const leave = (subscriber: Subscriber) => {
    if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
    for (const end of listening) end();
  };
  host.socket<SubscriptionChange, SubscriptionQuery>({
    path: '/_live',
    access: 'viewer',
    operation: 'watchUnits',
    filtersUnits: true,
    summary: 'Watch many meters on one socket',
    description:
      'First a hello with the present status of each unit, then one JSON text message for each event. A message of the client changes its subscription and is answered with a new hello. Close codes: 1001 the gateway stops, 1013 too slow for too long.',
    query: QUERY,
    messages: [HELLO_MESSAGE, FRAME_EVENT, UNIT_EVENT],
    accepts: CHANGE,
    errors: ['STOPPING', 'TOO_MANY_STREAMS'],
    admit: () => limit.check(),
    open(client, { identity, query }) {
      if (!limit.enter(client)) return;
      const subscriber = new Subscriber(host, client, identity, subscriptionOf(query), weightings);
      enter(subscriber);
      client.gone.addEventListener('abort', () => leave(subscriber), { once: true });
    },
  });
}

/** Clients put a reading over the values that they have: null removes a level that is no longer sent. */
const NO_LEVELS = quantities.levelsBy(quantities.OPTIONAL, () => null);
/** When a measurement begins, the levels of the measurement before are removed. */
const NO_MEASUREMENT = {
  ...quantities.levelsBy(
    quantities.quantitiesIn('status').filter((name) => name !== 'lp'),
    () => null,
  ),
  over_range: null,
  under_range: null,
  measured_at: null,
};

/** Each client watches the streams itself, because a watcher keeps the stream of a meter running. Returns the functions that end this. */
function listen(host: Host<LiveSettings>, tell: (told: SubscriberEvent) => void): (() => void)[] {
  const on = <Kind extends EventKind>(kind: Kind, told: (event: GatewayEvent<Kind>) => object, name?: Name) =>
    host.on(kind, (event) => tell({ ...about(event, told(event)), ...(name && { name }) }));
  return [
    on('reading', (event) => reading(host, event)),
    // Values of the earlier meter do not count.
    on('exchange', ({ unitId }) => known(host, unitId), 'reading'),
    on('state', ({ unitId, data }) => state(host, unitId, data.state)),
    on('clock', ({ unitId }) => state(host, unitId, host.meter(unitId).deviceState), 'state'),
    on('setting', ({ data }) => data),
    on('reachability', ({ data }) => ({ from: data.from, ...shownReachability(data.reachability) })),
    on('config', ({ unitId, data }) => {
      const config = host.configs.get(unitId);
      return { change: data.change, unit: config ? shownUnit(host, config) : null };
    }),
    on('alert', ({ data }) => data),
    on('job', ({ data }) => shownJob(data)),
  ];
}

type Name = SubscriberEvent['name'];

/** The shortest time between two readings that are made from the frames of a unit, ms. Less than a second: frames come in bunches. */
const STREAM_MS = 950;

/**
 * While a stream runs, the display is read rarely: once a second a frame becomes a reading, too. Only its Lp is new.
 */
function tellStreams(host: Host<LiveSettings>, tell: (told: SubscriberEvent) => void): (() => void)[] {
  const toldAt = new Map<string, number>();
  const forget = host.on('removal', ({ unitId }) => toldAt.delete(unitId));
  const follow = host.on('frame', ({ unitId, time, elapsed, data: { frame } }) => {
    const interval = host.configs.get(unitId)?.pollIntervalSeconds;
    if (interval === undefined) return;
    if (elapsed - (toldAt.get(unitId) ?? Number.NEGATIVE_INFINITY) < STREAM_MS) return;
    toldAt.set(unitId, elapsed);
    const { lp, implausible } = frame.main;
    const values = { ...NO_LEVELS, ...shownValues(host.status.of(unitId), interval), lp, lp_at: iso(time) };
    const data = { ...numeric(values), implausible: implausible !== undefined };
    tell({ name: 'reading', unitId, time, data });
  });
  return [forget, follow];
}

const about = (event: Stamp & { readonly kind: EventKind }, data: object): SubscriberEvent => ({
  // The gateway follows only kinds that clients may subscribe to.
  name: event.kind as Name,
  unitId: event.unitId,
  time: event.time,
  data,
});

function reading(host: Sources, { unitId, data }: GatewayEvent<'reading'>): object {
  const { values, levelSettings } = data;
  const names = Object.keys(values);
  const brought = Object.fromEntries(Object.entries(SNAPSHOT_FIELDS).filter(([name]) => names.includes(name)));
  const interval = host.configs.get(unitId)?.pollIntervalSeconds;
  return {
    ...numeric(shownRecord(brought, { ...values })),
    ...(levelSettings && shownLevelSettings(values, levelSettings)),
    ...(interval !== undefined && shownDoubts(host.status.of(unitId), interval)),
  };
}

type Sources = Pick<Host, 'configs' | 'status' | 'reachability'>;

function known({ configs, status }: Sources, unitId: string): Readonly<Record<string, unknown>> {
  const interval = configs.get(unitId)?.pollIntervalSeconds;
  return interval === undefined ? {} : numeric({ ...NO_LEVELS, ...shownValues(status.of(unitId), interval) });
}

function state({ status, reachability }: Sources, unitId: string, now: DeviceState): object {
  const { values, levelSettings } = status.of(unitId);
  return {
    ...measurement(now),
    ...shownWeighting(now),
    levels: { ...(values.levelsAt === null && NO_MEASUREMENT), ...shownLevelSettings(values, levelSettings) },
    clock: shownClockOffset(reachability(unitId)),
  };
}

const measurement = ({ measuring, paused, startedAt, startSource, storeName }: DeviceState) => ({
  measurement_state: measuring === null ? null : measuring ? 'Measure' : 'Stop',
  is_paused: paused,
  measurement_start_time: iso(startedAt),
  measurement_start_source: startSource,
  store_name: storeName,
});
