/** Messages about units, on a clock that the test moves. */
import { Readable } from 'node:stream';
import t from 'tap';
import { freshRecord } from '../../lib/domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../../lib/domain/fields/snapshot.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import type { Query } from '../../lib/history/contract.ts';
import { createLog } from '../../lib/log.ts';
import type { DeviceState, Reachability } from '../../lib/meter/contract.ts';
import type { Host } from '../../lib/plugin/contract.ts';
import { settingsOf } from '../../lib/plugin/settings.ts';
import { createStatus } from '../../lib/status/projection.ts';
import type { Snapshot } from '../../lib/store/contract.ts';
import type { Message } from '../../plugins/mqtt/outgoing-queue.ts';
import { MQTT_SETTINGS, type MqttSettings } from '../../plugins/mqtt/settings.ts';
import { topicsBelow } from '../../plugins/mqtt/topics.ts';
import { Units } from '../../plugins/mqtt/units.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

const NO_PERMITS = { of: () => [], today: async () => undefined };

const FRESH = freshRecord(SNAPSHOT_FIELDS) as Snapshot;

function open(given: Partial<MqttSettings> = {}) {
  const clock = new VirtualClock();
  const log = createLog('silent');
  const events = createEventStream(clock, log);
  const snapshots = new Map<string, Snapshot>();
  const status = createStatus({
    events,
    clock,
    log,
    snapshots: {
      get: (unitId) => snapshots.get(unitId) ?? FRESH,
      record: (unitId, part) => void snapshots.set(unitId, { ...FRESH, ...snapshots.get(unitId), ...part }),
    },
  });
  const configs = new Map([['roof', deviceConfig({ unitId: 'roof', pollEnabled: true, pollIntervalSeconds: 60 })]]);
  const asked: { readonly ranges: readonly { from: number; to: number }[] }[] = [];
  let reached: Reachability['state'] = 'online';
  const host = standIn<Host<MqttSettings>>({
    settings: settingsOf({ name: 'mqtt', settings: MQTT_SETTINGS, register() {} }, given) as MqttSettings,
    clock,
    log,
    status,
    on: events.on,
    configs: {
      list: () => [...configs.values()],
      get: (unitId: string) => configs.get(unitId),
      defaults: { timezone: 'UTC' },
    },
    reachability: () => ({
      state: reached,
      reason: 'because',
      reachable: true,
      consecutiveFailures: 0,
      lastError: null,
    }),
    report: () => undefined,
    signal: new AbortController().signal,
    history: {
      query: async (query: Query) => {
        if ('ranges' in query.over) asked.push(query.over);
        const rows = [[{ leq: 61.2345, measured: 890 }]];
        return { weighting: { frequency: 'A', time: 'F' }, rows: Readable.from(rows) };
      },
    },
  });
  const sent: Message[] = [];
  const units = new Units(host, NO_PERMITS, topicsBelow('slm'), (message) => void sent.push(message));
  const reading = (values: Partial<Snapshot>) =>
    events.publish('roof', 'reading', { values: { levelsAt: clock.now(), ...values } });
  const frame = (lp: string) => {
    const main = { lp, leq: '50.0', lmax: null, lmin: null, lpeak: null, lieq: null, over: false, under: false };
    const data = { begun: 0, frame: { counter: 1, main } };
    events.publish('roof', 'frame', data);
  };
  const on = (topic: string) => sent.filter((message) => message.topic === `slm/${topic}`);
  const parsed = (topic: string) => on(topic).map(({ payload }) => JSON.parse(payload));
  const become = (state: Reachability['state']) => {
    reached = state;
    events.publish('roof', 'reachability', { from: 'online', reachability: {} as Reachability });
  };
  return { asked, clock, events, configs, units, sent, reading, frame, on, parsed, become };
}

