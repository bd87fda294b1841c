/** The status as the events make it, on two clocks that a test moves apart. */
import t from 'tap';
import { frames, liveFrames } from '../../lib/drivers/nl43/commands.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import type { Log } from '../../lib/log.ts';
import type { DeviceState } from '../../lib/meter/contract.ts';
import { createStatus } from '../../lib/status/projection.ts';
import type { Snapshot, SnapshotStore } from '../../lib/store/contract.ts';
import { standIn } from '../support/stand-in.ts';

const CHANNEL = ' 43.7, 44.1, 46.0, 42.0, 58.3,  -.-,0,0';
const LINE = ['1', CHANNEL, ...Array(3).fill(' -.-, -.-, -.-, -.-, -.-, -.-,-,-')].join();
const TAIL = '2026/11/21 12:00:00,E,F,15000,M';
const TIME_OF = { lp: 'lpAt', batteryLevel: 'batteryAt', measurementState: 'stateAt', sdRemainingMb: 'cardAt' };

function setup(begin: Partial<Snapshot> = {}) {
  const time = { wall: 1_700_000_000_000, elapsed: 5_000 };
  const clock = { now: () => time.wall, elapsed: () => time.elapsed, after: () => () => {} };
  const warned: object[] = [];
  const log = standIn<Log>({ warn: (entry: object | string) => void warned.push(Object(entry)) });
  let writes = 0;
  let values = { lastSeen: null, levelsAt: null, batteryAt: null, unchangedSince: null, ...begin } as Snapshot;
  const snapshots: SnapshotStore = {
    get: () => values,
    record(_unitId, given) {
      writes += 1;
      const times = Object.entries(TIME_OF).filter(([name]) => name in given);
      const at = Object.fromEntries(times.map(([, timeName]) => [timeName, given.lastSeen]));
      values = { ...values, ...at, ...given };
    },
  };
  const events = createEventStream(clock, log);
  const status = createStatus({ events, snapshots, clock, log });
  const pass = (ms: number) => {
    time.wall += ms;
    time.elapsed += ms;
  };
  const frame = (line = `${LINE},${TAIL}`) =>
    events.publish('roof', 'frame', {
      frame: (line.split(',').length > 33 ? liveFrames() : frames()).decode(line),
      begun: 0,
    });
  return { events, status, time, pass, frame, warned, of: () => status.of('roof'), writes: () => writes };
}
const state = (part: Partial<DeviceState>) => ({ state: { startedAt: null, ...part } as DeviceState });

t.test('news of the measurement in a reply are in the status, for all callers', async (t) => {
  const { events, of, time } = setup();
  events.publish('roof', 'state', state({ measuring: true, startedAt: 77 }));
  t.match(of().values, { measurementState: 'Measure', measurementStartTime: 77, stateAt: time.wall });
  events.publish('roof', 'state', state({ measuring: null, startedAt: 77 }));
  t.match(of().values, { measurementState: 'Measure' }, 'not to know is no news');
  events.publish('roof', 'state', state({ measuring: false }));
  t.match(of().values, { measurementState: 'Stop', measurementStartTime: null });
});

t.test('a wall clock that is set back makes no value younger, and set ahead it makes no value older', async (t) => {
  for (const jump of [-3_600_000, 86_400_000]) {
    const { events, of, time, pass } = setup();
    events.publish('roof', 'reading', { values: { leq: '51.0', levelsAt: time.wall } });
    pass(20_000);
    time.wall += jump;
    t.equal(of().age('levelsAt'), 20_000);
    t.equal(of().age('lastSeen'), 20_000);
    pass(10_000);
    t.equal(of().age('levelsAt'), 30_000);
  }
});

t.test('values from before this process have the age of the wall clock, and never come from the future', async (t) => {
  const { of, time } = setup({ levelsAt: 1_700_000_000_000 - 90_000 });
  t.equal(of().age('levelsAt'), 90_000);
  time.wall -= 3_600_000;
  t.equal(of().age('levelsAt'), 0);
  t.equal(of().age('batteryAt'), null);
});

t.test('a reading that comes late has its true age, up to a minute; more is a jump of the clock', async (t) => {
  for (const [lateMs, age] of [
    [59_000, 59_000],
    [60_000, 60_000],
    [61_000, 60_000],
    [3_600_000, 60_000],
  ] as const) {
    const { events, of, time } = setup();
    events.publish('roof', 'reading', { values: { leq: '51.0', levelsAt: time.wall - lateMs } });
    t.equal(of().age('levelsAt'), age);
  }
});

t.test('levels that do not change are timed by the monotonic clock', async (t) => {
  const { events, of, time, pass } = setup();
  const since = time.wall;
  const read = () =>
    events.publish('roof', 'reading', { values: { leq: '51.0', levelsAt: time.wall, unchangedSince: since } });
  read();
  pass(40_000);
  time.wall -= 3_600_000;
  read();
  t.equal(of().age('unchangedSince'), 40_000);
  t.equal(of().age('levelsAt'), 0);
});

