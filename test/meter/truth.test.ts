/** Claims about a meter: after trouble no old values until it is asked again, and never a value that it did not give. */
import t from 'tap';
import * as nl43 from '../../lib/drivers/nl43/commands.ts';
import { clockOffset } from '../../lib/meter/meter-state.ts';
import { ask, createBench, data, OK, outcome, patient } from './support/bench.ts';
import { frames, STARTED } from './support/flow.ts';
import { CLOSE, RESET, SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

const stateQuestions = {
  measuring: nl43.measureState(),
  paused: nl43.pauseState(),
  storeName: nl43.storeName(),
  clock: nl43.clock(),
};
const NOTHING = { measuring: null, paused: null, storeName: null };
const WEIGHTINGS = { frequencyWeighting: null, timeWeighting: null, percentiles: Array(5).fill(null) };

/** A bench whose meter was started over it, and answers the questions. */
async function measuring(t: Parameters<typeof createBench>[0]) {
  const bench = createBench(t, {}, { stateQuestions });
  const { device, clock, meter } = bench;
  device.expect('Measure,Start', OK);
  await clock.until(meter.run(nl43.startMeasurement(), patient()));
  const startedAt = meter.deviceState.startedAt;
  t.match(meter.deviceState, { measuring: true, paused: false });
  return { ...bench, startedAt };
}

t.test('a first connection is no trouble: nothing is asked, and nothing is claimed', async (t) => {
  const { clock, device, meter } = createBench(t, {}, { stateQuestions });
  device.expect('DOD?', data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(60_000);
  t.match(meter.deviceState, NOTHING);
  device.verify(t);
});

t.test(
  'after a lost connection no state is claimed until the gateway has asked the meter, which it does by itself',
  async (t) => {
    const { clock, device, meter, startedAt } = await measuring(t);
    device.line.destroy('trouble');
    await clock.advance(5_000);
    t.match(meter.deviceState, NOTHING);
    device
      .expect('DOD?', data('43.7'))
      .expect('Measure?', 200, data('Start'))
      .expect('Pause?', data('On'))
      .expect('Store Name?', data('19'))
      .expect('Clock?', data('2025/12/24 02:00:17'));
    await clock.until(meter.run(ask('DOD'), patient()));
    t.match(meter.deviceState, NOTHING, 'not by the reply to something else');
    await clock.advance(1_100);
    t.match(meter.report(), { state: 'exchanging', reservation: { label: 'Measure?', callers: 0 } });
    await clock.advance(5_000);
    t.same(meter.deviceState, {
      measuring: true,
      paused: true,
      startedAt,
      startSource: 'sent',
      storeName: '0019',
      ...WEIGHTINGS,
    });
    t.ok(device.shortestRest >= 1_000);
    device.verify(t);
    await clock.advance(60_000);
    device.verify(t);
    t.equal(clock.pending, 0);
  },
);

t.test(
  'a measurement that was ended at the keys meanwhile is no longer claimed, and its pause is not asked for',
  async (t) => {
    const { clock, device, meter } = await measuring(t);
    device.line.destroy('trouble');
    device
      .expect('DOD?', data('43.7'))
      .expect('Measure?', data('Stop'))
      .expect('Store Name?', data('20'))
      .expect('Clock?', data('2025/12/24 02:00:17'));
    await clock.until(meter.run(ask('DOD'), patient()));
    await clock.advance(10_000);
    t.same(meter.deviceState, {
      measuring: false,
      paused: false,
      startedAt: null,
      startSource: null,
      storeName: '0020',
      ...WEIGHTINGS,
    });
    device.verify(t);
  },
);

t.test('a measurement that was begun at the keys is noticed with the time it was first seen', async (t) => {
  const { clock, device, meter } = createBench(t, {}, { stateQuestions });
  device.expect('Measure?', data('Stop'));
  await clock.until(meter.run(nl43.measureState(), patient()));
  await clock.advance(30_000);
  device.expect('Measure?', data('Start'));
  await clock.until(meter.run(nl43.measureState(), patient()));
  t.match(meter.deviceState, { measuring: true, startedAt: clock.now() });
});

t.test('an operator goes before the questions, and an answer to the operator saves a question', async (t) => {
  const { clock, device, meter } = await measuring(t);
  device.line.destroy('trouble');
  device
    .expect('DOD?', data('43.7'))
    .expect('Measure?', data('Start'))
    .expect('Store Name?', data('7'))
    .expect('Pause?', data('Off'))
    .expect('Clock?', data('2025/12/24 02:00:17'));
  const asked = [ask('DOD'), nl43.measureState(), nl43.storeName()].map((one) => meter.run<unknown>(one, patient()));
  await clock.until(Promise.all(asked));
  await clock.advance(10_000);
  t.match(meter.deviceState, { measuring: true, paused: false, storeName: '0007' });
  device.verify(t);
});

t.test('the questions go before background reads, once there is a connection', async (t) => {
  const { clock, device, meter } = await measuring(t);
  device.line.destroy('trouble');
  device
    .expect('DOD?', data('43.7'))
    .expect('Measure?', data('Start'))
    .expect('Pause?', data('Off'))
    .expect('Store Name?', data('7'))
    .expect('Clock?', data('2025/12/24 02:00:17'))
    .expect('LE?', data('52.0'));
  await clock.until(
    Promise.all(['DOD', 'LE'].map((name) => meter.run(ask(name), patient({ priority: 'background' })))),
  );
  device.verify(t);
});

t.test('a question whose answer can never be read does not cost the connection each time', async (t) => {
  const { clock, device, meter } = await measuring(t);
  device
    .always('DOD?', data('43.7'))
    .always('Measure?', data('Start'))
    .always('Pause?', data('Off'))
    .always('Store Name?', data('7'))
    .always('Clock?', data('24.12.2025 2 a.m.'));
  device.line.destroy('trouble');
  for (let minute = 0; minute < 30; minute++) {
    await clock.until(meter.run(ask('DOD'), patient()));
    await clock.advance(60_000);
  }
  t.equal(device.commands.filter((text) => text === 'Clock?').length, 1, 'once after each trouble');
  t.equal(device.connects, 2);
  t.match(meter.deviceState, { measuring: true, paused: false, storeName: '0007' });
  t.equal(meter.reachability.clock, null);
  device.always('Clock?', data('2025/12/24 02:00:17'));
  await clock.until(meter.run(nl43.clock(), patient()));
  t.ok(meter.reachability.clock, 'an operator may still ask');
  device.line.destroy('trouble');
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(10_000);
  t.equal(
    device.commands.filter((text) => text === 'Clock?').length,
    3,
    'and after the next trouble it is asked again',
  );
});

t.test('a viewer sees frames only when it is known again whether the meter measures', async (t) => {
  const { clock, device, meter } = await measuring(t);
  const viewer = new Viewer();
  device.expect('DRD?', STARTED, ...frames(5), RESET).always(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(2_000);
  t.same(viewer.statuses, ['lost']);
  t.match(meter.deviceState, NOTHING);
  device
    .expect('Measure?', data('Start'))
    .expect('Pause?', data('Off'))
    .expect('DRD?', STARTED, ...frames(31));
  await clock.advance(5_000);
  t.same(viewer.statuses, ['lost', 'ok']);
  t.match(meter.deviceState, { measuring: true, paused: false, storeName: null });
  device
    .expect('DOD?', data('43.7'))
    .expect('Battery?', data('Full'))
    .expect('Store Name?', data('7'))
    .expect('Clock?', data('now'))
    .expect('DRD?', STARTED, ...frames(50));
  await clock.until(Promise.all([meter.run(ask('DOD'), patient()), meter.run(ask('Battery'), patient())]));
  await clock.advance(4_000);
  t.match(meter.deviceState, { storeName: '0007' }, 'the rest is asked in the same interruption');
  t.equal(viewer.statuses.at(-1), 'ok');
  device.verify(t);
});

t.test('a question that the meter refuses is dropped; after a failure it waits for the next connection', async (t) => {
  const { clock, device, meter } = await measuring(t);
  device.line.destroy('trouble');
  device.expect('DOD?', data('43.7')).expect('Measure?', data('Start')).expect('Pause?', 'R+0003\r\n$');
  device.expect('Store Name?', 'rubbish\r\n');
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(10_000);
  t.match(meter.deviceState, NOTHING, 'trouble again');
  device.expect('DOD?', data('43.7')).expect('Measure?', data('Start')).expect('Pause?', 'R+0003\r\n$');
  device.expect('Store Name?', data('7')).expect('Clock?', 'R+0003\r\n$');
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(10_000);
  t.match(meter.deviceState, { measuring: true, paused: null, storeName: '0007' });
  device.verify(t);
});

t.test('a connection that lives for one reply only is not used up by questions', async (t) => {
  const { clock, device, meter } = await measuring(t);
  const viewer = new Viewer();
  device.always('Measure?', data('Start'), CLOSE).always('Pause?', data('Off'), CLOSE);
  device.always('Store Name?', data('7'), CLOSE).always('Clock?', 'R+0003\r\n$', CLOSE).always('DRD?', STARTED, CLOSE);
  device.line.destroy('trouble');
  meter.feed.watch(viewer);
  await clock.advance(300_000);
  t.ok(device.connects < 30, `${device.connects} connects in five minutes`);
});

t.test('garbage never becomes a state', async (t) => {
  const { clock, device, meter, startedAt } = await measuring(t);
  device.expect('Measure?', data('45.8, 44.1')).expect('Measure?', data('Start'));
  device
    .expect('Pause?', data('Stop'))
    .expect('Store Name?', data('Auto'))
    .expect('Clock?', data('2025/13/24 02:00:00'));
  t.equal(await clock.until(outcome(meter.run(nl43.measureState(), patient()))), 'DEVICE_GARBLED');
  t.match(meter.deviceState, NOTHING);
  for (const command of [nl43.measureState(), nl43.pauseState(), nl43.storeName(), nl43.clock()]) {
    await clock.until(outcome(meter.run<unknown>(command, patient({ deadlineMs: 20_000 }))));
  }
  t.match(meter.deviceState, NOTHING);
  t.equal(meter.reachability.clock, null);
  t.equal(meter.deviceState.startedAt, startedAt, 'kept for a measurement that may still run');
});

t.test(
  'the clock of the meter is compared whenever it is read or set, and that is kept with the reachability',
  async (t) => {
    const { clock, device, fleet, configs, meter } = createBench(t);
    const shown = (ms: number) => {
      const moment = new Date(clock.now() + ms);
      const two = (n: number) => String(n).padStart(2, '0');
      const day = `${moment.getFullYear()}/${two(moment.getMonth() + 1)}/${two(moment.getDate())}`;
      return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
    };
    t.equal(meter.reachability.clock, null);
    device.expect('Clock?', data(shown(3_560_000)));
    const readAt = clock.now();
    await clock.until(meter.run(nl43.clock(), patient()));
    t.equal(meter.reachability.clock?.at, readAt);
    t.ok(
      Math.abs((meter.reachability.clock?.offsetMs ?? 0) - 3_560_000) <= 1_000,
      `${meter.reachability.clock?.offsetMs} ms`,
    );
    await clock.advance(5_000);
    const moment = shown(0);
    device.expect(`Clock,${moment}`, OK);
    await clock.until(meter.run(nl43.setClock(moment), patient()));
    t.ok(Math.abs(meter.reachability.clock?.offsetMs ?? 9_999) <= 1_000);
    configs.set({ tcpEnabled: false });
    t.equal(fleet.reachability('roof')?.clock, meter.reachability.clock, 'kept');
  },
);

t.test('without a zone of the unit its clock is compared with the clocks of this process', async (t) => {
  const at = new Date(2025, 11, 24, 2, 0, 0, 500).getTime();
  const ahead = Date.UTC(2025, 11, 24, 2, 0, 0, 500) - at;
  t.same(clockOffset({ at, ahead, uncertainty: 40 }), { offsetMs: 0, uncertaintyMs: 40, at });
});

t.test('a clock that shows no moment says nothing', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('Clock?', data('2025/02/30 02:00:00'));
  t.equal(await clock.until(outcome(meter.run(nl43.clock(), patient()))), 'DEVICE_GARBLED');
  t.equal(meter.reachability.clock, null);
});

t.test(
  'another meter at the same address is noticed by its serial number, and no value of the old meter stays',
  async (t) => {
    const questions = { ...stateQuestions, serialNumber: nl43.serialNumber() };
    const { clock, device, meter, events } = createBench(t, {}, { stateQuestions: questions });
    const seen: object[] = [];
    events.on('exchange', ({ data }) => seen.push(data));
    device.expect('Serial Number?', data('00144703')).expect('Measure,Start', OK).expect('Odd?', data('garbage'));
    await clock.until(meter.run(nl43.serialNumber(), patient()));
    await clock.until(meter.run(nl43.startMeasurement(), patient()));
    await clock.until(outcome(meter.run(ask('Odd'), patient())));
    const answers = (serial: string) =>
      device
        .always('DOD?', data('43.7'))
        .always('Measure?', data('Start'))
        .always('Pause?', data('Off'))
        .always('Serial Number?', data(serial))
        .always('Store Name?', data('19'))
        .always('Clock?', data('2025/12/24 02:00:17'));
    answers('00144703');
    device.line.destroy('trouble');
    await clock.until(meter.run(ask('DOD'), patient()));
    await clock.advance(20_000);
    t.same(
      [seen, meter.identity],
      [[], { serialNumber: '00144703', model: null, exchanged: null }],
      'it is the same one',
    );
    t.equal(meter.report().unreadable.length, 1);
    answers('00999999');
    const before = clock.now();
    device.line.destroy('trouble');
    await clock.until(meter.run(ask('DOD'), patient()));
    await clock.advance(20_000);
    t.same(seen, [{ from: '00144703', to: '00999999' }]);
    t.match(meter.report().identity, { serialNumber: '00999999', exchanged: { from: '00144703', to: '00999999' } });
    t.same(meter.report().unreadable, []);
    t.match(meter.deviceState, { measuring: true, paused: false, storeName: '0019' }, 'it was asked anew');
    t.ok((meter.deviceState.startedAt ?? 0) > before, 'its measurement is not that of the old meter');
  },
);

t.test('the report names the question of the gateway that has the meter, and its time', async (t) => {
  const questions = { measuring: nl43.measureState() };
  const { clock, device, fleet, meter } = createBench(t, {}, { stateQuestions: questions });
  device.expect('DOD?', data('43.7')).expect('DOD?', data('43.7')).expect('Measure?', 3_000, data('Stop'));
  await clock.until(meter.run(ask('DOD'), patient()));
  device.line.destroy('trouble');
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(3_000);
  t.match(fleet.report('roof'), {
    state: 'exchanging',
    reservation: { label: 'Measure?', heldMs: 2_000, callers: 0 },
  });
  await clock.advance(3_000);
  t.match(fleet.report('roof'), { state: 'ready', reservation: null });
});

t.test('one odd serial number alone is no exchange', async (t) => {
  const { clock, device, meter, events } = createBench(
    t,
    {},
    { stateQuestions: { serialNumber: nl43.serialNumber() } },
  );
  let exchanges = 0;
  events.on('exchange', () => {
    exchanges += 1;
  });
  device.expect('Serial Number?', data('00144703'));
  await clock.until(meter.run(nl43.serialNumber(), patient()));
  device.line.destroy('trouble');
  device
    .expect('DOD?', data('43.7'))
    .expect('Serial Number?', data('00144708'))
    .expect('Serial Number?', data('00144703'));
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(20_000);
  t.same([exchanges, meter.identity.serialNumber], [0, '00144703']);
  device.expect('Serial Number?', data('0019'));
  await clock.until(meter.run(nl43.serialNumber(), patient()));
  t.same([exchanges, meter.identity.serialNumber], [0, '00144703'], 'nor is a reply to another question');
  device.verify(t);
});
