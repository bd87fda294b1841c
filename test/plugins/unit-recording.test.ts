/** The recording of a unit, and its requests to the meter, without a network. */
import t from 'tap';
import type { DeviceState } from '../../lib/built-in.ts';
import { unlessAborted } from '../../lib/clock.ts';
import { NL43 } from '../../lib/drivers/nl43/index.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { GatewayEvent } from '../../lib/events/contract.ts';
import type { Batch } from '../../lib/history/contract.ts';
import type { Caller, DeviceConfig, Host, LiveFrame, Reservation } from '../../lib/index.ts';
import { Hub } from '../../lib/meter/live/hub.ts';
import { UnitRecording } from '../../plugins/history/unit-recording.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { configOf } from '../plugin/doubles.ts';
import { performing } from '../support/families/usual.ts';
import { standIn } from '../support/stand-in.ts';

const A_FAST = { frequencyWeighting: 'A', timeWeighting: 'F' };
const UNKNOWN = { frequencyWeighting: null, timeWeighting: null };

function rig(history: DeviceConfig['history'], known: Partial<DeviceState> = UNKNOWN, turn = Promise.resolve()) {
  const clock = new VirtualClock();
  const watched: string[] = [];
  const feed = new Hub<LiveFrame>({
    log: { warn: () => {} },
    onWatched: () => void watched.push('watched'),
    onUnwatched: () => void watched.push('left'),
  });
  const batches: Batch[] = [];
  const asked: string[] = [];
  const doubts: object[] = [];
  const meter = {
    unitId: 'roof',
    family: NL43,
    feed,
    deviceState: {
      measuring: false,
      paused: false,
      startedAt: null,
      startSource: null,
      storeName: null,
      ...UNKNOWN,
      ...known,
    },
    answer: A_FAST as Partial<DeviceState> | Error,
    can: () => true,
    /** When a reservation gets its turn. */
    turn,
    async reserve(_label: string, work: (reservation: Reservation) => unknown, { signal }: Caller) {
      await unlessAborted(meter.turn, signal);
      const { reservation } = performing({
        send: async ({ text }) => {
          asked.push(text);
          if (meter.answer instanceof Error) throw meter.answer;
          return undefined;
        },
      });
      await work(reservation);
      become(meter.answer as Partial<DeviceState>);
    },
  };
  const config = { ...configOf({ unitId: 'roof' }), history, tcpEnabled: true };
  const parts = standIn<Host>({
    clock,
    log: { error: () => {}, warn: () => {} },
    meter: () => meter,
    history: {
      append: (batch: Batch) => ({ taken: batches.push(batch), lost: 0 }),
      doubt: async (doubt: object) => doubts.push(doubt),
    },
    status: { of: () => ({ values: {}, age: () => null }) },
  });
  const recording = new UnitRecording(config, parts);
  const become = (state: Partial<DeviceState>) => {
    meter.deviceState = { ...meter.deviceState, ...state };
    recording.state({ data: { state: meter.deviceState } } as GatewayEvent<'state'>);
  };
  let counter = 0;
  const begun = clock.elapsed();
  const levels = { lp: '50.0', leq: '51.0', lmax: '52.0', lmin: '48.0', lpeak: '63.0', lieq: null };
  return {
    clock,
    feed,
    meter,
    config,
    recording,
    watched,
    asked,
    batches,
    doubts,
    become,
    /** Frames for so many seconds. */
    async stream(seconds: number) {
      for (let left = seconds * 10; left > 0; left--) {
        await clock.advance(100);
        counter += 1;
        const main = { ...levels, over: false, under: false };
        const frame = { counter: ((counter - 1) % 600) + 1, main };
        feed.publish({ at: clock.now(), elapsed: clock.elapsed(), shown: null, begun, frame });
      }
    },
    read(lp: string, more: object = {}) {
      const values = { levelsAt: clock.now(), lp, leq: null, le: null, measurementState: 'Stop' as const, ...more };
      const times = { time: clock.now(), elapsed: clock.elapsed() };
      recording.reading(standIn<GatewayEvent<'reading'>>({ unitId: 'roof', ...times, data: { values } }));
    },
    get rows() {
      return batches.flatMap(({ source, weighting, seconds = [] }) =>
        seconds.map(({ steps }) => `${source} ${weighting.frequency}${weighting.time} ${steps}`),
      );
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

t.test('the stream is watched when the weighting is known, and not before: asking would interrupt it', async (t) => {
  const it = rig('stream');
  t.match(it.recording.report, { mode: 'stream', state: 'waiting', reason: /weighting/ });
  t.strictSame(it.watched, []);
  await settle();
  t.strictSame(it.asked, ['Frequency Weighting (Main)?', 'Time Weighting (Main)?']);
  t.strictSame(it.watched, ['watched']);
  await it.stream(3.1);
  t.match(it.recording.report, {
    state: 'recording',
    reason: null,
    weighting: { frequency: 'A', time: 'F' },
    frames: 31,
  });
  it.recording.stop();
  t.ok(it.rows.length >= 3 && it.rows.every((row) => row.startsWith('stream AF')));
  t.strictSame(it.watched, ['watched', 'left']);
});

t.test('a weighting that is known already is not asked for', async (t) => {
  const it = rig('stream', A_FAST);
  await settle();
  t.strictSame([it.asked, it.watched], [[], ['watched']]);
});

t.test('a weighting that becomes known before the question has its turn is not asked for', async (t) => {
  const it = rig('stream', { ...UNKNOWN, measuring: true }, new Promise<void>(() => {}));
  it.become(A_FAST);
  await settle();
  t.strictSame(it.watched, ['watched']);
  it.meter.turn = Promise.resolve();
  await it.clock.advance(3_599_000);
  t.strictSame(it.asked, []);
  await it.clock.advance(1_000);
  t.equal(it.asked.length, 2, 'an hour later it is, as always');
  it.become(UNKNOWN);
  it.become(A_FAST);
  it.become(UNKNOWN);
  await settle();
  await it.clock.advance(0);
  await settle();
  t.equal(it.asked.length, 4, 'one that is unknown again is asked for');
});

t.test('after trouble the weighting is asked for again, and nothing is recorded under an old one', async (t) => {
  const it = rig('stream', A_FAST);
  await it.stream(2);
  it.meter.answer = new GatewayError('DEVICE_UNREACHABLE', 'no meter');
  it.feed.status('lost', 'the stream ended');
  it.become(UNKNOWN);
  await settle();
  t.match(it.recording.report, { state: 'waiting', reason: 'no meter', losses: 1 });
  it.meter.answer = { frequencyWeighting: 'C', timeWeighting: 'S' };
  it.feed.status('ok', '');
  await settle();
  await it.stream(3);
  it.recording.stop();
  t.ok(it.rows.includes('stream CS 10'));
  t.equal(
    it.rows.filter((row) => row.includes('AF')).length + it.rows.filter((row) => row.includes('CS')).length,
    it.rows.length,
  );
  t.equal(it.recording.report.state, 'off');
});

t.test('a meter that cannot be asked is asked again after a minute', async (t) => {
  const it = rig('stream', { ...UNKNOWN, measuring: true });
  it.meter.answer = new GatewayError('DEVICE_TIMEOUT', 'silent');
  await settle();
  const times = () => it.asked.filter((text) => text.startsWith('Frequency')).length;
  t.equal(times(), 1);
  it.meter.answer = A_FAST;
  await it.clock.advance(60_000);
  await settle();
  t.equal(times(), 2);
});

t.test(
  'a meter that does not measure is asked every five minutes, and soon after it began: its keys were free',
  async (t) => {
    const it = rig('stream', A_FAST);
    const times = () => it.asked.filter((text) => text.startsWith('Frequency')).length;
    await it.clock.advance(299_000);
    t.equal(times(), 0);
    await it.clock.advance(1_000);
    await settle();
    t.equal(times(), 1);
    it.become({ measuring: true });
    await it.clock.advance(9_000);
    t.equal(times(), 1, 'the first seconds are for whoever started it');
    await it.clock.advance(1_000);
    await settle();
    t.equal(times(), 2);
    await it.clock.advance(3 * 3_600_000);
    t.equal(times(), 2, 'while it measures nobody can change it');
    const confirmedAt = () => it.recording.report.weightingConfirmedAt;
    t.equal(confirmedAt(), it.clock.now(), 'its frames confirm it each hour');
    it.become({ measuring: false });
    await it.clock.advance(300_000);
    await settle();
    t.equal(times(), 3);
  },
);

t.test('a measuring meter whose stream is interrupted is asked once an hour', async (t) => {
  const it = rig('stream', { ...UNKNOWN, measuring: true });
  await settle();
  const times = () => it.asked.filter((text) => text.startsWith('Frequency')).length;
  t.equal(times(), 1);
  it.feed.status('lost', 'the stream ended');
  await it.clock.advance(3_600_000);
  await settle();
  t.equal(times(), 2);
});

t.test('rows since the last confirmation are doubtful if the meter was changed at its keys', async (t) => {
  const it = rig('stream', A_FAST);
  await it.stream(20);
  const confirmed = it.recording.report.weightingConfirmedAt ?? 0;
  it.become({ measuring: true });
  await it.stream(5);
  t.equal(it.recording.report.weightingConfirmedAt, confirmed, 'news of something else confirms nothing');
  await it.stream(6);
  await settle();
  const again = it.recording.report.weightingConfirmedAt ?? 0;
  t.equal(again, confirmed + 30_000, 'ten seconds after the start it was asked');
  await it.stream(15);
  t.strictSame(it.doubts, []);
  it.become({ frequencyWeighting: 'C', weightingSource: 'read' });
  await settle();
  const doubt = { unitId: 'roof', weighting: { frequency: 'A', time: 'F' }, flag: 'weighting' };
  const span = { from: Math.floor(again / 1_000), to: Math.floor(it.clock.now() / 1_000) + 1 };
  t.strictSame(it.doubts, [
    { ...doubt, source: 'stream', ...span },
    { ...doubt, source: 'poll', ...span },
  ]);
  t.ok(span.to - span.from >= 16);
  await it.stream(3);
  it.recording.stop();
  t.ok(it.rows.some((row) => row.startsWith('stream CF')));
});

t.test('a weighting that is set here makes nothing doubtful', async (t) => {
  const it = rig('stream', A_FAST);
  await it.stream(20);
  it.become({ frequencyWeighting: 'C', weightingSource: 'sent' });
  await it.stream(5);
  t.strictSame(it.doubts, []);
  it.become({ timeWeighting: 'S', weightingSource: 'read' });
  await settle();
  t.match(it.doubts, [{ weighting: { frequency: 'C', time: 'F' } }, { source: 'poll' }], 'what was set is confirmed');
});

t.test('nor does trouble with the connection, unless the meter comes back with another one', async (t) => {
  const it = rig('stream', A_FAST);
  await it.stream(10);
  it.become(UNKNOWN);
  await settle();
  t.strictSame(it.doubts, []);
  t.match(it.recording.report, { weighting: { frequency: 'A' } });
  it.meter.answer = { frequencyWeighting: 'C', timeWeighting: 'S' };
  it.become(UNKNOWN);
  await settle();
  t.match(it.doubts, [{ weighting: { frequency: 'A', time: 'F' } }, { source: 'poll' }]);
});

t.test('a meter that refuses to tell keeps its last word', async (t) => {
  const it = rig('stream', A_FAST);
  it.meter.answer = new GatewayError('DEVICE_REFUSED_COMMAND', 'R+0001');
  it.become(UNKNOWN);
  await settle();
  t.match(it.recording.report.weighting, { frequency: 'A', time: 'F' });
});

for (const code of ['DEVICE_GARBLED', 'DEVICE_REFUSED_COMMAND'] as const) {
  t.test(`a weighting that is never told (${code}) is asked for once an hour after three times`, async (t) => {
    for (const history of ['poll', 'stream'] as const) {
      const it = rig(history);
      it.meter.answer = new GatewayError(code, 'It cannot be told.');
      const times = () => it.asked.filter((text) => text.startsWith('Frequency')).length;
      for (let minute = 0; minute < 50; minute++) {
        await it.clock.advance(61_000);
        it.read('50.0');
        await settle();
      }
      t.equal(times(), 3, history);
      await it.clock.advance(900_000);
      it.read('50.0');
      await settle();
      t.equal(times(), 4, history);
      it.recording.stop();
    }
  });
}

t.test('an interruption is counted', async (t) => {
  const it = rig('stream', A_FAST);
  await it.stream(1);
  it.feed.status('interrupted', 'A command has the line.');
  t.match(it.recording.report, { state: 'waiting', reason: 'A command has the line.', interruptions: 1 });
  await it.stream(1);
  t.match(it.recording.report, { state: 'recording', interruptions: 1 });
});

t.test('a meter that refuses the stream is recorded by its readings, and asked again after ten minutes', async (t) => {
  const it = rig('stream', A_FAST);
  it.read('49.0');
  t.equal(it.rows.length, 0, 'beside a stream a reading says nothing new');
  it.feed.end('failed', 'the meter does not stream');
  it.read('50.0');
  t.strictSame(it.rows, ['poll AF 0']);
  t.equal(it.feed.watchers, 0);
  await it.clock.advance(600_000);
  t.equal(it.feed.watchers, 1);
});

t.test(
  'in poll mode the meter is asked for its weighting with the first reading, and the reading is kept',
  async (t) => {
    const it = rig('poll');
    await it.clock.advance(10_000_000);
    t.strictSame([it.asked, it.watched], [[], []], 'a meter that nobody reads is left alone');
    it.read('47.3');
    await settle();
    t.equal(it.asked.length, 2);
    t.strictSame(it.rows, ['poll AF 0']);
    it.read('48.3');
    t.equal(it.rows.length, 2);
    t.equal(it.asked.length, 2, 'and not with each');
    await it.clock.advance(3_600_000);
    it.read('48.3');
    await settle();
    t.equal(it.asked.length, 4, 'but once an hour');
  },
);

t.test('other values of a reading are no reading of levels', async (t) => {
  const it = rig('poll', A_FAST);
  it.recording.reading(
    standIn<GatewayEvent<'reading'>>({ unitId: 'roof', data: { values: { batteryState: 'Full' } } }),
  );
  it.read('50.0', { lp: null });
  t.strictSame(it.rows, []);
});

t.test(
  'off is off, and so is a unit whose TCP is switched off; a change of the config is in force at once',
  async (t) => {
    const off = rig('off', A_FAST);
    off.read('50.0');
    t.strictSame([off.watched, off.rows, off.recording.report.state], [[], [], 'off']);
    off.recording.follow({ ...off.config, history: 'stream' });
    t.equal(off.feed.watchers, 1);
    await off.stream(1.5);
    off.recording.follow({ ...off.config, history: 'stream', tcpEnabled: false });
    t.equal(off.feed.watchers, 0);
    t.ok(off.rows.length > 0, 'what was begun is written');
    const { frames } = off.recording.report;
    t.equal(frames, 0);
  },
);

t.test('another meter at the same address begins new rows with a weighting of its own', async (t) => {
  const { recording, stream, batches, clock, feed } = rig('stream', A_FAST);
  await stream(2);
  feed.status('interrupted', 'The meter was away.');
  recording.exchange();
  t.ok(batches.length > 0, 'what was begun is written');
  await clock.advance(1_000);
  t.match(recording.report, { frames: 0, mode: 'stream' }, 'it counts anew');
  recording.stop();
});
