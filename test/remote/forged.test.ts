/** Messages that no gateway of ours sends: nothing of them reaches a meter. */
import t from 'tap';
import { LINK_VERSION } from '../../lib/remote/messages.ts';
import { meterConfig } from '../../lib/remote/told-configs.ts';
import { CONFIG, UNIT } from '../meter/support/bench.ts';
import { sentOf, twoInstances } from './support/two-instances.ts';

const call = (ask: object, more: object = {}) => ({ kind: 'call', id: 77, unit: UNIT, caller: {}, ask, ...more });
const perform = (name: string, ...values: unknown[]) => call({ do: 'perform', name, values });

/** Refused with an answer. */
const REFUSED: Readonly<Record<string, object>> = {
  'an operation that nobody knows': perform('format'),
  'a name that every object has': perform('constructor'),
  'a clock with a line break': perform('setClock', '2026/11/21 06:00:07\r\nMeasure,Stop'),
  'a clock with another command': perform('setClock', 'x,Measure,Stop'),
  'a clock that is a list': perform('setClock', ['2026/11/21 06:00:07']),
  'a store name that is text': perform('setStoreName', '1\r\nReset'),
  'a store name that is too large': perform('setStoreName', 10_000),
  'a switch that is text': perform('setSleepMode', 'On'),
  'a place that no display has': perform('percentile', '1?\r\nReset'),
  'a channel that the family has not': perform('weightings', 'Main)?\r\nReset'),
  'values where none are': perform('stop', 1),
  'too many values': perform('live', ...Array.from({ length: 20 }, () => 1)),
  'a setting that nobody knows': call({ do: 'read', setting: 'reset' }),
  'a value with a line break': call({ do: 'write', setting: 'lp_interval', value: '1s\r\nReset' }),
  'a value that is a number': call({ do: 'write', setting: 'lp_interval', value: 1 }),
  'a command as text': call({ do: 'send', text: 'Reset' }),
  'a member too many': call({ do: 'read', setting: 'lp_interval', text: 'Reset' }),
  'a unit that is no id': call({ do: 'read', setting: 'lp_interval' }, { unit: '../x' }),
  'a unit that is not served': call({ do: 'read', setting: 'lp_interval' }, { unit: 'other' }),
  'a deadline that is no number': call({ do: 'read', setting: 'lp_interval' }, { caller: { deadlineMs: 'long' } }),
  'a step of no reservation': { kind: 'step', id: 77, of: 5, ask: { do: 'read', setting: 'lp_interval' } },
  'a kind that nobody knows': { kind: 'send', id: 77, unit: UNIT, text: 'Reset' },
};

for (const [what, message] of Object.entries(REFUSED)) {
  t.test(`${what} is refused`, async (t) => {
    const { clock, device, gateway } = twoInstances(t);
    const { near, far } = gateway();
    await clock.advance(10);
    near.send(message);
    await clock.advance(60_000);
    const answers = sentOf(far).filter(({ kind, id }) => kind === 'answer' && id === 77);
    t.equal(answers.length, 1);
    t.match(answers[0], { outcome: { error: { code: String } } });
    t.same(device.commands, []);
  });
}

const KNOWN_STATE = {
  ...{ measuring: true, paused: null, startedAt: 5, startSource: 'seen', storeName: '0001' },
  ...{ frequencyWeighting: 'A', timeWeighting: 'F', weightingSource: 'sent', percentiles: [5, null] },
  channelWeightings: { sub1: { frequency: 'C', time: null, source: 'read' } },
};

/** A unit with what the session before knew. */
const unitsWith = (change: object) => ({
  ...{ kind: 'units', all: false, gone: [] },
  units: [
    {
      config: meterConfig(CONFIG),
      known: {
        ...{ measurementStartTime: null, measurementStartSource: null, meter: null },
        state: { ...KNOWN_STATE, ...change },
      },
    },
  ],
});

