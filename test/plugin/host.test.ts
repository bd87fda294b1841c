import t from 'tap';
import { createEventStream, createWireTaps } from '../../lib/events/stream.ts';
import type { Cards } from '../../lib/files/contract.ts';
import { assertSchemas } from '../../lib/http/routes.ts';
import { createLog } from '../../lib/log.ts';
import type { Meter } from '../../lib/meter/contract.ts';
import { createHost } from '../../lib/plugin/host.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';
import { configOf, offerOf, storeOf } from './doubles.ts';

const roof = configOf({ unitId: 'roof' });
const meter = { unitId: 'roof' } as Meter;
const cards: Pick<Cards, 'of'> = { of: (config) => Object.assign(standIn<ReturnType<Cards['of']>>({}), { config }) };

const clock = new VirtualClock();
const events = createEventStream(clock, createLog('silent'));
const taps = createWireTaps();

const hosted = () => {
  const none = () => undefined;
  const meters = { meter: () => meter, reachability: none, report: none, counters: none };
  const addresses = async (host: string) => [host];
  const offer = offerOf({ store: storeOf([roof]), meters, cards, addresses, events, taps, clock });
  return createHost({ name: 'demo' }, { a: 1 }, offer, assertSchemas, new Map());
};

t.test('a plugin sees what the contract lists and nothing else', async (t) => {
  const { host } = hosted();
  const listed = `
    settings log basePath clock signal configs snapshots status audit jobs signing tables secrets
    outbound folder history stored families meter reachability report counters on publish wire card
    mails mayReach route socket assets call ask guesses instances issuerSessions rightsOf part parts
    publicUrl use onStop
  `;
  t.strictSame(Object.keys(host).sort(), listed.trim().split(/\s+/).sort());
});

t.test('a card is that of the present config, and unknown for an unknown unit', async (t) => {
  const { host } = hosted();
  t.equal(Reflect.get(host.card('roof'), 'config'), roof);
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

t.test('events of a plugin reach the others, and its own listeners end with it', async (t) => {
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

t.test(
  'a plugin can end one of its listeners, and a listener for a unit that it does not name gets nothing',
  async (t) => {
    const { host, undo } = hosted();
    const heard: string[] = [];
    const end = host.on('file', ({ unitId }) => heard.push(`ended ${unitId}`));
    host.on('file', ({ unitId }) => heard.push(`of the yard ${unitId}`), { units: new Set(['yard']) });
    events.publish('roof', 'file', { path: '/NL-43/0001' });
    end();
    events.publish('roof', 'file', { path: '/NL-43/0002' });
    events.publish('yard', 'file', { path: '/NL-43/0003' });
    t.strictSame(heard, ['ended roof', 'of the yard yard']);
    await undo();
  },
);

t.test('listeners of the signal that throw, or reject, harm neither the others nor the process', async (t) => {
  const { host, undo } = hosted();
  const heard: string[] = [];
  const never = () => heard.push('removed');
  host.signal.addEventListener('abort', never);
  host.signal.removeEventListener('abort', never);
  host.signal.addEventListener('abort', () => {
    throw new Error('a fault in a listener');
  });
  host.signal.addEventListener('abort', async () => {
    throw new Error('a fault later on');
  });
  host.signal.addEventListener('abort', { handleEvent: () => heard.push('object') }, { once: true });
  host.signal.onabort = () => {
    heard.push('property');
    throw new Error('a fault in the property');
  };
  host.onStop(() => void heard.push('stopped'));
  await undo();
  await new Promise((resolve) => setImmediate(resolve));
  t.same(heard, ['object', 'property', 'stopped']);
  t.ok(host.signal.aborted);
  await t.rejects(fetch('http://127.0.0.1:9', { signal: host.signal }), 'the platform takes it for a signal');
});

t.test('handlers of a plugin on events, lines and timers may throw, or reject, and harm nobody', async (t) => {
  const { host, undo } = hosted();
  const heard: string[] = [];
  const faults = [
    (name: string) => {
      heard.push(`${name} throws`);
      throw new Error('a fault in a listener');
    },
    async (name: string) => {
      heard.push(`${name} rejects`);
      throw new Error('a fault later on');
    },
  ];
  for (const fault of faults) {
    host.on('reading', () => fault('event'));
    host.clock.after(10, () => fault('timer'));
    const stop = host.wire.listen('roof', () => fault('line'));
    taps.of('roof')?.({ port: 'ftp', direction: 'sent', text: 'QUIT' });
    stop();
    host.onStop(() => fault('stop'));
  }
  host.on('reading', () => void heard.push('the next one hears'));
  events.publish('roof', 'reading', { values: {} });
  await clock.advance(10);
  await undo();
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(heard, [
    ...['line throws', 'line rejects'],
    ...['event throws', 'event rejects', 'the next one hears'],
    ...['timer throws', 'timer rejects'],
    ...['stop rejects', 'stop throws'],
  ]);
});
