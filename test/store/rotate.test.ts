/** A new key for the credentials: nothing of the old one stays behind, and no moment of a crash loses them. */
import { randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { rotateKeyFile, rotateStoredSecrets } from '../../lib/store/index.ts';
import { keyFromText } from '../../lib/store/keys.ts';
import { openDatabase } from '../../lib/store/sqlite.ts';
import { CANARY_PASSWORD, CANARY_USER, config, folder } from './setup.ts';

type Place = ReturnType<typeof folder>;

/** A closed store with 30 units. */
async function filled(place: Place): Promise<void> {
  const store = await place.open();
  for (let i = 0; i < 30; i += 1) await store.configs.change(`unit-${i}`, () => config(`unit-${i}`));
  await store.configs.change('bare', () => config('bare', { ftpUsername: null, ftpPassword: null }));
  await store.close();
}

async function sealedTexts(place: Place): Promise<string[]> {
  const database = await openDatabase(place.dataDir, place);
  const rows = await database.configs();
  await database.close();
  return rows
    .flatMap(({ ftpUsername, ftpPassword }) => [ftpUsername, ftpPassword])
    .filter((text) => typeof text === 'string');
}

async function bytesOf(folder: string): Promise<Buffer> {
  const names = await readdir(folder);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
}

t.test('secrets of plugins get the new key, too, and are never in the file as text', async (t) => {
  const place = folder(t);
  const store = await place.open();
  await store.secrets('alerts').put('target-1', 'canary-secret-5d1e');
  await store.close();
  t.equal((await rotateKeyFile(place)).resealed, 1);
  t.notOk((await bytesOf(place.dataDir)).includes('canary-secret-5d1e'));
  const again = await place.open();
  t.equal(await again.secrets('alerts').get('target-1'), 'canary-secret-5d1e');
  t.equal(await again.secrets('other').get('target-1'), undefined, 'a plugin has its own alone');
  await again.secrets('alerts').remove('target-1');
  t.equal(await again.secrets('alerts').get('target-1'), undefined);
});

async function isWhole(place: Place): Promise<boolean> {
  const store = await place.open();
  const all = store.configs.list().filter(({ unitId }) => unitId !== 'bare');
  await store.close();
  return (
    all.length === 30 &&
    all.every(({ ftpUsername, ftpPassword }) => ftpUsername === CANARY_USER && ftpPassword === CANARY_PASSWORD)
  );
}

t.test(
  'after a rotation the new key opens everything, the old one nothing, and no old text is on the disk',
  async (t) => {
    const place = folder(t);
    await filled(place);
    const oldKey = await readFile(place.keyFile);
    const before = await sealedTexts(place);
    t.same(await rotateKeyFile(place), { resealed: 60, damaged: 0 });
    t.notSame(await readFile(place.keyFile), oldKey);
    t.equal(((await readFile(place.keyFile, 'utf8')).trim().match(/^[0-9a-f]{64}$/) ?? []).length, 1);
    const bytes = await bytesOf(place.dataDir);
    t.equal(before.length, 60);
    t.notOk(
      before.some((text) => bytes.includes(text)),
      'what was sealed with the old key is gone',
    );
    t.ok(await isWhole(place));
    await writeFile(place.keyFile, oldKey);
    await t.rejects(place.open(), { name: 'StoreError', problem: 'key' });
  },
);

t.test('cut off before the commit: the old key goes on, and the next rotation is a whole one', async (t) => {
  const place = folder(t);
  await filled(place);
  await writeFile(`${place.keyFile}.next`, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  t.ok(await isWhole(place));
  t.match(await rotateKeyFile(place), { resealed: 60 });
  t.ok(await isWhole(place));
});

/** The state of the disk between the commit and the replacement of the key file. */
async function cutOffAfterCommit(place: Place): Promise<void> {
  await filled(place);
  await copyFile(place.keyFile, `${place.keyFile}.old`);
  await rotateKeyFile(place);
  await rename(place.keyFile, `${place.keyFile}.next`);
  await rename(`${place.keyFile}.old`, place.keyFile);
}

t.test('cut off after the commit: the next start completes it', async (t) => {
  const place = folder(t);
  await cutOffAfterCommit(place);
  t.ok(await isWhole(place));
  t.notOk((await readdir(join(place.keyFile, '..'))).includes('gateway.key.next'), 'the draft is the key file now');
  t.ok(await isWhole(place));
});

t.test('cut off after the commit: the next rotation completes it, too', async (t) => {
  const place = folder(t);
  await cutOffAfterCommit(place);
  t.match(await rotateKeyFile(place), { resealed: 60, damaged: 0 });
  t.ok(await isWhole(place));
});

t.test('a commit that fails changes nothing', async (t) => {
  const place = folder(t);
  await filled(place);
  await t.rejects(rotateStoredSecrets({ dataDir: place.dataDir, oldKey: randomBytes(32), newKey: randomBytes(32) }), {
    name: 'StoreError',
    problem: 'key',
  });
  t.ok(await isWhole(place));
});

t.test('while a gateway runs on the database there is no rotation', async (t) => {
  const place = folder(t);
  await filled(place);
  await place.open();
  await t.rejects(rotateKeyFile(place), { name: 'StoreError', problem: 'in-use' });
});

t.test('without a database there is nothing to rotate, and none is made', async (t) => {
  const place = folder(t);
  await t.rejects(rotateKeyFile(place), { name: 'StoreError', problem: 'folder' });
});

t.test('keys that are texts of the environment are rotated by their values', async (t) => {
  const place = folder(t);
  const [old, next] = ['an old text of the operator', 'a new text of the operator'];
  const store = await place.open({ secretKey: old });
  await store.configs.change('roof', () => config('roof'));
  await store.close();
  const keys = { oldKey: await keyFromText(old), newKey: await keyFromText(next) };
  t.match(await rotateStoredSecrets({ dataDir: place.dataDir, ...keys }), { resealed: 2 });
  const again = await place.open({ secretKey: next });
  t.equal(again.configs.get('roof')?.ftpPassword, CANARY_PASSWORD);
});
