/** The clock of a meter is set to the time of its place, to a fraction of a second. The answer has the old time. */
import t from 'tap';
import { endedJob } from '../support/packages.ts';
import { inStore } from '../support/stored.ts';
import { openWorld, type World } from '../support/world.ts';

/** Digits of the clocks of a zone, as if they were UTC, ms. */
const digits = (zone: string, at: number): number => {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(at);
  return Date.parse(`${text.replace(' ', 'T')}Z`);
};
const onMeter = (world: World): number =>
  Date.parse(`${String(world.meter.read('Clock')).replaceAll('/', '-').replace(' ', 'T')}Z`);
/** How far the meter is ahead, from its digits: right to a second. */
const ahead = (world: World, zone: string): number => onMeter(world) - digits(zone, world.clock.now());
t.test('the clock is set to the time of the zone of the unit, allowing for the way there', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 3_560 } });
  await world.put('/sim-1/config', { timezone: 'America/New_York' });
  world.meter.faults.on('latency', { ms: 1_400 });
  const { status, body } = await world.post('/sim-1/clock/sync');
  t.equal(status, 200);
  t.equal(body.data.zone, 'America/New_York');
  t.match(body.data.clock, /^\d{4}\/\d{2}\/\d{2},\d{2}:\d{2}:\d{2}$/);
  t.match(body.message, /^The clock is set; it was [\d.]+ s (ahead|behind)\.$/);
  t.ok(Math.abs(body.data.offset_after_s) <= body.data.uncertainty_s, `${body.data.offset_after_s} s`);
  t.ok(Math.abs(ahead(world, 'America/New_York')) <= 1_000, `${ahead(world, 'America/New_York')} ms`);
  const { clock } = (await world.get('/sim-1/session')).body.data;
  t.ok(Math.abs(clock.offset_s) < 1.5, 'the session compares with the zone of the unit too');
  t.same(world.meter.log.spacingViolations(), []);
  t.match((await world.post('/sim-1/clock/sync')).body.message, 'The clock is set; it was right before.');
});

t.test('both looks at the clock are kept for the times in the files of the card', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 3_560 } });
  await world.put('/sim-1/config', { timezone: 'Asia/Tokyo' });
  await world.post('/sim-1/clock/sync');
  await world.pass(500);
  const rows = (await inStore<{ offset: number }>(world, 'select "offset" from mirror_clock order by at')).map(
    ({ offset }) => ({ offset: Number(offset) }),
  );
  t.ok(rows.length >= 2, 'before it was set, and after; more where a later reading is much surer');
  // Nine hours are those of the zone.
  for (const [index, wanted] of [
    [0, 3_560_000],
    [-1, 9 * 3_600_000],
  ] as const)
    t.ok(Math.abs((rows.at(index)?.offset ?? 0) - wanted) <= 1_000, `${rows.at(index)?.offset} ms`);
});

t.test('a longer rest between commands makes it no later', async (t) => {
  const world = await openWorld(t, { settings: { meter_spacing_ms: 3_300 } });
  world.meter.log.clear();
  const { body } = await world.post('/sim-1/clock/sync');
  t.ok(Math.abs(body.data.offset_after_s) <= body.data.uncertainty_s, `${body.data.offset_after_s} s`);
  t.same(
    world.meter.log.commands.map((text) => text.split(',')[0]),
    ['Clock?', 'Clock', 'Clock', 'Clock?'],
  );
});

t.test('a meter that measures and refuses is 409 in words, and its clock is as it was', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 100, clock_while_measuring: 'refused' } });
  await world.post('/sim-1/start');
  const before = ahead(world, 'UTC');
  const { status, body } = await world.post('/sim-1/clock/sync');
  t.match(
    { status, body },
    { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /Stop the measurement first/ } },
  );
  t.ok(Math.abs(ahead(world, 'UTC') - before) <= 1_000, 'unchanged');
});

t.test('a meter that takes it while it measures is set then, too', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 100, clock_while_measuring: 'done' } });
  await world.post('/sim-1/start');
  t.match(await world.post('/sim-1/clock/sync'), { status: 200 });
});

t.test('a gateway that goes on with a run of a schedule does not set a clock again that is right', async (t) => {
  const world = await openWorld(t, { quirks: { clock_offset_s: 3_560 } });
  const seen = (start: string) => world.meter.log.commands.filter((text) => text.startsWith(start)).length;
  // A database on a busy computer is slow by the clock of the test: there is time until the next run.
  const entries = [{ cron: '*/3 * * * *', action: 'clock_sync' }];
  t.equal((await world.put('/sim-1/schedule', { entries })).status, 200);
  world.meter.log.clear();
  await world.until('it is set', () => seen('Clock,') === 1);
  // The gateway ends before the meter has shown its clock again.
  const slow = world.meter.faults.on('latency', { ms: 60_000 });
  await world.restart(1_000);
  world.meter.faults.off(slow);
  await world.pass(20_000);
  t.equal(seen('Clock,'), 1);
  const jobOf = async () => (await world.get('/sim-1/schedule')).body.data.recent[0]?.job;
  // A busy database takes the run up later.
  for (let tries = 0; tries < 20 && !(await jobOf()); tries += 1) await world.pass(1_000);
  t.match(await endedJob(world, await jobOf()), { state: 'done', message: 'The clock is right.' });
  t.equal(seen('Clock,'), 1);

  // However right it is.
  await world.until('the next run', () => seen('Clock,') === 2);
});
