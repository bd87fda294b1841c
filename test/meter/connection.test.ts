import t from 'tap';
import type { MeterSettings } from '../../lib/meter/settings.ts';
import { ask, createBench, data, OK, outcome, patient, set } from './support/bench.ts';
import { ADDRESS, CLOSE, RESET } from './support/scripted-meter.ts';

/** A bench whose connection has been used once already. */
async function kept(t: Parameters<typeof createBench>[0], settings: Partial<MeterSettings> = {}) {
  const bench = createBench(t, settings);
  bench.device.expect('Type?', data('NL-43'));
  await bench.clock.until(bench.meter.run(ask('Type'), patient()));
  return bench;
}

t.test('one connection serves a working day of commands', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.always('DOD?', data('43.7'));
  for (let minute = 0; minute < 480; minute++) {
    await clock.until(meter.run(ask('DOD'), patient()));
    await clock.advance(60_000);
  }
  t.equal(device.connects, 1);
  t.equal(meter.report().counters.connects, 1);
  t.equal(meter.report().counters.commands, 480);
});

t.test('a connection that the meter closed while idle is dialled again, and the command is sent once', async (t) => {
  const { clock, device, meter } = await kept(t);
  device.line.close('bye');
  await clock.advance(60_000);
  device.expect('Measure,Start', OK);
  t.equal(await clock.until(meter.run(set('Measure,Start'), patient())), undefined);
  t.equal(device.connects, 2);
  t.match(meter.report().lastEnding, { by: 'peer' });
  device.verify(t);
});

t.test('a request that met a dead kept connection is sent again once', async (t) => {
  const { clock, device, meter } = await kept(t);
  device.expect('DOD?', RESET).expect('DOD?', data('43.7'));
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
  t.equal(device.connects, 2);
  t.equal(meter.report().counters.resent, 1);
  t.ok(device.shortestRest >= 1_000);
  device.verify(t);
});

t.test('a request is never sent a third time', async (t) => {
  const { clock, device, meter } = await kept(t);
  device.expect('DOD?', RESET).expect('DOD?', CLOSE);
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
  await clock.advance(60_000);
  t.equal(device.commands.length, 3);
  device.verify(t);
});

t.test('a request on a new connection is not sent again', async (t) => {
  const { clock, device, meter } = createBench(t);
  device.expect('DOD?', RESET);
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
  await clock.advance(60_000);
  t.same(device.commands, ['DOD?']);
});

t.test('a request whose reply had begun is not sent again', async (t) => {
  const { clock, device, meter } = await kept(t);
  device.expect('DOD?', 'R+0000\r\n43', RESET);
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
  await clock.advance(60_000);
  t.same(device.commands, ['Type?', 'DOD?']);
});

for (const [how, act] of [
  ['reset', RESET],
  ['closed', CLOSE],
] as const) {
  t.test(
    `a setting whose connection was ${how} before its reply is OUTCOME_UNKNOWN and never sent again`,
    async (t) => {
      const { clock, device, meter } = await kept(t);
      device.expect('Measure,Start', act);
      t.equal(await clock.until(outcome(meter.run(set('Measure,Start'), patient()))), 'OUTCOME_UNKNOWN');
      await clock.advance(60_000);
      t.same(device.commands, ['Type?', 'Measure,Start']);
      t.equal(meter.report().counters.resent, 0);
    },
  );
}

t.test('with a silent FTP port, too, it is no wedge, and costs two seconds', async (t) => {
  const { clock, device, meter, network } = createBench(t);
  device.hangUp();
  network.hang({ host: ADDRESS.host, port: 21 });
  t.equal(await clock.until(outcome(meter.run(ask('DOD'), patient()))), 'DEVICE_UNREACHABLE');
  t.ok(clock.elapsed() >= 2_000 && clock.elapsed() < 2_100);
});

t.test('no connection in time is DEVICE_TIMEOUT that names the stage', async (t) => {
  const { clock, meter, network } = createBench(t);
  network.hang(ADDRESS);
  const work = clock.until(meter.run(ask('DOD'), patient()));
  await t.rejects(work, { code: 'DEVICE_TIMEOUT', message: /meter\.test:2255 within 5 s \(connect\)/ });
});

t.test('a connection slot that becomes free only seconds after a close causes no error', async (t) => {
  const { clock, device, meter, network } = await kept(t);
  const free = network.hang(ADDRESS);
  device.line.close('bye');
  device.expect('DOD?', data('43.7'));
  const answer = meter.run(ask('DOD'), patient());
  await clock.advance(5_000);
  free();
  t.equal(await clock.until(answer), '43.7');
  device.verify(t);
});

t.test('when the meter cannot be reached, all waiting callers fail at once, not after a timeout each', async (t) => {
  const { clock, meter, network } = createBench(t);
  network.hang(ADDRESS);
  const names = Array.from({ length: 20 }, (_, index) => ask(`Name ${index}`));
  const all = Promise.all(names.map((command) => outcome(meter.run(command, patient()))));
  t.same(new Set(await clock.until(all)), new Set(['DEVICE_TIMEOUT']));
  t.ok(clock.elapsed() < 5_100, `took ${clock.elapsed()} ms`);
});

t.test('it works again by itself as soon as the meter is back', async (t) => {
  const { clock, device, meter, network } = createBench(t);
  const back = network.hang(ADDRESS);
  for (let i = 0; i < 5; i++) await clock.until(outcome(meter.run(ask('DOD'), patient())));
  t.equal(meter.reachability.consecutiveFailures, 5);
  back();
  device.expect('DOD?', data('43.7'));
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
  t.match(meter.reachability, { state: 'online', reachable: true, consecutiveFailures: 0 });
});

t.test('an idle connection is closed only if the config says so', async (t) => {
  const { clock, device, meter } = await kept(t, { idleCloseMs: 10_000 });
  await clock.advance(9_990);
  t.equal(device.line.ending, undefined);
  await clock.advance(100);
  t.match(device.line.ending, { by: 'peer' });
  device.expect('DOD?', data('43.7'));
  t.equal(await clock.until(meter.run(ask('DOD'), patient())), '43.7');
});

t.test('an idle meter has no timer running', async (t) => {
  const { clock } = await kept(t);
  await clock.advance(2_000);
  t.equal(clock.pending, 0);
});
