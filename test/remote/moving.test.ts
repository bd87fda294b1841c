/** Units come and go, and the gateway moves into the instance that serves. */
import t, { type Test } from 'tap';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import { CONFIG, Configs, data, OK, outcome, patient, UNIT } from '../meter/support/bench.ts';
import { FLOW } from '../meter/support/flow.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { twoInstances } from './support/two-instances.ts';

const HOUR = 3_600_000;

/** A meter whose measurement has been started, and which streams; with a gateway whose clocks are so far ahead, ms. */
async function measuring(t: Test, ahead: { wall: number; elapsed?: number }) {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway(ahead);
  device
    .expect('Sleep Mode,Off', OK)
    .expect('Measure,Start', OK)
    .expect('DRD?', ...FLOW);
  await clock.until(meter.perform('start', patient()));
  return { clock, meter };
}

t.test('times are those of the gateway: of frames, of the start of a measurement, of the mirrored state', async (t) => {
  const { clock, meter } = await measuring(t, { wall: HOUR, elapsed: 12_345 });
  t.equal(meter.deviceState.startedAt, clock.now() + HOUR);
  t.equal(meter.reachability.lastSuccess, clock.now() + HOUR);
  const frames: { at: number; begun: number }[] = [];
  const asked = clock.elapsed();
  meter.feed.watch({ frame: (frame) => frames.push(frame), status: () => {}, end: () => {} });
  await clock.advance(2_000);
  const [first] = frames;
  t.equal((first?.at ?? 0) - HOUR, clock.now() - clock.elapsed() + (first?.begun ?? 0) - 12_345 + 100);
  t.ok((first?.begun ?? 0) - 12_345 >= asked);
});

t.test('they are whole milliseconds, whatever the link says: a database takes no fractions', async (t) => {
  // As after a way that took a part of one.
  const { clock, meter } = await measuring(t, { wall: HOUR + 0.375 });
  t.equal(meter.deviceState.startedAt, clock.now() + HOUR);
  const frames: { at: number }[] = [];
  meter.feed.watch({ frame: (frame) => frames.push(frame), status: () => {}, end: () => {} });
  await clock.advance(2_000);
  t.ok(frames.length > 0 && frames.every(({ at }) => Number.isInteger(at)));
});

t.test('a unit stays while work of several commands has its meter', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Type?', data('NL-43')).expect('Clock?', data('2026/11/21 06:00:07'));
  const next = Promise.withResolvers<void>();
  const work = meter.reserve(
    'two questions',
    async (reservation) => {
      await reservation.perform('model');
      await next.promise;
      return reservation.perform('clock');
    },
    patient(),
  );
  await clock.advance(2_000);
  t.same(device.commands, ['Type?']);
  t.ok(served.keeps(UNIT), 'also between two of them');
  next.resolve();
  t.equal(await clock.until(work), '2026/11/21 06:00:07');
  await clock.advance(100);
  t.notOk(served.keeps(UNIT));
});

t.test(
  'a unit that another instance gets: who waits is told OWNER_CHANGING, the command that runs is finished, then it is released',
  async (t) => {
    const { clock, device, served, gateway } = twoInstances(t);
    const { meter } = gateway();
    device.expect('Type?', 2_000, data('NL-43'));
    const running = outcome(meter.perform('model', patient()));
    const waiting = outcome(meter.perform('clock', patient()));
    await clock.advance(500);
    t.ok(served.isBusy(UNIT));
    let isReleased = false;
    const released = served.own(new Set()).then(() => {
      isReleased = true;
    });
    await clock.advance(100);
    t.equal(await waiting, 'OWNER_CHANGING');
    t.notOk(isReleased, 'the meter still has something to say');
    t.equal(await clock.until(running), 'NL-43');
    await clock.until(released);
    t.notOk(served.isBusy(UNIT));
    t.ok(device.line.ending, 'the connection is closed');
    t.equal(await clock.until(outcome(meter.perform('clock', patient()))), 'OWNER_CHANGING');
    t.equal(meter.report().state, 'idle');
  },
);

t.test('a unit that comes back to the instance is watched again by itself', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  const { meter } = gateway();
  const viewer = new Viewer();
  device
    .expect('DRD?', ...FLOW)
    .expect('\x1a', '$')
    .expect('DRD?', ...FLOW);
  meter.feed.watch(viewer);
  await clock.advance(1_000);
  await clock.until(served.own(new Set()));
  t.equal(meter.feed.state, 'lost');
  const before = viewer.counters.length;
  void served.own(new Set([UNIT]));
  await clock.advance(5_000);
  t.ok(viewer.counters.length > before + 10);
  t.equal(meter.feed.state, 'ok');
});

