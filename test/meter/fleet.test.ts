import t from 'tap';
import { ask, createBench, data, OK, outcome, patient, set, UNIT } from './support/bench.ts';
import { ADDRESS, RESET, ScriptedMeter, SUB } from './support/scripted-meter.ts';
import { Viewer } from './support/viewer.ts';

t.test('an unknown unit is UNIT_NOT_FOUND, a unit with TCP off TCP_DISABLED', async (t) => {
  const { fleet, configs } = createBench(t);
  t.throws(() => fleet.meter('nobody'), { code: 'UNIT_NOT_FOUND', status: 404 });
  configs.set({ tcpEnabled: false });
  t.throws(() => fleet.meter(UNIT), { code: 'TCP_DISABLED', status: 403 });
});

t.test('a new address closes the old connection first, answers all callers, and is used from then on', async (t) => {
  const { clock, device, fleet, configs, meter, network } = createBench(t);
  const other = new ScriptedMeter(network, clock, { host: 'other.test', port: 80 });
  device.expect('DOD?', 2_500, data('43.7'));
  const running = meter.run(ask('DOD'), patient());
  const waiting = outcome(meter.run(set('Measure,Start'), patient()));
  await clock.advance(100);
  configs.set({ host: 'other.test', tcpPort: 80 });
  t.equal(await waiting, 'DEVICE_UNREACHABLE');
  t.not(fleet.meter(UNIT), meter);
  t.equal(fleet.reachability(UNIT)?.state, 'unknown', 'nothing is known of the new address');
  other.expect('Clock?', data('now'));
  const next = fleet.meter(UNIT).run(ask('Clock'), patient());
  await clock.advance(2_000);
  t.equal(other.connects, 0, 'not while the old command runs');
  t.equal(await clock.until(running), '43.7');
  t.equal(await clock.until(next), 'now');
  t.ok(device.line.ending, 'the old connection is closed');
  const heardAt = other.heard[0]?.at ?? 0;
  t.ok(heardAt - device.spokeAt >= 1_000, 'it may be the same meter under another name');
  device.verify(t);
  other.verify(t);
});

