/** Background readings: they keep the snapshot fresh, stay behind operators, and leave a meter that is gone alone. */
import t, { type Test } from 'tap';
import { openWorld, type World, type WorldOptions } from '../support/world.ts';

const SLOW = { poll_enabled: true, poll_interval_seconds: 10 };

async function polledWorld(t: Test, options: WorldOptions = {}, polling: object = SLOW): Promise<World> {
  const world = await openWorld(t, options);
  for (let unit = 1; unit <= world.meters.length; unit++) await world.put(`/sim-${unit}/polling/config`, polling);
  return world;
}

const unitOf = async (world: World, unit = 'sim-1') =>
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
  (await world.get('/_polling/status')).body.units.find((one: any) => one.unit_id === unit);
/** A reading is over. How long one takes depends on the link, and the first one and one a minute ask for more. */
async function untilWaiting(world: World): Promise<void> {
  while ((await unitOf(world)).state !== 'waiting') await world.pass(200);
}

const readings = (world: World) => world.meter.log.commands.filter((text) => text === 'DOD?').length;

t.test('a meter that is not polled is left alone', async (t) => {
  const world = await openWorld(t);
  await world.clock.advance(120_000);
  t.same(world.meter.log.commands, []);
  const { body } = await world.get('/_polling/status');
  t.match(body, { status: 'ok', count: 1, active: 0, units: [{ unit_id: 'sim-1', state: 'off', next_poll: null }] });
  t.match((await world.get('/sim-1/polling/config')).body.data, {
    unit_id: 'sim-1',
    poll_enabled: false,
    poll_interval_seconds: 60,
  });
});

t.test('a polled meter is read once an interval, and its status is fresh', async (t) => {
  const world = await polledWorld(t);
  await world.pass(65_000);
  t.ok(readings(world) >= 6 && readings(world) <= 7, `${readings(world)} readings in 65 s`);
  t.same(world.meter.log.spacingViolations(), []);
  t.equal(world.meter.log.connects, 0, 'over the connection that was open');
  const slow = world.meter.log.commands.filter((text) => text === 'Battery Level?').length;
  t.ok(slow >= 1 && slow <= 2, 'slow values once a minute');
  const { data } = (await world.get('/sim-1/status')).body;
  t.match(data, { lp: String, battery_level: '100', stale: false });
  t.ok(data.age_s <= 12, `age ${data.age_s}`);
  await untilWaiting(world);
  t.match(await unitOf(world), { state: 'waiting', consecutive_failures: 0, last_error: null, next_poll: String });
});

t.test('config and interval hold at once, and are part of the device config', async (t) => {
  const world = await polledWorld(t, {}, { poll_enabled: true, poll_interval_seconds: 3_600 });
  await world.pass(10_000);
  t.equal(readings(world), 1, 'the first reading does not wait for the interval');
  const { body } = await world.put('/sim-1/polling/config', { poll_interval_seconds: 5 });
  const message = 'sim-1 is read in the background every 5 s.';
  t.match(body, { message, data: { poll_enabled: true, poll_interval_seconds: 5 } });
  t.match((await world.get('/sim-1/config')).body.data, { poll_enabled: true, poll_interval_seconds: 5 });
  await world.pass(20_000);
  t.ok(readings(world) >= 4);
  await world.put('/sim-1/config', { tcp_enabled: false });
  world.meter.log.clear();
  await world.pass(20_000);
  t.same(world.meter.log.commands, [], 'not while TCP is disabled');
  t.match(await unitOf(world), { state: 'off' });
  await world.put('/sim-1/config', { tcp_enabled: true });
  await world.pass(10_000);
  t.ok(readings(world) >= 1, 'and again when it is enabled');
  await world.delete('/sim-1/config');
  world.meter.log.clear();
  await world.pass(20_000);
  t.same(world.meter.log.commands, []);
  t.same((await world.get('/_polling/status')).body.units, []);
});

t.test('a new config that enables polling still switches the sleep mode off first', async (t) => {
  const world = await openWorld(t);
  await world.delete('/sim-1/config');
  await world.pass(6_000);
  const { body } = await world.configure('again', world.meter, SLOW);
  t.equal(body.sleep_mode, 'Off');
  await world.pass(5_000);
  t.match(world.meter.log.commands.slice(0, 2), ['Sleep Mode,Off', 'DOD?']);
});

t.test('values outside the limits are refused, and an unknown unit is 404', async (t) => {
  const world = await openWorld(t);
  for (const poll_interval_seconds of [0, 21_601, 1.5, 'soon', null]) {
    const { status, body } = await world.put('/sim-1/polling/config', { poll_interval_seconds });
    t.match({ status, body }, { status: 422, body: { errors: [{ path: '/poll_interval_seconds' }] } });
  }
  t.match(await world.put('/sim-1/polling/config', { poll_enabled: 'yes' }), { status: 422 });
  t.match(await world.put('/nobody/polling/config', SLOW), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });
  t.match(await world.get('/nobody/polling/config'), { status: 404 });
  t.equal((await world.get('/nobody/config')).status, 404, 'and none is created');
});

