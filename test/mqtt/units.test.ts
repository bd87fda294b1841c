/** What is told of units, on a clock that the test moves. */
import t from 'tap';
import { freshRecord } from '../../lib/domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../../lib/domain/fields/snapshot.ts';
import type { EventData } from '../../lib/events/contract.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import type { Reachability } from '../../lib/meter/contract.ts';
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
  let reached: Reachability['state'] = 'online';
  const host = {
    settings: settingsOf({ name: 'mqtt', settings: MQTT_SETTINGS, register() {} }, given),
    clock,
    log,
    status,
    on: events.on,
    configs: { list: () => [...configs.values()], get: (unitId: string) => configs.get(unitId) },
    reachability: () => ({
      state: reached,
      reason: 'because',
      reachable: true,
      consecutiveFailures: 0,
      lastError: null,
    }),
    report: () => undefined,
  } as unknown as Host<MqttSettings>;
  const sent: Message[] = [];
  const units = new Units(host, topicsBelow('slm'), (message) => void sent.push(message));
  const reading = (values: Partial<Snapshot>) =>
    events.publish('roof', 'reading', { values: { levelsAt: clock.now(), ...values } });
  const frame = (lp: string) => {
    const main = { lp, leq: '50.0', lmax: null, lmin: null, lpeak: null, lieq: null, over: false, under: false };
    const data = { begun: 0, frame: { counter: 1, main, sub1: null, sub2: null, sub3: null } };
    events.publish('roof', 'frame', data as unknown as EventData['frame']);
  };
  const on = (topic: string) => sent.filter((message) => message.topic === `slm/${topic}`);
  const parsed = (topic: string) => on(topic).map(({ payload }) => JSON.parse(payload));
  const become = (state: Reachability['state']) => {
    reached = state;
    events.publish('roof', 'reachability', { from: 'online', reachability: {} as Reachability });
  };
  return { clock, events, configs, units, sent, reading, frame, on, parsed, become };
}

t.test('ten frames a second become one message a second, with its own time', async (t) => {
  const { clock, frame, parsed, units } = open();
  for (let tenth = 0; tenth < 25; tenth++) {
    frame(`${50 + tenth / 10}`);
    await clock.advance(100);
  }
  const levels = parsed('roof/levels');
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

t.test('levels that nobody reads any more become a problem, without an event', async (t) => {
  const { clock, reading, parsed } = open();
  reading({ lp: '51.2', leq: '50.1', stateAt: clock.now(), measurementState: 'Stop' });
  await clock.advance(1_000);
  t.match(parsed('roof/state').at(-1), { problem: false, problems: [], measurement_state: 'Stop' });
  t.match(parsed('roof/levels'), [{ lp: 51.2, leq: 50.1 }]);
  await clock.advance(200_000);
  t.match(parsed('roof/state').at(-1), { problem: true, problems: ['stale'] });
  t.equal(parsed('roof/state').length, 2, 'a state is told when it changes');
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
  'a meter that cannot be reached is offline and a problem; one that is merely in trouble is not offline',
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
  'what was told of a removed unit is taken away, and again with the next connection; a new one is told again',
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
    t.notOk([...units.greeting()].some(({ payload }) => payload === ''));
  },
);

t.test('without Home Assistant its documents are taken away', async (t) => {
  const { units } = open({ home_assistant: false });
  const [document] = [...units.greeting()];
  t.match(document, { topic: 'homeassistant/device/slm_-roof/config', payload: '', retain: true });
});