t.test('a change without a new address keeps the connection', async (t) => {
  const { clock, device, fleet, configs, meter } = createBench(t);
  device.always('DOD?', data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  configs.set({ ftpEnabled: true, ftpPort: 2121 });
  t.equal(fleet.meter(UNIT), meter);
  await clock.until(meter.run(ask('DOD'), patient()));
  t.equal(device.connects, 1);
});

t.test('the FTP port that is asked about a wedge is the present one', async (t) => {
  const { clock, device, configs, meter, network } = createBench(t);
  configs.set({ ftpPort: 2121 });
  device.hangUp();
  network.listen({ host: ADDRESS.host, port: 2121 }, () => {});
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_WEDGED');
});

t.test('switching TCP off ends the feed, answers waiting callers, and closes the connection', async (t) => {
  const { clock, device, configs, fleet, meter } = createBench(t);
  const viewer = new Viewer();
  device.expect('DRD?', 'R+0000\r\n', 100, '1,frame\r\n').expect(SUB, '$');
  meter.feed.watch(viewer);
  await clock.advance(500);
  configs.set({ tcpEnabled: false });
  await clock.advance(100);
  t.equal(viewer.ended, 'removed');
  t.ok(device.line.ending);
  t.equal(await outcome(meter.run(ask('DOD'), patient())), 'TCP_DISABLED');
  t.equal(fleet.reachability(UNIT)?.state, 'online', 'how it was last reached is still known');
  device.verify(t);
});

t.test('a host that is changed while TCP is off does not have the reachability of the old host', async (t) => {
  const { clock, device, configs, fleet, meter } = createBench(t);
  device.expect('DOD?', data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  configs.set({ tcpEnabled: false });
  await clock.advance(100);
  configs.set({ host: 'other.test' });
  t.equal(fleet.reachability(UNIT), undefined);
  configs.set({ tcpEnabled: true });
  fleet.meter(UNIT);
  t.match(fleet.reachability(UNIT), { state: 'unknown', reachable: null });
});

t.test('a removed unit is answered UNIT_NOT_FOUND and forgotten; if it comes back, it rests first', async (t) => {
  const { clock, device, configs, fleet, meter } = createBench(t);
  const viewer = new Viewer();
  device.expect('DOD?', data('43.7'));
  await clock.until(meter.run(ask('DOD'), patient()));
  configs.remove();
  meter.feed.watch(viewer);
  t.equal(viewer.ended, 'removed');
  t.equal(await outcome(meter.run(ask('DOD'), patient())), 'UNIT_NOT_FOUND');
  configs.set({});
  device.expect('Clock?', data('now'));
  t.equal(await clock.until(fleet.meter(UNIT).run(ask('Clock'), patient())), 'now');
  t.ok(device.shortestRest >= 1_000, `rested ${device.shortestRest} ms`);
  configs.remove();
  await clock.advance(100);
  t.equal(fleet.reachability(UNIT), undefined);
});

t.test('a meter that never answers does not slow the others', async (t) => {
  const { clock, device, configs, fleet, network } = createBench(t);
  configs.set({ host: 'dead.test' }, 'dead');
  network.hang({ host: 'dead.test', port: ADDRESS.port });
  const dead = Array.from({ length: 32 }, (_, i) => outcome(fleet.meter('dead').run(ask(`Name ${i}`), patient())));
  device.expect('DOD?', data('43.7'));
  t.equal(await fleet.meter(UNIT).run(ask('DOD'), patient()), '43.7', 'without any timer');
  t.same(new Set(await clock.until(Promise.all(dead))), new Set(['DEVICE_TIMEOUT']));
});

t.test('stopping finishes the running command, answers the waiting commands, and then closes', async (t) => {
  const { clock, device, configs, fleet, meter } = createBench(t);
  device.expect('Measure,Stop', 400, OK);
  const running = outcome(meter.run(set('Measure,Stop'), patient()));
  const waiting = outcome(meter.run(ask('DOD'), patient()));
  await clock.advance(100);
  const closed = fleet.close();
  t.equal(fleet.close(), closed, 'may be called twice');
  t.equal(await waiting, 'STOPPING');
  t.throws(() => fleet.meter(UNIT), { code: 'STOPPING' });
  t.equal(await clock.until(running), undefined, 'the setting was done');
  await clock.until(closed);
  t.match(device.line.ending, { by: 'peer' });
  t.equal(configs.followers, 0);
  t.equal(clock.pending, 0);
});

t.test('stopping does not wait longer than five seconds for a meter that says nothing', async (t) => {
  const { clock, device, fleet, meter } = createBench(t, { replyTimeoutMs: 60_000, replyTotalTimeoutMs: 60_000 });
  device.expect('Measure,Stop');
  const running = outcome(meter.run(set('Measure,Stop'), patient()));
  await clock.advance(100);
  const began = clock.elapsed();
  await clock.until(fleet.close());
  t.ok(clock.elapsed() - began <= 5_100);
  t.equal(await running, 'OUTCOME_UNKNOWN', 'it was sent');
  t.match(device.line.ending, { by: 'fault' });
});

t.test('stopping breaks off a dial and a rest at once', async (t) => {
  const { clock, device, fleet, meter, network } = createBench(t);
  device.expect('DOD?', data('43.7'), RESET);
  await clock.until(meter.run(ask('DOD'), patient()));
  await clock.advance(2_000);
  network.hang(ADDRESS);
  const dialling = outcome(meter.run(ask('Clock'), patient()));
  await clock.advance(1_000);
  t.equal(meter.report().state, 'dialling');
  const began = clock.elapsed();
  await clock.until(fleet.close());
  t.equal(await dialling, 'STOPPING');
  t.ok(clock.elapsed() - began < 100);
});

t.test('a reservation is asked to stop between two commands', async (t) => {
  const { clock, device, fleet, meter } = createBench(t);
  device.expect('Sleep Mode,Off', OK);
  const start = outcome(
    meter.reserve(
      'start',
      async (line) => {
        await line.send(set('Sleep Mode,Off'));
        await line.send(set('Measure,Start'));
      },
      patient(),
    ),
  );
  await clock.advance(500);
  await clock.until(fleet.close());
  t.equal(await start, 'STOPPING');
  device.verify(t);
});

t.test('other work that never ends does not prevent a stop of the gateway', async (t) => {
  const { clock, fleet, meter } = createBench(t);
  const stuck = outcome(meter.reserve('stuck', () => new Promise(() => {}), patient()));
  await clock.advance(10);
  await clock.until(fleet.close());
  t.equal(await stuck, 'STOPPING');
});
