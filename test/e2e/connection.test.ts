/** The connection to a meter as the settings want it, seen from HTTP and from the meter. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('it is kept by default: readings, changes and a stream share one', async (t) => {
  const world = await openWorld(t);
  const before = (await world.get('/sim-1/session')).body.data.counters.connects;
  await world.get('/sim-1/live');
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 5);
  await world.post('/sim-1/start');
  client.socket.close(1000);
  await world.pass(10_000);
  await world.post('/sim-1/stop');
  t.equal((await world.get('/sim-1/session')).body.data.counters.connects, before);
});

t.test('per-command opens one for each, spaced like any other', async (t) => {
  const world = await openWorld(t, { settings: { connection: 'per-command' } });
  for (let i = 0; i < 3; i++) {
    t.equal((await world.get('/sim-1/battery')).status, 200);
    await world.pass(7_000);
  }
  t.equal(world.meter.log.connects, 3);
  t.match((await world.get('/sim-1/session')).body.data, { state: 'idle', connection: { open: false } });
  t.same(world.meter.log.spacingViolations(), []);
});

t.test(
  'after a quiet time a change is sent on a connection that was proved, and the answer of the proof is used',
  async (t) => {
    const world = await openWorld(t, { quirks: { settings_while_measuring: 'refused' } });
    await world.set('Measure', 'Start');
    await world.pass(40_000);
    t.equal((await world.put('/sim-1/frequency-weighting', { weighting: 'C' })).status, 409, 'not while measuring');
    t.same(world.meter.log.commands, ['Measure?', 'Frequency Weighting (Main),C']);
    t.match((await world.get('/sim-1/session')).body.data, { device_state: { measuring: true } });
  },
);

t.test('a change over a connection that a carrier forgot arrives once, without an error', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/battery');
  world.meter.faults.on('nat-forgets');
  await world.pass(90_000);
  world.meter.log.clear();
  const began = world.clock.elapsed();
  t.equal((await world.post('/sim-1/start')).status, 200);
  t.ok(world.clock.elapsed() - began < 15_000, `${world.clock.elapsed() - began} ms`);
  t.equal(world.meter.log.commands.filter((text) => text === 'Measure,Start').length, 1);
  t.match((await world.get('/sim-1/measurement-state')).body, { is_measuring: true });
});

t.test('a caller that is in a hurry is answered in time by a meter that says nothing', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('no-reply');
  const began = world.clock.elapsed();
  const { status, body } = await world.ask('GET', '/sim-1/battery', { headers: { 'Request-Timeout': '2' } });
  t.match({ status, body }, { status: 504, body: { code: 'DEVICE_TIMEOUT', detail: /not done within 2 s/ } });
  t.ok(world.clock.elapsed() - began < 2_200);
});
