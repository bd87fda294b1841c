/** A listing names a year or a time of day, never both: a file that it lists otherwise than before is the same file, on the same card. */
import t, { type Test } from 'tap';
import { mirrored } from '../support/packages.ts';
import { openWorld, type World } from '../support/world.ts';

const DAY_MS = 86_400_000;
const STORES = { serial: '00000001', index: 1 };

/** A meter with a card: a day of levels and a longer file of sound. Its clock is so many days ahead. */
async function withCard(t: Test, aheadDays = 0): Promise<World> {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { mirror: { paths: ['/NL-43', '/JOB'], parse: true }, timezone: 'UTC' });
  const now = world.clock.now() + aheadDays * DAY_MS;
  const datetime = new Date(now).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ',');
  if (aheadDays > 0) t.match(await world.put('/sim-1/clock', { datetime }), { status: 200 });
  const startedAt = now - DAY_MS;
  world.meter.card.exchange({ startedAt, stores: STORES });
  world.meter.card.addFolder('/JOB', startedAt);
  world.meter.card.addFile('/JOB/long.wav', { bytes: 200_000, seed: 1 }, startedAt);
  await world.ftpOn();
  return world;
}

const retrieved = (world: World) =>
  world.meter.log.events.filter(
    (event) => event.kind === 'ftp' && 'text' in event && /^> RETR/.test(String(event.text)),
  ).length;

/**
 * The next run, after `meanwhile`, on the same card without changes. Returns its result, and how many files it asked for,
 * whole or in part.
 */
async function staysTheSame(t: Test, world: World, meanwhile: () => Promise<unknown>) {
  t.match(await mirrored(world), { state: 'done', result: { card: 1, growing: 0, stopped: null } });
  const files = (await world.get('/sim-1/files')).body.data.length;
  await meanwhile();
  await world.ftpOn();
  const before = retrieved(world);
  const job = await mirrored(world);
  t.match(job, { state: 'done', result: { card: 1, fetched: 0, replaced: 0, gone: 0, stopped: null } });
  const { data } = (await world.get('/sim-1/files')).body;
  t.equal(data.length, files);
  t.same([...new Set(data.map(({ state }: { state: string }) => state))], ['complete']);
  return { said: job.message, asked: retrieved(world) - before };
}

t.test('files that became half a year old are listed with their year, and are not fetched again', async (t) => {
  const world = await withCard(t);
  const { said, asked } = await staysTheSame(t, world, () => world.restart(200 * DAY_MS));
  t.match(said, /^0 of \d+ files were fetched\.$/);
  t.equal(asked, 1, 'the beginning of one says that it is the same card');
});

t.test(
  'a clock that is years ahead: the year of its files is a guess, and another guess makes no other card',
  async (t) => {
    const world = await withCard(t, 5 * 365 + 40);
    await staysTheSame(t, world, () => world.restart(60 * DAY_MS));
  },
);

t.test('a clock that was years ahead and is set right makes no other card, and no file comes again', async (t) => {
  const world = await withCard(t, 5 * 365 + 40);
  const { said } = await staysTheSame(t, world, () => world.post('/sim-1/clock/sync'));
  t.match(said, / Listed with another year than before, and the same: \d+; the clock of the meter was set/);
  await world.ftpOn();
  const before = retrieved(world);
  t.match(await mirrored(world), { message: /^0 of \d+ files were fetched\.$/, result: { card: 1, fetched: 0 } });
  t.equal(retrieved(world), before, 'it is looked at once');

  await t.test('other bytes of the same size and day are another version', async (t) => {
    const ahead = world.clock.now() + (5 * 365 + 39) * DAY_MS;
    world.meter.card.addFile('/JOB/long.wav', { bytes: 200_000, seed: 2 }, ahead + 365 * DAY_MS);
    t.match(await mirrored(world), { result: { card: 1, fetched: 1, replaced: 1 } });
    const { data } = (await world.get('/sim-1/files/versions?path=/JOB/long.wav')).body;
    t.equal(data.length, 2);
  });
});

t.test(
  'a card with other levels under the same names is another card, also after the clock has been set right',
  async (t) => {
    const world = await withCard(t, 5 * 365 + 40);
    t.match(await mirrored(world), { result: { card: 1 } });
    await world.post('/sim-1/clock/sync');
    world.meter.card.exchange({
      startedAt: world.clock.now() + 40 * DAY_MS - DAY_MS,
      stores: { ...STORES, serial: '00000002' },
    });
    t.match(await mirrored(world), { state: 'done', result: { card: 2 } });
  },
);
