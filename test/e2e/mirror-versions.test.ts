/** Copies of files whose paths are used again: every version stays, says which card it is from, and can be fetched. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { mirrored } from '../support/packages.ts';
import { openWorld, type World } from '../support/world.ts';

const DAY = 86_400_000;
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function mirrorWorld(t: Test, mirror: object = {}): Promise<World> {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { mirror: { paths: ['/JOB'], parse: false, ...mirror } });
  world.meter.card.addFolder('/JOB', world.clock.now());
  await world.ftpOn();
  return world;
}

const versions = async (world: World, path: string) =>
  (await world.get(`/sim-1/files/versions?path=${encodeURIComponent(path)}`)).body.data;

async function content(world: World, path: string, query = '') {
  const url = `${world.base}/sim-1/files/content?path=${encodeURIComponent(path)}${query}`;
  const response = await world.passing(fetch(url));
  return Buffer.from(await world.passing(response.arrayBuffer()));
}

t.test('a path that is used again keeps the bytes that were there before, small files and large ones', async (t) => {
  for (const size of [20_000, 300_000]) {
    const world = await mirrorWorld(t);
    const { card } = world.meter;
    const texts = ['first\r\n', 'other\r\n', 'third\r\n'].map((text) => Buffer.alloc(size, text));
    // One file that stays: it is the same card all the time.
    card.addFile('/JOB/same.rnd', { bytes: 50, seed: 1 }, world.clock.now() - 9 * DAY);
    for (const [at, bytes] of texts.entries()) {
      card.addFile('/JOB/a.rnd', bytes, world.clock.now() - (8 - at) * DAY);
      const { result } = await mirrored(world);
      t.match(result, { fetched: at === 0 ? 2 : 1, replaced: at === 0 ? 0 : 1, card: 1 });
      await world.pass(1_000);
    }
    const all = await versions(world, '/JOB/a.rnd');
    const wanted = texts.toReversed().map((bytes) => hash(bytes));
    t.same(
      all.map(({ sha256 }: { sha256: string }) => sha256),
      wanted,
      'the present one first',
    );
    t.match(all, [
      { card: 1, size, replaced_at: null },
      { card: 1, size, replaced_at: /Z$/ },
      { card: 1, size, replaced_at: /Z$/ },
    ]);
    for (const [at, bytes] of texts.entries())
      t.ok((await content(world, '/JOB/a.rnd', `&sha256=${hash(bytes)}`)).equals(bytes), `version ${at}`);
    const [row] = (await world.get('/sim-1/files')).body.data;
    t.match(row, { path: '/JOB/a.rnd', versions: 3, sha256: wanted[0] });
    t.match(await world.get(`/sim-1/files/content?path=/JOB/a.rnd&sha256=${'0'.repeat(64)}`), {
      status: 404,
      body: { code: 'FILE_NOT_FOUND' },
    });
    t.match(await world.get('/sim-1/files/versions?path=/JOB/none'), { status: 404 });
    // The first bytes come back: one copy of them is enough.
    card.addFile('/JOB/a.rnd', texts[0] ?? Buffer.of(), world.clock.now());
    await mirrored(world);
    t.same(
      (await versions(world, '/JOB/a.rnd')).map(({ sha256 }: { sha256: string }) => sha256).toSorted(),
      wanted.toSorted(),
    );
  }
});

t.test('a file that grew is one version: the newer copy holds the older one', async (t) => {
  const world = await mirrorWorld(t);
  const { card } = world.meter;
  const bytes = Buffer.alloc(90_000, 'row\r\n');
  for (const [at, size] of [30_000, 60_000, 90_000].entries()) {
    card.addFile('/JOB/a.rnd', bytes.subarray(0, size), world.clock.now() - (5 - at) * DAY);
    t.match((await mirrored(world)).result, { fetched: 1, replaced: 0 });
  }
  t.match(await versions(world, '/JOB/a.rnd'), [{ size: 90_000, sha256: hash(bytes) }]);
  const files = await readdir(join(world.dataDir, 'data', 'plugins', 'mirror'), { recursive: true });
  t.equal(files.filter((name) => name.length > 40).length, 1, 'and one file on the disk');
});

t.test('a formatted card on which every path is used again, each for a larger file, is another card', async (t) => {
  const world = await mirrorWorld(t, { paths: ['/NL-43'] });
  const { card } = world.meter;
  const levels = '/NL-43/Auto_0001/Auto_Lp_01/NL_0001_SLM_Lp _0001_0001.rnd';
  const first = Buffer.alloc(30_000, 'of the first card\r\n');
  const second = Buffer.alloc(70_000, 'of the second one\r\n');
  card.addFile(levels, first, world.clock.now() - 2 * DAY);
  t.match((await mirrored(world)).result, { card: 1, fetched: 2 });
  // Formatted; the new file is larger than the old one.
  card.addFile(levels, second, world.clock.now() - DAY);
  t.match((await mirrored(world)).result, { card: 2, fetched: 2, replaced: 0 });
  t.match(await versions(world, levels), [
    { card: 2, sha256: hash(second), replaced_at: null, state: 'complete' },
    { card: 1, sha256: hash(first), replaced_at: null, state: 'gone_from_card' },
  ]);
  t.ok((await content(world, levels, `&sha256=${hash(first)}`)).equals(first));
  // A file that only grew is on the same card.
  card.addFile(levels, Buffer.concat([second, second]), world.clock.now());
  t.match((await mirrored(world)).result, { card: 2, fetched: 1 });
});

t.test('versions that were replaced stay as long as the config says, and count for max_gb', async (t) => {
  const world = await mirrorWorld(t, { keep_replaced_days: 1, max_gb: 0.001 });
  const { card } = world.meter;
  card.addFile('/JOB/same.rnd', { bytes: 50, seed: 1 }, world.clock.now() - 20 * DAY);
  for (const at of [1, 2]) {
    card.addFile('/JOB/a.rnd', { bytes: 400_000, seed: at }, world.clock.now() - (9 - at) * DAY);
    await mirrored(world);
  }
  t.equal((await versions(world, '/JOB/a.rnd')).length, 2);
  card.addFile('/JOB/b.rnd', { bytes: 400_000, seed: 8 }, world.clock.now());
  t.match((await mirrored(world)).result, { stopped: /max_gb/ });
  const { clock } = world;
  const now = clock.now.bind(clock);
  clock.now = () => now() + 3_650 * DAY;
  await mirrored(world);
  clock.now = now;
  t.equal(
    (await versions(world, '/JOB/a.rnd')).length,
    2,
    'a clock that is ten years ahead for a while takes none away',
  );
  await world.clock.advance(1.1 * DAY);
  t.match((await mirrored(world)).result, { fetched: 1, stopped: null });
  t.equal((await versions(world, '/JOB/a.rnd')).length, 1);
});

t.test('a clock that is ten years ahead at each start takes no versions away', async (t) => {
  const world = await mirrorWorld(t, { keep_replaced_days: 30 });
  const { card } = world.meter;
  const { clock } = world;
  const now = clock.now.bind(clock);
  const isAhead = async (work: () => Promise<unknown>) => {
    clock.now = () => now() + 3_650 * DAY;
    await work();
    clock.now = now;
  };
  card.addFile('/JOB/same.rnd', { bytes: 50, seed: 1 }, now() - 20 * DAY);
  const replaced = async (seed: number) => {
    card.addFile('/JOB/a.rnd', { bytes: 400_000, seed }, now() - (9 - seed) * DAY);
    await mirrored(world);
  };
  await replaced(1);
  await replaced(2);
  await isAhead(async () => {
    for (const seed of [3, 4]) await replaced(seed);
  });
  await mirrored(world);
  const kept = await versions(world, '/JOB/a.rnd');
  t.equal(kept.filter(({ state }: { state: string }) => state === 'replaced').length, 3);
  await isAhead(async () => {
    await world.restart(1_000);
    await mirrored(world);
  });
  await mirrored(world);
  t.same(await versions(world, '/JOB/a.rnd'), kept);
});