t.test(
  'Lp of the stream is written once a second, with battery, power and card where the frame has them',
  async (t) => {
    const { events, of, frame, pass, writes } = setup();
    events.publish('roof', 'reading', { values: { sdRemainingMb: '20000', sdFreeRatio: '50.0' } });
    const before = writes();
    for (let number = 0; number < 30; number++) {
      frame();
      pass(100);
    }
    t.equal(writes() - before, 3);
    t.match(of().values, { lp: '43.7', batteryLevel: '100', batteryState: 'Full', powerSource: 'External' });
    t.match(of().values, { sdRemainingMb: '15000', sdFreeRatio: '37.5' }, 'of the card that was read before');
    t.ok((of().age('batteryAt') ?? 0) <= 1_100);
    frame(LINE);
    t.match(of().values, { lp: '43.7', batteryLevel: '100' }, 'a plain frame says nothing about them');
  },
);

t.test('a level that cannot be is null, flagged, and told with its text once in ten minutes', async (t) => {
  const { of, frame, pass, warned } = setup();
  frame(LINE.replace(' 43.7', '999.9'));
  t.equal(of().values.lp, null);
  t.equal(of().implausible, true);
  t.match(warned, [{ unit_id: 'roof', raw: { lp: '999.9' } }]);
  pass(1_000);
  frame(LINE.replace(' 43.7', '-99.9'));
  t.equal(warned.length, 1);
  pass(1_000);
  frame(LINE);
  t.equal(of().implausible, false);
});

t.test('a warning lasts until the values of its group are there again', async (t) => {
  const { events, of } = setup();
  const unreadable = { warnings: { batteryAt: 'The battery cannot be read.' } };
  events.publish('roof', 'reading', { values: { batteryLevel: null, batteryAt: 1 }, ...unreadable });
  events.publish('roof', 'reading', { values: { leq: '51.0', levelsAt: 2 } });
  t.same(of().warnings, ['The battery cannot be read.']);
  events.publish('roof', 'reading', { values: { batteryLevel: '60', batteryAt: 3 } });
  t.same(of().warnings, []);
});

t.test('a removed unit is forgotten, and a closed status gets no events', async (t) => {
  const { events, status, of, writes } = setup();
  events.publish('roof', 'reading', { values: { batteryAt: 1 }, warnings: { batteryAt: 'x' } });
  events.publish('roof', 'config', { change: 'removed' });
  t.same(of().warnings, []);
  status.close();
  const before = writes();
  events.publish('roof', 'reading', { values: { lp: '40.0' } });
  t.equal(writes(), before);
});

t.test('after an exchange of a meter, no value of the old meter is shown', async (t) => {
  const { events, of, time, pass } = setup();
  const values = { leq: '51.0', levelsAt: time.wall, batteryLevel: '100', measurementStartTime: 7 };
  events.publish('roof', 'reading', { values });
  pass(1_000);
  events.publish('roof', 'exchange', { from: '00144703', to: '00999999' });
  t.match(of().values, { leq: null, levelsAt: null, batteryLevel: null, measurementStartTime: null });
  t.equal(of().age('levelsAt'), null);
  t.equal(of().values.lastSeen, time.wall);
  events.publish('roof', 'reading', { values: { leq: '40.0', levelsAt: time.wall } });
  t.match(of().warnings, [/exchanged: 00999999 answers in place of 00144703/], 'a person is told');
});

t.test('levels keep the settings with which they were read', async (t) => {
  const { events, of, time } = setup();
  const settings = (frequencyWeighting: string | null, percentiles: (number | null)[] = []) =>
    state({ frequencyWeighting, timeWeighting: frequencyWeighting && 'F', percentiles }).state;
  const reading = (state: DeviceState) =>
    events.publish('roof', 'reading', { values: { leq: '51.0', levelsAt: time.wall }, levelSettings: state });
  events.publish('roof', 'state', { state: settings('A', [5]) });
  t.match(of().levelSettings, { frequencyWeighting: null }, 'no levels yet that they could be about');
  reading(settings(null));
  events.publish('roof', 'state', { state: settings('A', [5, null]) });
  t.match(
    of().levelSettings,
    { frequencyWeighting: 'A', timeWeighting: 'F', percentiles: [5, null] },
    'read soon after',
  );
  events.publish('roof', 'state', { state: settings(null, [1, 10]) });
  t.match(of().levelSettings, { frequencyWeighting: 'A', percentiles: [5, 10] }, 'not to know is no news');
  events.publish('roof', 'state', { state: settings('C', [1, 10]) });
  t.match(of().levelSettings, { frequencyWeighting: null, timeWeighting: null }, 'an Lp of now would be another');
  events.publish('roof', 'state', { state: settings('A', [1, 10]) });
  t.match(of().levelSettings, { frequencyWeighting: null });
  reading(settings('C', [1, 10]));
  t.match(of().levelSettings, { frequencyWeighting: 'C', percentiles: [1, 10] });
});
