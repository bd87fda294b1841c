/** The live plugin with clients of every kind, without a network: the client is a list. */
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import type { Client, EventKind, GatewayEvent, LiveFrame, Meter, Request, SocketRoute } from '../../lib/index.ts';
import type { ReachabilityState } from '../../lib/meter/contract.ts';
import { Hub } from '../../lib/meter/live/hub.ts';
import live from '../../plugins/live/index.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

const SETTINGS = { streams_per_unit: 50, streams: 500, buffer_bytes: 1_024, patience_ms: 10_000 };

function rig(settings: Partial<typeof SETTINGS> = {}) {
  const clock = new VirtualClock();
  const feed = new Hub<LiveFrame>({ log: { warn: () => {} }, onWatched: () => {}, onUnwatched: () => {} });
  const deviceState = { measuring: true, paused: false, startedAt: null };
  const family = createFamilies().get('nl43');
  const meter = standIn<Meter>({ unitId: 'roof', family, feed, deviceState });
  const stops: (() => void)[] = [];
  let socket: SocketRoute | undefined;
  let tell: (event: GatewayEvent) => void = () => {};
  const host = standIn<Parameters<typeof live.register>[0]>({
    settings: { ...SETTINGS, ...settings },
    clock,
    meter: () => meter,
    route: () => {},
    socket: (route: SocketRoute) => {
      socket = route;
    },
    onStop: (undo: () => void) => void stops.push(undo),
    on: (kind: EventKind, listener: typeof tell) => {
      if (kind === 'reachability') tell = listener;
      return () => {};
    },
    status: { of: () => ({ values: { lastSeen: null } }) },
    configs: { get: () => ({ pollIntervalSeconds: 60 }) },
  });
  live.register(host);
  let counter = 0;
  const publish = (lp = '50.0') => {
    counter += 1;
    const levels = { lp, leq: '51.0', lmax: '52.0', lmin: '48.0', lpeak: '63.0', lieq: null, over: true, under: false };
    feed.publish({
      at: clock.now(),
      elapsed: clock.elapsed(),
      shown: null,
      begun: 0,
      frame: { counter, main: levels },
    });
  };
  const open = () => {
    const seen = client();
    socket?.open(seen, { unitId: 'roof' } as Request);
    return seen;
  };
  const change = (unitId: string, state: ReachabilityState) => {
    const reachability = { state, reason: 'words', consecutiveFailures: 3 };
    tell(standIn<GatewayEvent<'reachability'>>({ unitId, data: { from: 'online', reachability } }));
  };
  return { clock, feed, publish, open, change, stop: () => stops.forEach((undo) => void undo()) };
}

function client() {
  const gone = new AbortController();
  const messages: Record<string, unknown>[] = [];
  const closes: [number, string][] = [];
  const seen = {
    buffered: 0,
    gone: gone.signal,
    messages,
    closes,
    send: (message: object | string) =>
      void messages.push(typeof message === 'string' ? JSON.parse(message) : { ...message }),
    onMessage: () => {},
    close: (code: number, reason: string) => void closes.push([code, reason]),
    leave: () => gone.abort(),
  };
  return seen satisfies Client;
}

t.test('a client that takes nothing for too long is sent away with 1013', async (t) => {
  const { clock, publish, open } = rig();
  const slow = open();
  slow.buffered = 5_000;
  publish();
  await clock.advance(9_000);
  t.same(slow.closes, []);
  await clock.advance(2_000);
  t.match(slow.closes, [[1013, /too slow/]]);
  publish();
  t.same(slow.messages, [], 'and gets nothing more');
});

t.test('a client that has left is forgotten: nothing is sent, no timer stays', async (t) => {
  const { clock, feed, publish, open } = rig();
  const left = open();
  left.buffered = 5_000;
  publish();
  left.leave();
  t.equal(feed.watchers, 0);
  t.equal(clock.pending, 0);
  publish();
  t.same(left.messages, []);
});

t.test('changes of the feed are sent, and its end is in the close code', async (t) => {
  const { feed, open } = rig();
  const one = open();
  feed.status('interrupted', 'a command runs');
  feed.status('lost', 'no frame for 3000 ms');
  feed.status('ok', 'back');
  t.match(one.messages, [
    { unit_id: 'roof', feed_status: 'interrupted', detail: 'a command runs', timestamp: /Z$/ },
    { feed_status: 'lost' },
    { feed_status: 'ok' },
  ]);
  feed.end('failed', 'gave up');
  t.same(one.closes, [[1011, 'gave up']]);
  const two = open();
  feed.end('removed', 'the config was removed');
  t.same(two.closes, [[1008, 'the config was removed']]);
  const three = open();
  feed.close('stopping', 'the gateway is stopping');
  t.same(three.closes, [[1001, 'the gateway is stopping']]);
});

t.test('only the watchers of a unit get its reachability', async (t) => {
  const { open, change } = rig();
  const one = open();
  change('gate', 'offline');
  t.same(one.messages, []);
  change('roof', 'offline');
  t.match(one.messages, [
    { unit_id: 'roof', timestamp: String, reachability: 'offline', reason: 'words', consecutive_failures: 3 },
  ]);
  one.leave();
  change('roof', 'online');
  t.equal(one.messages.length, 1);
});