t.test('an operator goes before a poll that waits, and does not wait for its slow values', async (t) => {
  const world = await polledWorld(t);
  await world.until('a reading', () => world.meter.log.commands.includes('Battery Level?'));
  const began = world.clock.elapsed();
  t.equal((await world.post('/sim-1/start')).status, 200);
  t.ok(world.clock.elapsed() - began < 6_000, `${world.clock.elapsed() - began} ms`);
  const commands = world.meter.log.commands;
  t.ok(commands.indexOf('Measure,Start') < commands.indexOf('DRD?status') || !commands.includes('DRD?status'));
  await world.pass(20_000);
  t.ok(world.meter.log.commands.includes('DRD?status'), 'what was left out comes with the next reading');
});

t.test('a watched stream is not interrupted by polls; they go on after it', async (t) => {
  const world = await polledWorld(t);
  await world.until('the first reading is over', () => world.meter.log.commands.includes('DRD?status'));
  await untilWaiting(world);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length > 0);
  world.meter.log.clear();
  await world.pass(30_000);
  t.equal(readings(world), 0);
  const asked = world.meter.log.commands.filter((command) => command !== '\u001a' && !command.startsWith('DRD'));
  t.ok(
    asked.every((command) => /^(Frequency|Time) Weighting/.test(command)) && asked.length <= 2,
    `the weightings are asked for once, if they are not known: ${asked.join()}`,
  );
  t.match(await unitOf(world), { state: 'streaming' });
  t.ok((await world.get('/sim-1/status')).body.data.age_s < 3, 'the stream keeps the status fresh');
  client.socket.terminate();
  await world.pass(20_000);
  t.ok(readings(world) >= 1);
});

t.test('a viewer that comes during a background reading does not wait for its slow values', async (t) => {
  const world = await polledWorld(t);
  await world.until('a reading', () => world.meter.log.commands.includes('Measure?'));
  // The levels are known with this answer. No meter is so far away that it takes longer, and the next command comes after a second.
  await world.pass(300);
  const began = world.clock.elapsed();
  const client = await world.watch('/sim-1/live');
  t.match(client.messages[0], { last_values: { lp: String, stale: false } }, 'it has the last known values at once');
  await world.until('a frame', () => client.frames.length > 0);
  t.ok(world.clock.elapsed() - began < 3_500, `${world.clock.elapsed() - began} ms`);
  t.notOk(world.meter.log.commands.includes('SD Card Total Size?'), 'slow values are left out');
  client.socket.terminate();
});

t.test('a lost meter is tried less and less often, and is read again as soon as it is back', async (t) => {
  const world = await polledWorld(t, { settings: { plugin_settings: { polling: { slowest_seconds: 40 } } } });
  await world.pass(10_000);
  const fault = world.meter.faults.on('refused');
  const before = (await unitOf(world)).polls;
  await world.pass(100_000);
  const { polls, state, consecutive_failures, last_error } = await unitOf(world);
  t.ok(polls - before >= 2 && polls - before <= 4, `${polls - before} tries, not 10`);
  t.equal(state, 'slowed');
  t.ok(consecutive_failures >= 2);
  t.match(last_error, { code: /^DEVICE_/, detail: String, at: String });
  t.equal((await world.get('/sim-1/status')).body.data.stale, true);
  world.meter.faults.off(fault);
  await world.pass(50_000);
  t.match(await unitOf(world), { state: 'waiting', consecutive_failures: 0 });
  t.equal((await world.get('/sim-1/status')).body.data.stale, false);
});

t.test('a lost meter does not slow the others', async (t) => {
  const world = await polledWorld(t, { meters: 3 });
  world.meter.faults.on('no-reply');
  await world.pass(40_000);
  for (const unit of ['sim-2', 'sim-3']) {
    const { polls, consecutive_failures } = await unitOf(world, unit);
    t.ok(polls >= 3 && polls <= 5, `${unit}: ${polls}`);
    t.equal(consecutive_failures, 0);
  }
});

t.test('polling goes on after a restart, over the time that the settings say', async (t) => {
  const world = await polledWorld(t, { settings: { plugin_settings: { polling: { start_spread_seconds: 5 } } } });
  await world.restart(0);
  world.meter.log.clear();
  await world.until('two readings', () => readings(world) >= 2);
  t.equal(world.meter.log.commands.includes('DOD?'), true);
});
