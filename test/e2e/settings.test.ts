/** All settings at once: eleven keys in order, each with its own failure. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const KEYS = [
  ...['measurement_state', 'frequency_weighting', 'time_weighting', 'measurement_time', 'leq_interval', 'lp_interval'],
  ...['index_number', 'battery_level', 'clock', 'sleep_mode', 'ftp_status'],
];

t.test('all eleven are read, each as its own GET shows it', async (t) => {
  const world = await openWorld(t);
  world.meter.turn('Frequency Weighting (Main)', 'C');
  world.meter.turn('Store Name', '0042');
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

t.test('one setting that fails is a text, and the others are there', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('answer', { result: 'R+0003' }, { matching: 'Lp Store Interval' });
  const { status, body } = await world.get('/sim-1/settings/all');
  t.equal(status, 200);
  t.match(body.settings.lp_interval, /^Error: .+/);
  t.same(
    Object.entries<string>(body.settings)
      .filter(([, value]) => value.startsWith('Error'))
      .map(([name]) => name),
    ['lp_interval'],
  );
});

t.test('one setting that is never answered is a text, and the others are there', async (t) => {
  const world = await openWorld(t);
  world.meter.faults.on('silence', {}, { matching: 'Clock', times: 1 });
  const { body } = await world.get('/sim-1/settings/all');
  t.match(body.settings, { clock: /^Error: .*ms/, battery_level: '100', ftp_status: /^(On|Off)$/ });
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
  const world = await openWorld(t);
  world.meter.faults.on('silence');
  const began = world.clock.elapsed();
  const { status, body } = await world.get('/sim-1/settings/all');
  t.equal(status, 200);
  for (const value of Object.values<string>(body.settings)) t.match(value, /^Error: .+/);
  t.ok(world.clock.elapsed() - began < 25_000, `${world.clock.elapsed() - began} ms`);
});
