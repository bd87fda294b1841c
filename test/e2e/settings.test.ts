/** All settings at once: eleven keys in order, each with its own failure. */
import t, { type Test } from 'tap';
import { farEnd, ordinary, type Reaction, refusal } from '../support/far-end.ts';
import { openWorld, type World } from '../support/world.ts';

const KEYS = [
  ...['measurement_state', 'frequency_weighting', 'time_weighting', 'measurement_time', 'leq_interval', 'lp_interval'],
  ...['index_number', 'battery_level', 'clock', 'sleep_mode', 'ftp_status'],
];

t.test('all eleven are read, each as its own GET shows it', async (t) => {
  const world = await openWorld(t);
  world.meter.set('Frequency Weighting (Main)', 'C');
  world.meter.set('Store Name', '0042');
  await world.put('/sim-1/measurement-time', { preset: '12h' });
  const { status, body } = await world.get('/sim-1/settings/all');
  t.equal(status, 200);
  t.same(Object.keys(body.settings), KEYS);
  t.match(body.settings, {
    measurement_state: 'Stop',
    frequency_weighting: 'C',
    time_weighting: 'F',
    measurement_time: '12h',
    leq_interval: '10m',
    lp_interval: '100ms',
    index_number: '0042',
    battery_level: '100',
    clock: /^\d{4}\/\d{2}\/\d{2},\d{2}:\d{2}:\d{2}$/,
    sleep_mode: 'Off',
    ftp_status: world.meter.read('FTP'),
  });
  t.same(world.meter.log.spacingViolations(), []);
});

t.test('operators get their turn in between', async (t) => {
  const world = await openWorld(t);
  const all = world.asked('GET', '/sim-1/settings/all');
  await world.pass(3_000);
  const began = world.clock.elapsed();
  t.equal((await world.post('/sim-1/start')).status, 200);
  t.ok(world.clock.elapsed() - began < 5_000, 'the start did not wait for the rest of the settings');
  t.equal((await world.passing(all)).body.settings.measurement_state, 'Stop');
});

/** A unit `odd` on a meter that is ordinary but for some commands. */
async function oddWorld(t: Test, odd: (line: string) => Reaction | undefined): Promise<World> {
  const end = await farEnd(t, (line) => odd(line) ?? ordinary(line));
  const world = await openWorld(t, { meters: 0 });
  await world.put('/odd/config', end.config);
  return world;
}

t.test('one setting that fails is a text, and the others are there', async (t) => {
  const world = await oddWorld(t, (line) => (line === 'Lp Store Interval?' ? refusal(3) : undefined));
  const { status, body } = await world.get('/odd/settings/all');
  t.equal(status, 200);
  t.match(body.settings.lp_interval, /^Error: .+/);
  t.match(body.settings, {
    measurement_state: 'Stop',
    frequency_weighting: 'A',
    time_weighting: 'F',
    measurement_time: '10m',
    leq_interval: 'Off',
    index_number: '0019',
    battery_level: '100',
    clock: '2025/12/24,02:10:55',
    sleep_mode: 'Off',
    ftp_status: 'On',
  });
});

t.test('one setting that is never answered is a text, and the others are there', async (t) => {
  const world = await oddWorld(t, (line) => (line === 'Clock?' ? 'silence' : undefined));
  const { body } = await world.get('/odd/settings/all');
  t.match(body.settings, { clock: /^Error: .*within 5 s/, battery_level: '100', sleep_mode: 'Off', ftp_status: 'On' });
});

t.test('with the meter gone all fail at once with the same text', async (t) => {
  const world = await openWorld(t);
  await world.get('/sim-1/battery');
  await world.passing(world.meter.stop());
  await world.pass(5_000);
  const began = world.clock.elapsed();
  const { status, body } = await world.get('/sim-1/settings/all');
  t.equal(status, 200);
  t.same(Object.keys(body.settings), KEYS);
  const [first, ...others] = Object.values<string>(body.settings);
  t.match(first, /^Error: .+/);
  for (const other of others) t.equal(other, first);
  t.ok(world.clock.elapsed() - began < 10_000);
});

t.test('with the meter silent it does not wait for a timeout each', async (t) => {
  const world = await oddWorld(t, (line) => (line === 'Sleep Mode,Off' ? undefined : 'silence'));
  const began = world.clock.elapsed();
  const { status, body } = await world.get('/odd/settings/all');
  t.equal(status, 200);
  for (const value of Object.values<string>(body.settings)) t.match(value, /^Error: .+/);
  t.ok(world.clock.elapsed() - began < 20_000, `${world.clock.elapsed() - began} ms`);
});

t.test('the deadline is that of the request: settings that are too late say so, the rest is there', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('latency', { ms: 2_500 });
  for (const [header, limitMs] of [
    [{}, 30_000],
    [{ 'Request-Timeout': '6' }, 6_000],
  ] as const) {
    const began = world.clock.elapsed();
    const { status, body } = await world.ask('GET', '/sim-1/settings/all', { headers: header });
    t.equal(status, 200);
    t.ok(world.clock.elapsed() - began <= limitMs + 200, `${world.clock.elapsed() - began} ms of ${limitMs}`);
    t.match(body.settings, {
      measurement_state: 'Stop',
      ftp_status: `Error: It was not read within ${limitMs / 1_000} s.`,
    });
  }
  t.same(world.meter.log.spacingViolations(), []);
});