t.test('ten frames a second become one message a second, with its own time', async (t) => {
  const { clock, frame, parsed, units } = open();
  for (let tenth = 0; tenth < 25; tenth++) {
    frame(`${50 + tenth / 10}`);
    await clock.advance(100);
  }
  const levels = parsed('roof/frame');
  t.strictSame(
    levels.map(({ lp }) => lp),
    [50, 50.9, 51.9],
  );
  t.strictSame(
    levels.map(({ time }) => time.slice(17)),
    ['00.000Z', '00.900Z', '01.900Z'],
  );
  t.strictSame([levels[0].leq, levels[0].lmax], [50, null], 'numbers, and null without a value');
  units.stop();
  t.equal(clock.pending, 0);
});

t.test(
  'levels are those of the measurement, watched or not: a frame makes their Lp newer and nothing else',
  async (t) => {
    const { clock, reading, frame, parsed, on } = open();
    reading({ lp: '51.2', leq: '61.7', lmax: '70.1', ln1: '63.0' });
    await clock.advance(5_000);
    frame('52.5');
    const [display, watched] = parsed('roof/levels');
    t.match(display, { lp: 51.2, leq: 61.7, lmax: 70.1, ln1: 63, ln: null, frequency_weighting: null });
    t.match(watched, { lp: 52.5, leq: 61.7, lmax: 70.1, ln1: 63, time: display.time });
    t.ok(watched.lp_at > display.lp_at);
    t.match(parsed('roof/frame'), [{ lp: 52.5, leq: 50, counter: 1, time: watched.lp_at }]);
    t.equal(on('roof/frame')[0]?.retain, false);
  },
);

t.test('settings of levels are published as soon as they are known, and Home Assistant gets the names', async (t) => {
  const { clock, events, reading, parsed, sent } = open();
  reading({ lp: '51.2', ln1: '63.0', ln2: '60.0' });
  const data = { levelSettings: { frequencyWeighting: 'A', timeWeighting: 'F', percentiles: [5, null] } };
  const state = standIn<DeviceState>({ ...data.levelSettings, measuring: null });
  events.publish('roof', 'reading', { values: { lp: '51.2', ln1: '63.0', levelsAt: clock.now() }, ...data });
  events.publish('roof', 'state', { state });
  await clock.advance(1_000);
  t.match(parsed('roof/levels').at(-1), { ln: { 5: 63 }, frequency_weighting: 'A', time_weighting: 'F' });
  const document = JSON.parse(sent.findLast(({ topic }) => topic.startsWith('homeassistant/'))?.payload ?? '{}');
  t.equal(document.cmps?.leq.name, 'LAeq');
});

t.test('a unit that records has its last full quarter and hour, also after a start', async (t) => {
  const { asked, clock, configs, parsed, units } = open();
  configs.set('roof', deviceConfig({ unitId: 'roof', history: 'stream', timezone: 'Asia/Kolkata' }));
  configs.set('yard', deviceConfig({ unitId: 'yard', history: 'off' }));
  // 02:00 UTC is half past seven in Kolkata: its last full hour ended at 01:30.
  await clock.advance(10_000);
  const iso = (at: number) => new Date(at * 1_000).toISOString().slice(11, 16);
  const ranges = () => asked.splice(0).map(({ ranges: [range] }) => [iso(range?.from ?? 0), iso(range?.to ?? 0)]);
  t.strictSame(ranges(), [
    ['01:45', '02:00'],
    ['00:30', '01:30'],
  ]);
  t.match(parsed('roof/leq_15m'), [{ leq: 61.23, coverage: 0.988, frequency_weighting: 'A', to: /T02:00:00/ }]);
  t.match(parsed('roof/leq_1h'), [{ leq: 61.23, from: /T00:30/ }]);
  await clock.advance(900_000);
  t.strictSame(ranges(), [['02:00', '02:15']]);
  await clock.advance(900_000);
  t.strictSame(ranges(), [
    ['02:15', '02:30'],
    ['01:30', '02:30'],
  ]);
  t.ok(
    [...units.current()].some(({ topic }) => topic === 'slm/roof/leq_1h'),
    'and for a broker that comes back',
  );
  t.strictSame(parsed('yard/leq_15m'), []);
  units.stop();
  t.equal(clock.pending, 0);
});