t.test('a unit that is watched before its instance has it, is watched when it has', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  await served.own(new Set());
  const { meter } = gateway();
  const viewer = new Viewer();
  device.expect('DRD?', ...FLOW);
  meter.feed.watch(viewer);
  await clock.advance(1_000);
  t.same(viewer.counters, []);
  void served.own(new Set([UNIT]));
  await clock.advance(2_000);
  t.ok(viewer.counters.length > 5);
});

t.test('a unit that is removed: its feed ends, who waits is told UNIT_NOT_FOUND, its session ends', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  const { meter, configs, remote } = gateway();
  device.expect('Type?', 2_000, data('NL-43'));
  const running = outcome(meter.perform('model', patient()));
  const waiting = outcome(meter.perform('clock', patient()));
  await clock.advance(500);
  const viewer = new Viewer();
  meter.feed.watch(viewer);
  await clock.advance(100);
  configs.remove();
  await clock.advance(100);
  t.equal(await waiting, 'UNIT_NOT_FOUND');
  t.equal(viewer.ended, 'removed');
  t.equal(await clock.until(running), 'NL-43');
  await clock.advance(5_000);
  t.notOk(served.isBusy(UNIT));
  t.throws(() => remote.meter(UNIT), { code: 'UNIT_NOT_FOUND' });
  t.equal(remote.report(UNIT), undefined);
});

t.test('a unit that is removed and made again at once: all of it is told again', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter, configs, remote } = gateway();
  device.always('Type?', data('NL-43'));
  await clock.until(meter.perform('model', patient()));
  await clock.advance(5_000);
  const { connects, countedSince } = { ...remote.counters(UNIT), ...remote.report(UNIT) };
  t.equal(connects, 1);
  configs.remove();
  configs.set({});
  const again = remote.meter(UNIT);
  t.not(again, meter);
  await clock.until(again.perform('model', patient()));
  await clock.advance(5_000);
  t.equal(remote.counters(UNIT)?.connects, 2);
  t.equal(remote.counters(UNIT)?.connectFailures, 0);
  t.equal(remote.report(UNIT)?.countedSince, countedSince, 'also what is as it was');
});

t.test(
  'a reset that is broken off after its stop because the unit moves is of unknown outcome: nobody asks for it again',
  async (t) => {
    const { clock, device, served, gateway } = twoInstances(t);
    const { meter } = gateway();
    device.expect('Reset', 'R+0001\r\n$').expect('Measure?', data('Start')).expect('Measure,Stop', 1_000, OK);
    const running = clock.until(meter.perform('reset', patient()).catch((error) => error));
    while (!device.commands.includes('Measure,Stop')) await clock.advance(100);
    const released = served.own(new Set());
    t.match(await running, {
      code: 'OUTCOME_UNKNOWN',
      message: /^The measurement was stopped to reset it, and not started again: No instance/,
    });
    await clock.until(released);
    device.verify(t);
  },
);

t.test('a config that changes is told: another address is another session, and TCP that is off ends it', async (t) => {
  const { clock, device, network, gateway } = twoInstances(t);
  const { meter, configs, remote } = gateway();
  device.expect('Type?', data('NL-43'));
  await clock.until(meter.perform('model', patient()));
  configs.set({ host: 'elsewhere.test' });
  network.hang({ host: 'elsewhere.test', port: CONFIG.tcpPort });
  t.equal(await clock.until(outcome(meter.perform('model', patient()))), 'DEVICE_TIMEOUT');
  configs.set({ tcpEnabled: false });
  await clock.advance(10);
  t.throws(() => remote.meter(UNIT), { code: 'TCP_DISABLED' });
  t.equal(await clock.until(outcome(meter.perform('model', patient()))), 'TCP_DISABLED');
});

t.test('no credential goes over the link', async (t) => {
  const { clock, gateway } = twoInstances(t);
  const { near, configs } = gateway();
  configs.set({ ftpPassword: 'hidden-word' });
  await clock.advance(10);
  t.ok(near.sent.some((text) => text.includes('"units"')));
  t.notOk(near.sent.some((text) => text.includes('hidden-word')));
});

t.test(
  'the gateway moves into the instance: sessions and streams go on, and what was kept is there for it',
  async (t) => {
    const { clock, device, served, gateway } = twoInstances(t);
    device.expect('DRD?', ...FLOW);
    const first = gateway();
    const viewer = new Viewer();
    first.meter.feed.watch(viewer);
    await clock.advance(1_050);
    first.line.cut();
    await clock.advance(2_000);
    const events = createEventStream(clock, createLog('silent'));
    let told = 0;
    events.on('frame', () => {
      told += 1;
    });
    const fleet = served.here({ configs: new Configs(), events });
    await clock.advance(1_000);
    t.equal(told, 0, 'a frame does not overtake those that are kept');
    const { frames, lost } = served.takeKept(UNIT);
    t.equal(lost, 0);
    const late = new Viewer();
    fleet?.meter(UNIT).feed.watch(late);
    await clock.advance(1_000);
    const last = viewer.counters.at(-1) ?? 0;
    const kept = frames.map(({ frame }) => frame.counter).filter((counter) => counter > last);
    t.ok(frames.length - kept.length <= 3, 'what the first one had not confirmed yet comes again');
    const all = [...viewer.counters, ...kept, ...late.counters.slice(1)];
    t.same(
      all,
      Array.from({ length: all.length }, (_, index) => index + 1),
    );
    t.equal(told, late.counters.length - 1);
    t.equal(device.commands.length, 1);
    t.same(served.takeKept(UNIT), { frames: [], lost: 0 }, 'they are given once');
    const { far } = gateway();
    t.match(await far.ended, /gateway itself/);
  },
);

