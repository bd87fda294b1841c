/** A meter that is recorded is asked like one that is not: what a person, a program and the README ask of the default demo. */
import t from 'tap';
import { loadProfile } from '../../simulator/index.ts';
import { askEach, openDemo, quantileOf, timed } from '../support/demo.ts';
import { openWorld } from '../support/world.ts';

/** Each GET of the first contract that is about the meter. */
const CONTRACT = [
  ...['live', 'measurement-state', 'battery', 'clock', 'frequency-weighting', 'time-weighting', 'measurement-time'],
  ...['leq-interval', 'lp-interval', 'index-number', 'results', 'sleep/status', 'ftp/status'],
].map((path) => `/sim-1/${path}`);
/** One command with the rest before it, on a meter in the same network; whoever looks at the clock says "a second". ms */
const ABOUT_A_SECOND_MS = 1_100;
/** The levels after a change: three commands with their rests, and the slow replies of a meter behind a modem (profile lte). ms */
const SOON_MS = 3_500;
/** Of the 600 frames of a minute with six interruptions: 80 %. A meter that takes its time for replies loses more, to the 75 % of the budget. */
const LEAST_FRAMES = loadProfile(process.env.METER_PROFILE ?? 'instant').think_query_ms[1] === 0 ? 480 : 450;
/** `replyTimeoutMs` of the gateway. */
const REPLY_LIMIT_MS = 5_000;

t.test('in the default demo each question of the first contract is answered within 3 s', async (t) => {
  const world = await openDemo(t);
  await world.pass(60_000);
  for (const path of ['live', 'status', 'results']) {
    const { status, ms } = await timed(world, `/sim-1/${path}`);
    t.ok(status === 200 && ms <= ABOUT_A_SECOND_MS, `${path} of the README: ${status} after ${ms} ms`);
  }
  const answers = await askEach(world, 10_000, 130_000, CONTRACT);
  t.ok(
    answers.every(({ status }) => status === 200),
    answers.map(({ path, status }) => `${path} ${status}`).join(),
  );
  const waits = answers.map(({ ms }) => ms);
  t.ok(quantileOf(waits, 0.95) <= 3_000, `p95 ${quantileOf(waits, 0.95)} ms`);

  await world.pass(60_000);
  const began = world.clock.elapsed();
  for (const path of CONTRACT) t.equal((await timed(world, path)).status, 200, path);
  t.ok(world.clock.elapsed() - began <= 20_000, `thirteen in ${world.clock.elapsed() - began} ms`);

  await world.pass(60_000);
  const from = world.meter.log.commands.length;
  const all = await timed(world, '/sim-1/settings/all');
  t.ok(all.ms <= 14_000, `all settings in ${all.ms} ms`);
  t.notOk(JSON.stringify(all.body).includes('Error'), 'each has its value');
  const sent = world.meter.log.commands.slice(from);
  t.notOk(
    sent.some((text) => text.startsWith('DRD')),
    `one interruption: ${sent.join(' ')}`,
  );
  t.notOk(sent.includes('Battery Level?'), 'what frames say is not asked');
});

/** A recorded unit that is not polled, beside its frames. */
async function recordedWorld(t: Parameters<typeof openDemo>[0]) {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  await world.pass(5_000);
  const viewer = await world.watch('/sim-1/live');
  await world.until('frames', () => viewer.frames.length > 0);
  return { world, viewer };
}

t.test('a program that polls live twice a second costs the meter one command each 10 s', async (t) => {
  const { world, viewer } = await recordedWorld(t);
  for (let minute = 0; minute < 3; minute += 1) {
    const [frames, commands] = [viewer.frames.length, world.meter.log.commands.length];
    const answers = await askEach(world, 500, 60_000, ['/sim-1/live']);
    t.ok(answers.every(({ status }) => status === 200));
    const asked = world.meter.log.commands.slice(commands).filter((text) => text === 'DOD?').length;
    t.ok(asked <= 6, `${asked} times in the minute`);
    t.ok(viewer.frames.length - frames >= LEAST_FRAMES, `${viewer.frames.length - frames} of 600 frames`);
  }
  viewer.socket.terminate();
});

