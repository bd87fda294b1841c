/** Somebody changes the weighting at the keys of the meter: what was stored with the old one since nobody looked is doubtful, and says so. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

const iso = (ms: number) => new Date(ms).toISOString();

t.test('levels since the last confirmation get a flag when the meter is found with another weighting', async (t) => {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream', timezone: 'UTC' });
  await world.until('frames', () => world.meter.log.commands.some((command) => command.startsWith('DRD?')));
  const recording = async () => (await world.get('/sim-1/history/extent')).body.data.recording;
  const confirmed = Date.parse((await recording()).weighting_confirmed_at);
  t.ok(Math.abs(confirmed - world.clock.now()) < 30_000);
  await world.pass(40_000);
  const pressed = Math.ceil(world.clock.now() / 1_000) * 1_000;
  world.meter.set('Frequency Weighting (Main)', 'C');
  await world.pass(70_000);
  await world.gateway.history.flush();
  const rows = async (from: number, to: number, more = '') => {
    const query = `from=${iso(Math.floor(from / 1_000) * 1_000)}&to=${iso(Math.floor(to / 1_000) * 1_000)}&step=10s${more}`;
    const { data } = (await world.get(`/sim-1/history?${query}`)).body;
    return data.rows.map((row: unknown[]) => row[data.columns.indexOf('quality')]);
  };
  t.strictSame(
    [...new Set(await rows(pressed, pressed + 60_000))],
    ['measured'],
    'before anybody looks it seems right',
  );
  const isFound = () =>
    world.meter.log.commands.filter((command) => command.startsWith('Frequency Weighting')).length > 1;
  for (let passed = 0; passed < 320_000 && !isFound(); passed += 5_000) await world.pass(5_000);
  t.ok(
    world.clock.now() - pressed < 310_000,
    'at the latest five minutes after the last one, while it does not measure',
  );
  await world.pass(5_000);
  t.match(await recording(), { weighting: { frequency: 'C' } });
  const old = '&frequency_weighting=A&time_weighting=F';
  t.strictSame(
    [...new Set(await rows(pressed, pressed + 60_000, old))],
    ['flagged'],
    'what was measured at C says that it may be',
  );
  t.strictSame(
    [...new Set(await rows(confirmed + 10_000, pressed, old))],
    ['flagged'],
    'and so does all since the confirmation',
  );
  const report = (await world.get(`/sim-1/report?from=${iso(pressed)}&to=${iso(pressed + 60_000)}`)).body;
  t.match(report, /with a weighting that may be another one/);
});