t.test('lines of a unit go to who traces it', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter, remote, taps } = gateway();
  const lines: string[] = [];
  device.always('Type?', data('NL-43'));
  taps.listen(UNIT, ({ direction, text }) => lines.push(`${direction} ${text}`));
  remote.trace(UNIT, true);
  await clock.until(meter.perform('model', patient()));
  t.ok(lines.includes('sent Type?'));
  t.ok(lines.some((line) => line.includes('NL-43')));
  remote.trace(UNIT, false);
  const before = lines.length;
  await clock.until(meter.perform('model', patient()));
  t.equal(lines.length, before);
});

t.test('an error keeps its code, words and cause on the way', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Battery Level?', data('odd,odd,odd')).expect('Measure,Stop', 'R+0004\r\n$');
  const unreadable = await clock.until(meter.perform('battery', patient()).catch((error) => error));
  t.match(unreadable, { code: 'DEVICE_GARBLED', cause: { name: 'DecodeError', raw: 'odd,odd,odd' } });
  t.match(unreadable.cause.message, /"odd,odd,odd"$/);
  t.equal(await clock.until(outcome(meter.perform('stop', patient()))), 'DEVICE_WRONG_STATE');
});

t.test('a gateway that takes over hears of the state of each session that goes on', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  const first = gateway();
  device.expect('Sleep Mode,Off', OK).expect('Measure,Start', OK);
  await clock.until(first.meter.perform('start', patient()));
  first.line.cut();
  await clock.advance(60_000);
  const next = gateway();
  const told: unknown[] = [];
  next.events.on('state', ({ unitId, data }) => told.push([unitId, data.state.measuring, data.state.startSource]));
  await clock.advance(10);
  t.same(told, [[UNIT, true, 'sent']]);
  t.match(next.meter.deviceState, { measuring: true, startSource: 'sent' });
  t.match(next.remote.reachability(UNIT), { state: 'online' });
  t.match(next.remote.report(UNIT), { state: 'ready', counters: { commands: 2 } });
  const events = createEventStream(clock, createLog('silent'));
  events.on('state', ({ unitId }) => told.push(unitId));
  served.here({ configs: new Configs(), events });
  served.tellStates();
  t.same(told.slice(1), [UNIT]);
});

t.test('the gateway leaves the instance: what it watched goes on, and the next gateway gets every frame', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const fleet = served.here({ configs: new Configs(), events: createEventStream(clock, createLog('silent')) });
  const [early, late] = [new Viewer(), new Viewer()];
  const leave = fleet?.meter(UNIT).feed.watch(early);
  await clock.advance(2_050);
  served.here(undefined);
  leave?.();
  await clock.advance(30_000);
  gateway().meter.feed.watch(late);
  await clock.advance(1_000);
  const all = [...early.counters, ...late.counters];
  t.ok(all.length > 320);
  t.same(
    all,
    Array.from({ length: all.length }, (_, index) => index + 1),
  );
  t.equal(device.commands.length, 1);
});

t.test('a viewer that comes while a frame is on its way gets it once', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  device.expect('DRD?', ...FLOW);
  const { meter } = gateway();
  const leave = meter.feed.watch(new Viewer());
  await clock.advance(1_900);
  leave();
  await clock.advance(10);
  do await clock.advance(1);
  while (device.spokeAt !== clock.elapsed());
  const viewer = new Viewer();
  meter.feed.watch(viewer);
  await clock.advance(500);
  t.equal(new Set(viewer.counters).size, viewer.counters.length);
});

t.test('who says again what is owned waits for the sessions that still end', async (t) => {
  const { clock, device, served, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Type?', 2_000, data('NL-43'));
  const running = outcome(meter.perform('model', patient()));
  await clock.advance(500);
  let resolved = 0;
  for (let times = 0; times < 2; times += 1)
    void served.own(new Set()).then(() => {
      resolved += 1;
    });
  await clock.advance(1_000);
  t.ok(served.isBusy(UNIT));
  t.equal(resolved, 0);
  t.equal(await clock.until(running), 'NL-43');
  await clock.advance(1_000);
  t.notOk(served.isBusy(UNIT));
  t.equal(resolved, 2);
});
