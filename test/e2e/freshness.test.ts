/** Every value says when it was measured; old ones and ones that cannot be true are marked. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('a reading says when it was measured, group by group', async (t) => {
  const world = await openWorld(t);
  const before = world.clock.now();
  const { data } = (await world.get('/sim-1/live')).body;
  const moments = ['measured_at', 'lp_at', 'state_at', 'battery_at', 'sd_at', 'power_at'].map((name) => data[name]);
  const times = moments.map((text) => Date.parse(text));
  t.ok(
    times.every((at) => at >= before && at <= world.clock.now()),
    moments.join(),
  );
  t.same(times.slice(1), times.slice(1).toSorted(), 'in the order in which they were asked for');
  t.match(data, { stale: false, frozen: false });
  const { data: status } = (await world.get('/sim-1/status')).body;
  for (const name of ['measured_at', 'lp_at', 'state_at', 'battery_at', 'sd_at', 'power_at'])
    t.equal(status[name], data[name], name);
});

t.test(
  'the stream renews the time of Lp and of the values of its frames, not of the levels of the measurement',
  async (t) => {
    const world = await openWorld(t);
    const { data: first } = (await world.get('/sim-1/live')).body;
    const client = await world.watch('/sim-1/live');
    await world.until('some seconds of frames', () => client.frames.length > 30);
    const { data } = (await world.get('/sim-1/status')).body;
    t.ok(Date.parse(data.lp_at) > Date.parse(first.lp_at));
    t.equal(data.measured_at, first.measured_at);
    for (const name of ['battery_at', 'sd_at', 'power_at'])
      t.ok(Date.parse(data[name]) > Date.parse(first[name]), name);
    client.socket.terminate();
  },
);

t.test('levels are stale after three polling intervals of the unit', async (t) => {
  const world = await openWorld(t);
  t.match((await world.get('/sim-1/status')).body.data, { stale: true, measured_at: null }, 'never read');
  await world.get('/sim-1/live');
  await world.clock.advance(170_000);
  t.equal((await world.get('/sim-1/status')).body.data.stale, false);
  await world.clock.advance(20_000);
  t.equal((await world.get('/sim-1/status')).body.data.stale, true);
  await world.put('/sim-1/polling/config', { poll_interval_seconds: 600 });
  t.equal((await world.get('/sim-1/status')).body.data.stale, false);
});

t.test('a unit that is only recorded by its stream is not stale, until the stream ends', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  await world.put('/sim-1/polling/config', { poll_enabled: false, poll_interval_seconds: 10 });
  const status = async () => (await world.get('/sim-1/status')).body.data;
  await world.pass(40_000);
  t.match(await status(), { stale: false, lp: String });
  await world.put('/sim-1/config', { history: 'off' });
  await world.pass(40_000);
  t.match(await status(), { stale: true, lp: String });
});

t.test('ten minutes of frozen values: every answer says so, until the first new value', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Measurement Time Preset Manual', '24h');
  await world.post('/sim-1/start');
  await world.pass(10_000);
  const before = (await world.get('/sim-1/live')).body.data;
  const fault = world.meter.faults.on('frozen');
  await world.get('/sim-1/live');
  for (let minute = 1; minute <= 10; minute += 1) {
    await world.clock.advance(60_000);
    const { status, body } = await world.get('/sim-1/live');
    t.match([status, body.data.frozen], [200, minute === 1 ? Boolean : true], `after ${minute} min`);
  }
  const { data } = (await world.get('/sim-1/status')).body;
  t.match(data, { frozen: true, stale: false, measurement_state: before.measurement_state });
  world.meter.faults.off(fault);
  t.match((await world.get('/sim-1/live')).body.data, { frozen: false });
});

t.test('a meter that is paused, stopped or healthy is not called frozen', async (t) => {
  const world = await openWorld(t);
  world.meter.instrument.play({ steadyDb: 60 });
  const frozen = async () => {
    await world.get('/sim-1/live');
    await world.clock.advance(100_000);
    return (await world.get('/sim-1/live')).body.data.frozen;
  };
  t.equal(await frozen(), false, 'before a measurement');
  await world.post('/sim-1/start');
  t.equal(await frozen(), false, 'while it measures a steady tone');
  await world.post('/sim-1/pause');
  t.equal(await frozen(), false, 'in a pause');
  await world.post('/sim-1/resume');
  await world.post('/sim-1/stop');
  t.equal(await frozen(), false, 'after the end');
});

t.test('after a restart the last snapshot is shown with its true age', async (t) => {
  const world = await openWorld(t);
  const { data: first } = (await world.get('/sim-1/live')).body;
  await world.restart(3_600_000);
  world.meter.log.clear();
  const { data } = (await world.get('/sim-1/status')).body;
  const { lp, leq, battery_level, measured_at, battery_at } = first;
  t.match(data, { lp, leq, battery_level, measured_at, battery_at, stale: true, is_reachable: null });
  const trueAge = (world.clock.now() - Date.parse(data.last_seen)) / 1_000;
  t.ok(data.age_s >= 3_600 && Math.abs(data.age_s - trueAge) < 5, `age ${data.age_s} of ${trueAge}`);
  t.same(world.meter.log.commands, []);
});
