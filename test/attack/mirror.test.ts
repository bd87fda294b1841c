/** A card that lies: sizes, names, files that grow for ever. The mirror ends, keeps what it can prove, and writes nowhere else. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, property, string } from 'fast-check';
import t from 'tap';
import { copyPlaceOf } from '../../plugins/mirror/places.ts';
import { mirrored } from '../support/packages.ts';
import { openWorld, type World } from '../support/world.ts';

const files = async (world: World) => (await world.get('/sim-1/files')).body.data;

t.test('sizes that lie, files without an end and names that lead away harm nothing', async (t) => {
  const world = await openWorld(t);
  const { card, faults } = world.meter;
  await world.put('/sim-1/config', { mirror: { paths: ['/JOB'], parse: true } });
  const names = ['a.rnd', 'A.RND', 'con', 'x.half', '%2e%2e%2fx', '..rnd', '-rf', 'a;b', '$(x)'];
  for (const [seed, name] of names.entries()) card.addFile(`/JOB/${name}`, { bytes: 40_000, seed }, world.clock.now());
  await world.ftpOn();

  faults.on('ftp-wrong-size', { off_by: 500 });
  t.match(await mirrored(world), { state: 'failed', error: { code: 'FTP_FAILED' } }, 'fewer bytes than listed');
  t.notOk((await files(world)).some(({ state }: { state: string }) => state === 'complete'));
  faults.clear();

  faults.on('ftp-growing', { bytes: 1_000 });
  t.match(await mirrored(world), { state: 'done', result: { growing: names.length } });
  t.notOk(
    (await files(world)).some(({ state }: { state: string }) => state === 'complete'),
    'none is called complete',
  );
  faults.clear();

  faults.on('ftp-hostile-names', {});
  t.match(await mirrored(world), { state: 'done' });
  const kept = await files(world);
  const whole = kept.filter(({ state }: { state: string }) => state === 'complete');
  t.same(whole.map(({ path }: { path: string }) => path).sort(), names.map((name) => `/JOB/${name}`).sort());
  const folder = join(world.dataDir, 'data', 'plugins', 'mirror');
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of all)
    t.match(entry.name, entry.isDirectory() ? /^[0-9a-f]{2}$/ : /^[0-9a-f]{40}(\.half|\.[0-9a-f]{64})?$/);
});

t.test('no path on a card leads out of the folder of copies; twins in case or accents are two files', (t) => {
  const inside = (path: string) =>
    /^\/copies\/[0-9a-f]{2}\/[0-9a-f]{40}$/.test(copyPlaceOf('/copies', 'roof', 1, path).whole);
  assert(property(string({ unit: 'binary' }), inside));
  for (const path of ['/../../etc/passwd', '..', '/', '', 'C:\\x', '/a\u0000b', '/\ud800'])
    t.ok(inside(path), JSON.stringify(path));
  const twins = ['/A.rnd', '/a.rnd', '/caf\u00e9', '/cafe\u0301', '/CAF\u00c9', '/a.rnd '];
  t.equal(new Set(twins.map((path) => copyPlaceOf('/copies', 'roof', 1, path).id)).size, twins.length);
  t.not(copyPlaceOf('/copies', 'roof', 1, '/a').id, copyPlaceOf('/copies', 'roof', 2, '/a').id, 'another card');
  t.end();
});
