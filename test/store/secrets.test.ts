import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { keyFromText } from '../../lib/store/keys.ts';
import { createSealer } from '../../lib/store/secrets.ts';
import { CANARY_PASSWORD, CANARY_USER, config, folder } from './setup.ts';

t.test('no byte of the data folder shows a credential, open or closed', async (t) => {
  const { open, dataDir } = folder(t);
  const store = await open();
  for (let i = 0; i < 20; i += 1) await store.configs.change(`unit-${i}`, () => config(`unit-${i}`));
  await store.configs.change('unit-0', () => config('unit-0', { ftpPort: 2121 }));
  await store.configs.remove('unit-1');
  const search = async () => {
    const files = await readdir(dataDir);
    const bytes = Buffer.concat(await Promise.all(files.map((name) => readFile(join(dataDir, name)))));
    t.ok(bytes.includes('192.0.2.7'), 'the search does find what is stored in the open');
    for (const secret of [CANARY_PASSWORD, CANARY_USER])
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64').slice(0, 20),
        Buffer.from(secret).toString('hex'),
      ])
        t.notOk(bytes.includes(form), `${form} is not there`);
    return files;
  };
  t.ok((await search()).includes('gateway.db-wal'));
  await store.close();
  await search();
});

t.test('equal values are sealed differently, and open only at their place and unchanged', async (t) => {
  const sealer = createSealer(randomBytes(32));
  const sealed = sealer.seal('roof', 'ftpPassword', 'grüß 0000');
  t.match(sealed, /^v1:[\w-]{16}:[\w-]+$/);
  t.not(sealer.seal('roof', 'ftpPassword', 'grüß 0000'), sealed);
  t.equal(sealer.open('roof', 'ftpPassword', sealed), 'grüß 0000');
  t.throws(() => sealer.open('gate', 'ftpPassword', sealed), 'another unit');
  t.throws(() => sealer.open('roof', 'ftpUsername', sealed), 'another field');
  t.throws(() => createSealer(randomBytes(32)).open('roof', 'ftpPassword', sealed), 'another key');
  const [version, nonce, box] = sealed.split(':') as [string, string, string];
  const flipped = Buffer.from(box, 'base64url');
  flipped[0] = (flipped[0] ?? 0) ^ 1;
  for (const bad of [
    `${version}:${nonce}:${flipped.toString('base64url')}`,
    `${version}:${nonce}:${box.slice(0, 8)}`,
    `v2:${nonce}:${box}`,
    `${version}:${nonce}`,
    `${sealed}:more`,
    '',
  ])
    t.throws(() => sealer.open('roof', 'ftpPassword', bad), bad);
});

t.test('SLM_SECRET_KEY is hex or base64 of 32 bytes, or a text that is stretched', async (t) => {
  const key = randomBytes(32);
  t.same(await keyFromText(key.toString('hex')), key);
  t.same(await keyFromText(` ${key.toString('base64')}\n`), key);
  t.same(await keyFromText(key.toString('base64url')), key);
  const text = 'sixteen letters!';
  const stretched = await keyFromText(text);
  t.equal(stretched.length, 32);
  t.same(await keyFromText(text), stretched, 'the same on every start');
  t.notSame(await keyFromText(`${text}!`), stretched);
  await t.rejects(keyFromText('fifteen letters'), { name: 'StoreError', problem: 'key', message: /at least 16/ });
});

t.test('a lost key file is not replaced by a new one while there are sealed values', async (t) => {
  const { open, keyFile } = folder(t);
  await (await open()).close();
  await unlink(keyFile);
  await t.rejects(open(), { problem: 'key', message: /missing.*put the file back/ });
  await t.rejects(stat(keyFile), { code: 'ENOENT' });
});

t.test('the key file is made once, whole, for its owner alone, with its folders', async (t) => {
  const { open, keyFile, dataDir } = folder(t);
  await (await open()).close();
  const key = await readFile(keyFile, 'utf8');
  t.match(key, /^[0-9a-f]{64}\n$/);
  t.equal((await stat(keyFile)).mode & 0o777, 0o600);
  t.equal((await stat(dirname(keyFile))).mode & 0o777, 0o700);
  t.same(await readdir(dirname(keyFile)), ['gateway.key'], 'nothing is left beside it');
  await (await open()).close();
  t.equal(await readFile(keyFile, 'utf8'), key);
  const others = await Promise.all(
    [1, 2].map((n) => open({ dataDir: `${dataDir}-${n}`, keyFile: `${keyFile}.shared` })),
  );
  t.equal(others.length, 2, 'two first starts at once agree on one key');
});

t.test('a key file that others can read is refused, with the command that cures it', async (t) => {
  const { open, keyFile } = folder(t);
  await (await open()).close();
  for (const mode of [0o640, 0o604]) {
    await chmod(keyFile, mode);
    await t.rejects(open(), { problem: 'key', message: `chmod 600 ${keyFile}` });
  }
});

t.test('a key file in the data folder is refused, also through a link', async (t) => {
  const { open, home, dataDir } = folder(t);
  await t.rejects(open({ keyFile: join(dataDir, 'gateway.key') }), {
    problem: 'key',
    message: /choose a place outside/,
  });
  await t.rejects(open({ keyFile: join(dataDir, 'deep', 'gateway.key') }), { message: /choose a place outside/ });
  await mkdir(join(home, 'elsewhere'));
  await symlink(dataDir, join(home, 'elsewhere', 'link'));
  await t.rejects(open({ keyFile: join(home, 'elsewhere', 'link', 'gateway.key') }), {
    message: /choose a place outside/,
  });
  await (await open({ keyFile: `${dataDir}-keys/gateway.key` })).close();
});

t.test('a key file with something else in it is not overwritten', async (t) => {
  const { open, keyFile } = folder(t);
  await mkdir(dirname(keyFile), { recursive: true });
  await writeFile(keyFile, 'notes\n', { mode: 0o600 });
  await t.rejects(open(), { problem: 'key', message: /does not hold a key/ });
  t.equal(await readFile(keyFile, 'utf8'), 'notes\n');
});

t.test('a key file at an impossible place is named', async (t) => {
  const { open, home } = folder(t);
  await writeFile(join(home, 'file'), '');
  await t.rejects(open({ keyFile: join(home, 'file', 'gateway.key') }), {
    problem: 'key',
    message: /cannot be reached/,
  });
});