t.test('open alerts of a unit are a state of their own, which the broker keeps', async (t) => {
  const { events, on, parsed, units } = open();
  const now = [...units.current()].find(({ topic }) => topic === 'slm/roof/alerts');
  t.match(JSON.parse(now?.payload ?? ''), { open: 0, worst: null, events: [] });
  const event = { rule_name: 'Night', detail: 'too loud', opened_at: 'then', closed_at: null };
  events.publish('roof', 'alert', { ...event, change: 'resumed', id: '1', severity: 'warning' });
  events.publish('roof', 'alert', { ...event, change: 'opened', id: '2', severity: 'critical' });
  events.publish('roof', 'alert', { change: 'budget', budget: {} });
  t.match(parsed('roof/alerts').at(-1), { open: 2, worst: 'critical', events: [{ rule_name: 'Night' }, {}] });
  events.publish('roof', 'alert', { ...event, change: 'closed', id: '2', severity: 'critical', closed_at: 'now' });
  t.match(parsed('roof/alerts').at(-1), { open: 1, worst: 'warning' });
  t.ok(on('roof/alerts').every(({ retain }) => retain));
});

t.test('levels that nobody reads become a problem, without an event', async (t) => {
  const { clock, reading, parsed } = open();
  reading({ lp: '51.2', leq: '50.1', stateAt: clock.now(), measurementState: 'Stop' });
  await clock.advance(1_000);
  t.match(parsed('roof/state').at(-1), { problem: false, problems: [], measurement_state: 'Stop' });
  t.match(parsed('roof/levels'), [{ lp: 51.2, leq: 50.1 }]);
  await clock.advance(200_000);
  t.match(parsed('roof/state').at(-1), { problem: true, problems: ['stale'] });
  t.equal(parsed('roof/state').length, 2, 'a state is published when it changes');
});

t.test(
  'a recorded meter is no problem while its stream brings levels, though its display is read seldom',
  async (t) => {
    const { clock, reading, frame, parsed } = open();
    reading({ lp: '51.2', leq: '50.1', stateAt: clock.now(), measurementState: 'Measure' });
    for (let minute = 0; minute < 5; minute++) {
      frame('51.3');
      await clock.advance(60_000);
    }
    t.match(parsed('roof/state').at(-1), { problem: false, problems: [] });
    await clock.advance(200_000);
    t.match(parsed('roof/state').at(-1), { problem: true, problems: ['stale'] }, 'but it is when the stream ends');
  },
);

t.test(
  'a meter that cannot be reached is offline and a problem; a meter with other trouble is not offline',
  async (t) => {
    const { clock, become, on, parsed } = open();
    for (const state of ['online', 'degraded', 'offline', 'wedged', 'online'] as const) {
      become(state);
      await clock.advance(300);
    }
    t.strictSame(
      on('roof/availability').map(({ payload, retain }) => [payload, retain]),
      [
        ['online', true],
        ['offline', true],
        ['online', true],
      ],
    );
    t.strictSame(
      parsed('roof/state').map(({ problems }) => problems.filter((word: string) => word !== 'stale')),
      [[], ['degraded'], ['offline'], ['wedged'], []],
    );
  },
);

t.test('alerts go out once each and are not kept by the broker', async (t) => {
  const { events, on, parsed } = open();
  events.publish('roof', 'alert', { change: 'opened', rule: 'night' });
  t.match(parsed('roof/alert'), [{ time: /^2025-12-24T02:00/, change: 'opened', rule: 'night' }]);
  t.equal(on('roof/alert')[0]?.retain, false);
});

t.test(
  'messages of a removed unit are deleted, and again with the next connection; a new unit is published again',
  async (t) => {
    const { events, configs, units, sent } = open();
    const [config] = configs.values();
    configs.clear();
    events.publish('roof', 'config', { change: 'removed' });
    const cleared = sent.splice(0);
    t.ok(cleared.every(({ payload, retain }) => payload === '' && retain));
    t.ok(cleared.some(({ topic }) => topic === 'homeassistant/device/slm_-roof/config'));
    t.strictSame([...units.greeting()], cleared);
    if (config) configs.set('roof', config);
    events.publish('roof', 'config', { change: 'created' });
    t.match(sent, [{ topic: 'homeassistant/device/slm_-roof/config', payload: /"cmps"/ }]);
    const ofDevice = [...units.greeting()].filter(({ topic }) => !/leq_|verdict/.test(topic));
    t.notOk(ofDevice.some(({ payload }) => payload === ''));
  },
);

