import t from 'tap';
import { ConnectLimit } from '../../lib/meter/connect-limit.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { ask, createBench, data, outcome, patient, UNIT } from './support/bench.ts';
import { ADDRESS, ScriptedMeter } from './support/scripted-meter.ts';

const never = new AbortController().signal;

/** Dials for `minutes`, as fast as it may, and the time of each. */
async function storm(perMinute: number, minutes: number): Promise<number[]> {
  const clock = new VirtualClock();
  const limit = new ConnectLimit(clock, perMinute);
  const at: number[] = [];
  const count = perMinute * (minutes + 1);
  for (let i = 0; i < count; i++) limit.take(() => false, never).then(() => at.push(clock.elapsed()));
  await clock.advance(minutes * 60_000);
  return at;
}

t.test('no minute sees more connections than the limit, and the limit is used', async (t) => {
  for (const perMinute of [4, 20, 120]) {
    const at = await storm(perMinute, 4);
    const busiest = Math.max(...at.map((from) => at.filter((x) => x >= from && x < from + 60_000).length));
    t.ok(busiest <= perMinute, `${busiest} in the busiest minute of ${perMinute}`);
    t.ok(at.length >= perMinute * 0.74 * 4, `${at.length} in all`);
  }
});

t.test('a caller that finds a place goes on without a timer', async (t) => {
  const clock = new VirtualClock();
  const limit = new ConnectLimit(clock, 8);
  await limit.take(() => false, never);
  await limit.take(() => false, never);
  t.equal(clock.pending, 0);
});

t.test('operators go first, also when one comes while a background read waits for its meter', async (t) => {
  const clock = new VirtualClock();
  const limit = new ConnectLimit(clock, 4);
  await limit.take(() => false, never);
  const order: string[] = [];
  let came = false;
  limit.take(() => false, never).then(() => order.push('background'));
  limit.take(() => came, never).then(() => order.push('background, then an operator'));
  limit.take(() => true, never).then(() => order.push('operator'));
  came = true;
  await clock.advance(60_000);
  t.same(order, ['background, then an operator', 'operator', 'background']);
  t.equal(clock.pending, 0);
});

t.test('a caller that leaves takes no place and leaves no timer', async (t) => {
  const clock = new VirtualClock();
  const limit = new ConnectLimit(clock, 4);
  await limit.take(() => false, never);
  const leaver = new AbortController();
  const left = limit.take(() => true, leaver.signal);
  leaver.abort(new Error('left'));
  await t.rejects(left, { message: 'left' });
  await t.rejects(
    limit.take(() => true, leaver.signal),
    { message: 'left' },
  );
  t.equal(clock.pending, 0);
});

t.test('a fleet that comes back from an outage dials no faster than the limit, and everybody is served', async (t) => {
  const { clock, configs, fleet, network } = createBench(t, { connectsPerMinute: 20, requestDeadlineMs: 600_000 });
  const devices = Array.from({ length: 50 }, (_, index) => {
    const host = `meter-${index}.test`;
    configs.set({ host }, `unit-${index}`);
    return new ScriptedMeter(network, clock, { host, port: ADDRESS.port }).always('DOD?', data('43.7'));
  });
  const all = devices.map((_, index) =>
    fleet.meter(`unit-${index}`).run(ask('DOD'), patient({ priority: 'background' })),
  );
  await clock.advance(60_000);
  const first = devices.reduce((sum, { connects }) => sum + connects, 0);
  t.ok(first >= 15 && first <= 20, `${first} connects in the first minute`);
  t.same(new Set(await clock.until(Promise.all(all), { stepMs: 1_000 })), new Set(['43.7']));
  t.equal(
    devices.every(({ connects }) => connects === 1),
    true,
  );
});

t.test(
  'a caller whose deadline is over while its meter waits for a place is answered, and nothing is sent for it',
  async (t) => {
    const { clock, configs, fleet, device, network } = createBench(t, { connectsPerMinute: 2 });
    configs.set({ host: 'other.test' }, 'other');
    new ScriptedMeter(network, clock, { host: 'other.test', port: ADDRESS.port }).always('DOD?', data('1'));
    await clock.until(fleet.meter('other').run(ask('DOD'), patient()));
    const late = outcome(fleet.meter(UNIT).run(ask('DOD'), patient({ deadlineMs: 5_000 })));
    t.equal(await clock.until(late), 'DEVICE_TIMEOUT');
    t.ok(clock.elapsed() < 5_100);
    await clock.advance(120_000);
    t.same(device.commands, [], 'the command is not sent: nobody waits for its reply');
  },
);

t.test(
  'a command on an open line is sent without any timer while a hundred meters wait for a place or do not answer',
  async (t) => {
    const { clock, configs, fleet, device, network, meter } = createBench(t, { connectsPerMinute: 4 });
    device.expect('Type?', data('NL-43')).expect('DOD?', data('43.7'));
    await clock.until(meter.run(ask('Type'), patient()));
    await clock.advance(2_000);
    const others = Array.from({ length: 100 }, (_, index) => {
      configs.set({ host: 'dead.test' }, `dead-${index}`);
      return outcome(fleet.meter(`dead-${index}`).run(ask('DOD'), patient()));
    });
    network.hang({ host: 'dead.test', port: ADDRESS.port });
    await clock.advance(1_000);
    const from = clock.elapsed();
    t.equal(await meter.run(ask('DOD'), patient()), '43.7');
    t.equal(clock.elapsed(), from);
    t.same(new Set(await clock.until(Promise.all(others), { stepMs: 100 })), new Set(['DEVICE_TIMEOUT']));
    t.ok(clock.elapsed() - from < 30_100, 'nobody past the deadline');
  },
);
