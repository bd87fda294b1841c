/** Clocks of meters are read to a tenth of a second over a slow line. A wrong clock is noticed without a request. */
import t from 'tap';
import { endedJob } from '../support/packages.ts';
import { inStore } from '../support/stored.ts';
import { openWorld, type World } from '../support/world.ts';

const LINE = { link_ms: [50, 50], think_query_ms: [0, 20] } as const;
const offsetOf = async (world: World, unit: string): Promise<number> =>
  (await world.get(`/${unit}/session`)).body.data.clock.offset_s * 1_000;
const METERS = 6;
const CLOSE_MS = 100;

/** Meters whose clocks are set at times that the test knows. How far each is ahead of UTC, ms. */
async function setClocks(world: World): Promise<number[]> {
  const ahead: number[] = [];
  for (const [index, meter] of world.meters.entries()) {
    await world.put(`/sim-${index + 1}/config`, { mirror: { paths: ['/NL-43'], parse: true }, timezone: 'UTC' });
    await world.clock.advance(171);
    meter.set('Clock', '2025/12/24 02:10:55');
    ahead.push(Date.UTC(2025, 11, 24, 2, 10, 55) - world.clock.now());
  }
  return ahead;
}

t.test('the clock behind the times of the card is right to a tenth of a second', async (t) => {
  const world = await openWorld(t, { meters: METERS, quirks: LINE });
  const truth = await setClocks(world);
  const jobs: string[] = [];
  for (const meter of world.meters) meter.set('FTP', 'On');
  await world.pass(5_000);
  for (let unit = 1; unit <= METERS; unit++) jobs.push((await world.post(`/sim-${unit}/mirror`)).body.job);
  for (const job of jobs) t.match(await endedJob(world, job), { state: 'done' });
  for (const [index, ahead] of truth.entries()) {
    const [last] = await inStore<{ offset: number; uncertainty: number }>(
      world,
      `select "offset", uncertainty from mirror_clock where unit_id = 'sim-${index + 1}' order by at desc limit 1`,
    );
    const [offset, uncertainty] = [Number(last?.offset), Number(last?.uncertainty)];
    t.ok(Math.abs(offset - ahead) <= CLOSE_MS, `${offset} ms for ${ahead} ms`);
    t.ok(Math.abs(offset - ahead) <= uncertainty && uncertainty <= 150, `within ${uncertainty} ms`);
    t.same(world.meters[index]?.log.spacingViolations(), []);
  }
});

t.test('the frames of a stream bring the clock, and nobody asks for it', async (t) => {
  const world = await openWorld(t, { meters: METERS, quirks: LINE });
  const truth = await setClocks(world);
  for (let unit = 1; unit <= METERS; unit++) await world.watch(`/sim-${unit}/live`);
  await world.pass(6_000);
  for (const [index, ahead] of truth.entries()) {
    const offset = await offsetOf(world, `sim-${index + 1}`);
    t.ok(Math.abs(offset - ahead) <= CLOSE_MS, `${offset} ms for ${ahead} ms`);
    t.notOk(world.meters[index]?.log.commands.includes('Clock?'));
  }
});

t.test('the list of units has the clock of each meter, and _live tells when it changes', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 7_200 } });
  const listed = async () => (await world.get('/_status')).body.data[0].clock;
  const clocks = () =>
    client.messages.flatMap(({ event, data }) => (event === 'state' && data.clock ? [data.clock] : []));
  const client = await world.watch('/_live?events=state');
  await world.until('the hello', () => client.messages.length > 0);
  t.equal(client.messages[0].data[0].clock, null);
  await world.get('/sim-1/clock');
  await world.until('the clock', () => clocks().length > 0);
  const { clock } = (await world.get('/sim-1/session')).body.data;
  t.same(await listed(), clock, 'as GET session has it');
  t.match(clocks().at(-1), { offset_s: Number, uncertainty_s: Number, measured_at: String });
  t.ok(Math.abs(clocks().at(-1).offset_s - 7_200) < 2, `${clocks().at(-1).offset_s} s`);
  await world.post('/sim-1/clock/sync');
  await world.until('the clock that was set', () => Math.abs(clocks().at(-1).offset_s) < 2);
  t.ok(Math.abs((await listed()).offset_s) < 2);
});

t.test('a clock that is six hours wrong is noticed, although nobody asks for it', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 6 * 3_600 } });
  await world.put('/sim-1/config', { timezone: 'UTC' });
  await world.pass(5_000);
  t.equal((await world.get('/sim-1/session')).body.data.clock, null);
  await world.clock.advance(590_000);
  await world.pass(30_000);
  t.ok(Math.abs((await offsetOf(world, 'sim-1')) - 6 * 3_600_000) <= 500, `${await offsetOf(world, 'sim-1')} ms`);
  const asked = () => world.meter.log.commands.filter((text) => text === 'Clock?').length;
  const before = asked();
  t.ok(before <= 6, `${before} questions`);
  await world.clock.advance(199_000);
  await world.pass(1_000);
  t.equal(asked(), before, 'and then not until tomorrow');
});