t.test('a person who starts, resets and stops a watched meter reads the new levels at once each time', async (t) => {
  const world = await openWorld(t);
  const viewer = await world.watch('/sim-1/live');
  await world.until('frames', () => viewer.frames.length > 0);
  for (const change of ['start', 'reset', 'reset', 'stop', 'start', 'reset']) {
    await world.passing(world.post(`/sim-1/${change}`));
    const { status, ms } = await timed(world, '/sim-1/live');
    t.ok(status === 200 && ms <= SOON_MS, `live after ${change}: ${status} after ${ms} ms`);
    await world.pass(4_000);
  }
  viewer.socket.terminate();
});

t.test('a program that polls battery beside a stream costs the meter nothing', async (t) => {
  const { world, viewer } = await recordedWorld(t);
  await world.pass(20_000);
  const [frames, commands] = [viewer.frames.length, world.meter.log.commands.length];
  const answers = await askEach(world, 500, 30_000, ['/sim-1/battery']);
  t.ok(answers.every(({ status, ms, body }) => status === 200 && ms === 0 && body.battery_level === '100'));
  t.same(world.meter.log.commands.slice(commands), []);
  t.ok(viewer.frames.length - frames >= 295, `${viewer.frames.length - frames} of 300 frames`);
  viewer.socket.terminate();
});

t.test('all settings are one interruption of the stream, also when its budget is used up', async (t) => {
  const { world, viewer } = await recordedWorld(t);
  for (let turn = 0; turn < 4; turn += 1) await world.get('/sim-1/sleep/status?max_age=0');
  const from = world.meter.log.commands.length;
  const all = await timed(world, '/sim-1/settings/all?max_age=2&timeout_s=60');
  t.notOk(JSON.stringify(all.body).includes('Error'), 'each has its value');
  const sent = world.meter.log.commands.slice(from);
  t.ok(sent.length >= 8, `${sent.length} commands`);
  t.notOk(
    sent.some((text) => text.startsWith('DRD')),
    sent.join(' '),
  );
  viewer.socket.terminate();
});

t.test('levels of 100 ms are never shown as those of the measurement', async (t) => {
  const { world, viewer } = await recordedWorld(t);
  world.meter.instrument.play({ steadyDb: 60 });
  await world.post('/sim-1/start');
  await world.pass(20_000);
  world.meter.instrument.play({ steadyDb: 90 });
  await world.pass(1_000);
  const [last] = viewer.frames.slice(-1);
  t.ok(Number(last.lmin ?? last.lp) > 85, 'the frames have levels of the loud sound only');
  const answers = await askEach(world, 1_000, 30_000, ['/sim-1/live']);
  for (const { body } of answers) {
    const { lmin, leq, measurement_state, levels_age_s } = body.data;
    t.equal(measurement_state, 'Measure');
    t.ok(levels_age_s <= 10, `levels are ${levels_age_s} s old`);
    t.ok(Number(lmin) < 70 && Number(leq) < 89.5, `lmin ${lmin}, leq ${leq}`);
  }
  t.ok(Number(answers.at(-1)?.body.data.lp) > 85, 'Lp is from the newest frame');
  viewer.socket.terminate();
});

t.test(
  'a meter that never answers Type? delays a person by one time limit at most, and gives its stream',
  async (t) => {
    const world = await openWorld(t, { quirks: loadProfile('instant') });
    world.meter.faults.on('no-reply', {}, { matching: 'Type?' });
    await world.put('/sim-1/config', { history: 'stream' });
    const answers = await askEach(world, 5_000, 80_000, CONTRACT);
    for (const { path, status, ms } of answers) {
      t.equal(status, 200, path);
      t.ok(ms <= REPLY_LIMIT_MS + 3_000, `${path} ${ms} ms`);
    }
    const asked = world.meter.log.commands.filter((text) => text === 'Type?');
    t.equal(asked.length, 1, 'the next question for its type comes an hour later');
  },
);