t.test('without Home Assistant its documents are taken away', async (t) => {
  const { units } = open({ home_assistant: false });
  const [document] = [...units.greeting()];
  t.match(document, { topic: 'homeassistant/device/slm_-roof/config', payload: '', retain: true });
});

t.test('when a unit no longer records, its means are removed once by name, and their topics are emptied', async (t) => {
  const { configs, events, sent, asked, on, clock } = open();
  const config = deviceConfig({ unitId: 'roof', history: 'stream' });
  const configure = (history: 'stream' | 'off') => {
    configs.set('roof', { ...config, history });
    events.publish('roof', 'config', { change: 'changed' });
  };
  const documents = () =>
    sent.filter(({ topic }) => topic.startsWith('homeassistant/')).map(({ payload }) => JSON.parse(payload).cmps);
  configure('stream');
  await clock.advance(20_000);
  t.match(on('roof/leq_1h').at(-1), { payload: /61\.23/, retain: true });
  sent.length = 0;
  configure('off');
  const [removal, kept, ...more] = documents();
  t.strictSame([removal.leq_15m, removal.leq_1h], [{ p: 'sensor' }, { p: 'sensor' }]);
  t.match(removal.lp, { unique_id: 'slm_-roof-lp' });
  t.strictSame([kept.leq_15m, kept.leq_1h, more], [undefined, undefined, []]);
  for (const topic of ['roof/leq_15m', 'roof/leq_1h']) t.match(on(topic), [{ payload: '', retain: true }]);
  sent.length = 0;
  const questions = asked.length;
  await clock.advance(3_600_000);
  events.publish('roof', 'config', { change: 'changed' });
  t.same(documents(), [], 'once');
  t.same([...on('roof/leq_15m'), ...on('roof/leq_1h')], []);
  t.equal(asked.length, questions);
  configure('stream');
  t.match(documents(), [{ leq_1h: { unique_id: 'slm_-roof-leq_1h' } }]);
});

t.test('when a connection begins, parts that an earlier start may have announced are removed', async (t) => {
  const { units } = open();
  const messages = [...units.greeting()];
  const ofDevice = messages.filter(({ topic }) => topic.startsWith('homeassistant/'));
  const [removal, kept] = ofDevice.map(({ payload }) => JSON.parse(payload).cmps);
  t.strictSame([removal.button_stop, removal.leq_15m], [{ p: 'button' }, { p: 'sensor' }]);
  t.notOk('button_stop' in kept || 'leq_15m' in kept);
  t.equal(ofDevice.length, 2);
  t.strictSame(
    messages.filter(({ payload }) => payload === '').map(({ topic }) => topic),
    ['slm/roof/leq_15m', 'slm/roof/leq_1h', 'slm/roof/verdict'],
  );
});

t.test(
  'with tags only units with one of them are published, and a unit that loses the tag is taken back',
  async (t) => {
    const { clock, configs, events, on, reading, frame, units } = open({ tags: ['harbour'] });
    reading({ lp: '51.2' });
    frame('52.5');
    events.publish('roof', 'reachability', { from: 'online', reachability: standIn<Reachability>({}) });
    await clock.advance(15_000);
    for (const topic of ['levels', 'frame', 'state']) t.strictSame(on(`roof/${topic}`), [], topic);
    t.ok(
      [...units.greeting()].every(({ payload }) => payload === ''),
      'what an earlier start kept is removed',
    );
    configs.set('roof', deviceConfig({ unitId: 'roof', tags: ['harbour'] }));
    events.publish('roof', 'config', { change: 'changed' });
    reading({ lp: '51.3' });
    await clock.advance(15_000);
    t.equal(on('roof/levels').length, 1);
    configs.set('roof', deviceConfig({ unitId: 'roof' }));
    events.publish('roof', 'config', { change: 'changed' });
    t.equal(on('roof/levels').at(-1)?.payload, '');
  },
);
