/** The last snapshot: from memory, at any time, with how the meter was reached. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('a unit without a reading has null levels and has not been seen', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  await world.put('/roof/config', { host: '127.0.0.1', tcp_enabled: false });
  const { status, body } = await world.get('/roof/status');
  t.equal(status, 200);
  t.match(body.data, { unit_id: 'roof', measurement_state: null, lp: null, leq: null, battery_level: null });
  t.match(body.data, { last_seen: null, age_s: null, is_reachable: null, consecutive_failures: 0, last_error: null });
});

t.test('the last reading is shown with its age, and the meter is not touched', async (t) => {
  const world = await openWorld(t);
  const live = (await world.get('/sim-1/live')).body.data;
  world.meter.log.clear();
  await world.pass(90_000);
  const { body } = await world.get('/sim-1/status');
  const { lp, leq, lmax, measurement_state, battery_level } = live;
  t.match(body.data, { lp, leq, lmax, measurement_state, battery_level, is_reachable: true, last_error: null });
  t.ok(body.data.age_s >= 90 && body.data.age_s < 100, `age ${body.data.age_s}`);
  t.equal(Date.parse(body.data.last_seen) + body.data.age_s * 1_000 <= world.clock.now() + 100, true);
  t.same(world.meter.log.commands, []);
});

t.test('the last reading is also shown while TCP is disabled', async (t) => {
  const world = await openWorld(t);
  const { lp } = (await world.get('/sim-1/live')).body.data;
  await world.put('/sim-1/config', { tcp_enabled: false });
  t.match((await world.get('/sim-1/status')).body.data, { lp, is_reachable: true });
});

t.test('a lost meter is unreachable, with the error and the number of failures', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/live');
  await world.passing(world.meter.stop());
  await world.get('/sim-1/battery');
  await world.pass(10_000);
  await world.get('/sim-1/battery');
  const { data } = (await world.get('/sim-1/status')).body;
  t.match(data, { is_reachable: false, last_error: { code: 'DEVICE_UNREACHABLE', detail: String, at: String } });
  t.ok(data.consecutive_failures >= 1);
  t.type(data.lp, 'string', 'and the last levels are still there');
});

t.test('the start of a measurement is kept while it runs and cleared when it ends', async (t) => {
  const world = await openWorld(t);
  const before = world.clock.now();
  await world.post('/sim-1/start');
  const after = world.clock.now();
  const started = Date.parse((await world.get('/sim-1/status')).body.data.measurement_start_time);
  t.ok(started >= before && started <= after, 'the moment of the start');
  await world.pass(5_000);
  await world.get('/sim-1/live');
  const { data } = (await world.get('/sim-1/status')).body;
  t.match(data, { measurement_state: 'Measure' });
  t.equal(Date.parse(data.measurement_start_time), started, 'unchanged by a reading');
  await world.post('/sim-1/stop');
  t.match((await world.get('/sim-1/status')).body.data, { measurement_state: 'Stop', measurement_start_time: null });
});

t.test(
  'a measurement that was started at the meter gets its start from the first sight, and later from its levels',
  async (t) => {
    const world = await openWorld(t);
    world.meter.set('Measurement Time Preset Manual', '24h');
    const truth = world.clock.now();
    world.meter.set('Measure', 'Start');
    await world.clock.advance(300_000);
    const before = world.clock.now();
    await world.get('/sim-1/measurement-state');
    const seen = (await world.get('/sim-1/status')).body.data;
    t.equal(seen.measurement_start_source, 'seen');
    t.ok(Date.parse(seen.measurement_start_time) >= before);
    await world.get('/sim-1/live');
    const { data } = (await world.get('/sim-1/status')).body;
    t.equal(data.measurement_start_source, 'computed');
    t.ok(Math.abs(Date.parse(data.measurement_start_time) - truth) <= 20_000, data.measurement_start_time);
  },
);

t.test('when a person starts a new measurement while the gateway is down, it has its own start', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Measurement Time Preset Manual', '24h');
  await world.post('/sim-1/start');
  t.match((await world.get('/sim-1/status')).body.data, { measurement_start_source: 'sent' });
  await world.clock.advance(300_000);
  world.meter.set('Measure', 'Stop');
  world.meter.set('Measure', 'Start');
  const truth = world.clock.now();
  await world.restart(30_000);
  await world.get('/sim-1/live');
  const { data } = (await world.get('/sim-1/status')).body;
  t.match(data, { measurement_state: 'Measure', measurement_start_source: 'computed' });
  t.ok(Math.abs(Date.parse(data.measurement_start_time) - truth) <= 5_000, data.measurement_start_time);
});

t.test('an answer is unchanged until a value changes, and then it is new at once', async (t) => {
  const world = await openWorld(t);
  const text = async () => (await fetch(`${world.base}/sim-1/status`)).text();
  await world.get('/sim-1/live');
  const first = await text();
  t.equal(await text(), first, 'asked twice at one moment');
  await world.clock.advance(100);
  t.not(await text(), first, 'a tenth of a second older');
  await world.clock.advance(60_000);
  const { data: before } = JSON.parse(await text());
  t.equal(before.stale, false);
  await world.put('/sim-1/polling/config', { poll_enabled: false, poll_interval_seconds: 10 });
  t.match(JSON.parse(await text()).data, { measured_at: before.measured_at, stale: true }, 'another polling interval');
  await world.passing(world.meter.stop());
  await world.get('/sim-1/live');
  t.match(JSON.parse(await text()).data, { is_reachable: false, last_error: { code: String } }, 'the meter is gone');
});
