import t from 'tap';
import { createEventStream } from '../../lib/events/stream.ts';
import type { Cards } from '../../lib/files/contract.ts';
import type { History } from '../../lib/history/contract.ts';
import { RouteTable } from '../../lib/http/routes.ts';
import { createLog } from '../../lib/log.ts';
import type { Meter } from '../../lib/meter/contract.ts';
import type { Outbound } from '../../lib/outbound/contract.ts';
import { createHost } from '../../lib/plugin/host.ts';
import type { UnitStatus } from '../../lib/status/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { configOf, noJobs, storeOf } from './doubles.ts';

const roof = configOf({ unitId: 'roof' });
const meter = { unitId: 'roof' } as Meter;
const cards: Pick<Cards, 'of'> = { of: (config) => ({ config }) as never };

const clock = new VirtualClock();
const events = createEventStream(clock, createLog('silent'));

const hosted = () =>
  createHost(
    'demo',
    { a: 1 },
    {
      table: new RouteTable(),
      store: storeOf([roof]),
      jobs: noJobs,
      meters: {
        meter: () => meter,
        reachability: () => undefined,
        report: () => undefined,
        counters: () => undefined,
      },
      cards,
      addresses: async (host: string) => [host],
      call: () => Promise.reject(new Error('there are no routes here')),
      guesses: () => ({ wrongKeys: 0, wrongTickets: 0 }),
      audit: { read: async () => [] },
      history: {} as History,
      outbound: {} as Outbound,
      events,
      status: { of: () => ({}) as UnitStatus },
      dataDir: '',
      clock,
      log: createLog('silent'),
    },
  );

t.test('a plugin sees what the contract lists and nothing else', async (t) => {
  const { host } = hosted();
  const listed = [
    'settings',
    'log',
    'clock',
    'signal',
    'configs',
    'snapshots',
    'status',
    'audit',
    'jobs',
    'tables',
    'secrets',
    'outbound',
    'folder',
    'history',
    'meter',
    'reachability',
    'report',
    'counters',
    'on',
    'publish',
    'card',
    'mayReach',
    'route',
    'socket',
    'assets',
    'call',
    'guesses',
    'onStop',
  ];
  t.strictSame(Object.keys(host).sort(), listed.sort());
});

t.test('a card is that of the present config, and unknown for an unknown unit', async (t) => {
  const { host } = hosted();
  t.equal((host.card('roof') as unknown as { config: unknown }).config, roof);
  t.throws(() => host.card('cellar'), { code: 'UNIT_NOT_FOUND' });
  t.equal(host.meter('roof'), meter);
});

t.test('a definition that is wrong is refused where it is made', async (t) => {
  const { host } = hosted();
  const route = {
    method: 'GET',
    path: '/x',
    access: 'public',
    summary: 'x',
    answer: {},
    errors: [],
    handle: () => ({}),
  } as const;
  for (const wrong of [
    { path: 'x' },
    { path: '/:unit_id' },
    { path: '/a b' },
    { path: '/{name}' },
    { body: { type: 'object' } },
    { query: { a: { type: 'strnig' } } },
    { answer: { a: { type: 'strnig' } } },
    { method: 'PUT', body: { type: 'object', propertes: {} } } as const,
  ]) {
    t.throws(() => host.route({ ...route, ...wrong }), JSON.stringify(wrong));
  }
  host.route(route);
});

t.test('what a plugin publishes is heard by the others, and its own listeners end with it', async (t) => {
  const speaker = hosted();
  const hearer = hosted();
  const heard: unknown[] = [];
  hearer.host.on('reading', ({ unitId, seq, data }) => heard.push([unitId, seq, data.values.lp]));
  speaker.host.publish('roof', 'reading', { values: { lp: '51.2' } });
  await hearer.undo();
  speaker.host.publish('roof', 'reading', { values: { lp: '51.3' } });
  t.strictSame(heard, [['roof', 1, '51.2']]);

  const late = hosted();
  late.host.on('reading', ({ seq }) => heard.push(seq));
  await speaker.undo();
  speaker.host.publish('roof', 'reading', { values: {} });
  t.equal(heard.length, 1, 'a plugin that has ended is not heard any more');
});