/** They end the link. */
const ENDING: Readonly<Record<string, unknown>> = {
  'a message that is no object': 'Reset',
  'a message without a kind': {},
  'a watch of no unit': { kind: 'watch', unit: 5, on: true },
  'a config with an address that is none': {
    kind: 'units',
    all: false,
    gone: [],
    units: [
      {
        config: {
          unitId: UNIT,
          family: 'nl43',
          host: 'a\r\nb',
          tcpPort: 1,
          tcpEnabled: true,
          ftpPort: 21,
          timezone: null,
        },
      },
    ],
  },
  'a config with a member too many': {
    kind: 'units',
    all: false,
    gone: [],
    units: [
      {
        config: {
          unitId: UNIT,
          family: 'nl43',
          host: 'a',
          tcpPort: 1,
          tcpEnabled: true,
          ftpPort: 21,
          timezone: null,
          x: 1,
        },
      },
    ],
  },
  ...Object.fromEntries(
    Object.entries({
      'a weighting that is no word': { frequencyWeighting: 5 },
      'a weighting without end': { timeWeighting: 'F'.repeat(65) },
      'a state that is no word of it': { measuring: 'yes' },
      'a start that is no time': { startedAt: '2026' },
      'percentiles without end': { percentiles: Array(9).fill(5) },
      'channels that are none': { channelWeightings: { sub1: 'A' } },
      'a member too many': { constructor: 'x' },
    }).map(([what, change]) => [`what was known, with ${what},`, unitsWith(change)]),
  ),
  'frames less than none': { kind: 'had', frames: -1 },
  'frames that are no number': { kind: 'had', frames: '5' },
  'another version': { kind: 'hello', version: LINK_VERSION + 1, at: 0, now: 0 },
};

for (const [what, message] of Object.entries(ENDING)) {
  t.test(`${what} ends the link`, async (t) => {
    const { clock, device, gateway } = twoInstances(t);
    const { near, far } = gateway();
    await clock.advance(10);
    near.send(message as object);
    await clock.advance(10);
    t.match(await far.ended, /cannot be understood|version/);
    t.same(device.commands, []);
  });
}

t.test('what was known of a meter is taken where all of it fits', async (t) => {
  const { clock, gateway } = twoInstances(t);
  const { near, far, meter } = gateway();
  await clock.advance(10);
  near.send(unitsWith({}));
  meter.feed.watch({ frame: () => {}, status: () => {}, end: () => {} });
  await clock.advance(10);
  t.match(meter.deviceState, KNOWN_STATE);
  t.equal(await Promise.race([far.ended, 'open']), 'open');
});

t.test('what another instance has said of a meter and does not fit is told to nobody', async (t) => {
  const { clock, gateway } = twoInstances(t);
  const { near, far, remote, meter } = gateway();
  await clock.advance(10);
  const before = near.sent.length;
  remote.learn(UNIT, { ...meter.deviceState, storeName: 'x'.repeat(65) });
  remote.learn('nobody', meter.deviceState);
  await clock.advance(10);
  t.equal(near.sent.length, before);
  remote.learn(UNIT, meter.deviceState);
  await clock.advance(10);
  t.equal(near.sent.length, before + 1);
  t.equal(await Promise.race([far.ended, 'open']), 'open');
});

t.test('a number that is in use ends the link, and so do many messages that cannot be understood', async (t) => {
  const { clock, gateway } = twoInstances(t);
  const first = gateway();
  await clock.advance(10);
  first.near.send({ kind: 'gap', id: 77, unit: UNIT });
  first.near.send({ kind: 'reserve', id: 78, unit: UNIT, label: 'a', isRead: true, joins: false, caller: {} });
  first.near.send({ kind: 'reserve', id: 78, unit: UNIT, label: 'a', isRead: true, joins: false, caller: {} });
  await clock.advance(10);
  t.match(await first.far.ended, /cannot be understood/);
  const second = gateway();
  await clock.advance(10);
  for (let count = 0; count < 30; count += 1) second.near.send({ kind: 'nonsense', id: 100 + count });
  await clock.advance(10);
  t.match(await second.far.ended, /cannot be understood/);
});

t.test('what comes before the hello ends the link', async (t) => {
  const { clock, served, device } = twoInstances(t);
  const { messagePipe } = await import('../support/message-pipe.ts');
  const { near, far } = messagePipe();
  served.attach(far);
  near.send(perform('stop'));
  await clock.advance(10);
  t.match(await far.ended, /cannot be understood/);
  t.same(device.commands, []);
});

/** From the other side. */
const STRANGE: readonly unknown[] = [
  'text',
  { kind: 'format' },
  { kind: 'frames', frames: [[5]] },
  { kind: 'frames', frames: [[UNIT, 1, 2, null, 'frame']] },
  { kind: 'event', unit: UNIT, event: 'config', data: { change: 'removed' } },
  { kind: 'end', unit: UNIT, reason: 'boredom', detail: '' },
  { kind: 'pong', id: 1, version: LINK_VERSION + 1, elapsed: 0 },
];

t.test('what a serving instance of ours does not send ends the link, and no event comes of it', async (t) => {
  for (const message of STRANGE) {
    const { clock, gateway } = twoInstances(t);
    const { far, remote, heard } = gateway();
    await clock.advance(10);
    far.send(message as object);
    await clock.advance(10);
    t.match(await remote.ended, /cannot be understood|version/, JSON.stringify(message));
    t.same(heard, []);
  }
});
