import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import type { CommandIo, Words } from '../../lib/access/command-words.ts';
import { create, list, revoke } from '../../lib/access/commands.ts';
import { withLock } from '../../lib/access/file-lock.ts';
import { openAccess } from '../../lib/access/index.ts';
import { keyFileIn, readKeyFile } from '../../lib/access/key-file.ts';
import { sleep } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { type Settings, settingsFrom } from '../../lib/settings/index.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { childEnvironment } from '../support/child-environment.ts';

const KEYS = fileURLToPath(new URL('../../lib/app/keys.ts', import.meta.url));

function setup(t: Test) {
  const said: string[] = [];
  const noted: string[] = [];
  const clock = new VirtualClock();
  const io: CommandIo & { clock: VirtualClock } = {
    dataDir: join(t.testdir(), 'data'),
    clock,
    say: (line) => void said.push(line),
    note: (line) => void noted.push(line),
  };
  const keys = () => readKeyFile(keyFileIn(io.dataDir));
  return { io, said, noted, keys };
}
const words = (part: Partial<Words>): Words => ({ name: 'office', role: 'viewer', rest: [], ...part });

t.test('a key is printed once, has 256 random bits, and only its hash is kept', async (t) => {
  const { io: at, said, noted, keys } = setup(t);
  await create(words({ name: 'one' }), at);
  await create(words({ name: 'two' }), at);
  const wanted = noted.filter((line) => /from now on .* everybody for a key.* Make one with the role admin/.test(line));
  t.equal(wanted.length, 1, 'the first one says what it changes');
  const [one = '', two = ''] = said;
  t.match(one, /^slm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  t.not(one, two);
  t.equal(said.length, 2);
  const file = readFileSync(keyFileIn(at.dataDir), 'utf8');
  for (const text of [one, two]) t.notOk(file.includes(text.slice(13)), 'the secret part is nowhere in the file');
  t.strictSame(
    keys().map(({ name, role, units }) => [name, role, units]),
    [
      ['one', 'viewer', null],
      ['two', 'viewer', null],
    ],
  );
  t.equal(statSync(keyFileIn(at.dataDir)).mode & 0o777, 0o600);
});

t.test('units and expiry are kept as they were asked for', async (t) => {
  const { io: at, keys } = setup(t);
  await create(words({ name: 'a', units: 'roof, cellar,roof', expires: '90d' }), at);
  await create(words({ name: 'b', expires: '12h' }), at);
  await create(words({ name: 'c', expires: '2026-01-31' }), at);
  t.strictSame(
    keys().map(({ units, expires_at }) => [units, expires_at]),
    [
      [['roof', 'cellar'], '2026-03-24T02:00:00.000Z'],
      [null, '2025-12-24T14:00:00.000Z'],
      [null, '2026-01-31T00:00:00.000Z'],
    ],
  );
});

t.test('words that make no key are refused and leave no file', async (t) => {
  const { io: at, keys, said } = setup(t);
  const wrong: Partial<Words>[] = [
    { name: undefined },
    { name: '' },
    { name: 'a\nb' },
    { name: 'x'.repeat(65) },
    { role: undefined },
    { role: 'root' },
    { role: '__proto__' },
    { units: '' },
    { units: 'roof,../x' },
    { expires: '0d' },
    { expires: '90' },
    { expires: '2020-01-01' },
    { expires: '2026-02-31x' },
    { rest: ['more'] },
  ];
  for (const part of wrong) await t.rejects(create(words(part), at), { name: 'WrongWords' }, JSON.stringify(part));
  t.strictSame([keys(), said], [[], []]);
});

t.test('a name can be given again only once its key is gone', async (t) => {
  const { io: at, keys } = setup(t);
  await create(words({}), at);
  await t.rejects(create(words({}), at), { message: /has this name/ });
  await revoke(words({ rest: [keys()[0]?.id ?? ''] }), at);
  await create(words({}), at);
  t.equal(keys().length, 2);
});

t.test('the list shows standing and last use, and no secret', async (t) => {
  const { io: at, said, noted, keys } = setup(t);
  await list(words({}), at);
  t.match(noted, [/There is no API key/]);
  for (const name of ['good', 'gone', 'old'])
    await create(words({ name, expires: name === 'old' ? '1h' : undefined }), at);
  const [good, gone] = keys();
  await revoke(words({ rest: [gone?.id ?? ''] }), at);
  await at.clock.advance(3_600_000);
  writeFileSync(
    join(at.dataDir, 'keys-used.json'),
    JSON.stringify({ used: { [good?.id ?? '']: '2025-12-24T02:30:00.000Z' } }),
  );
  const secrets = said.splice(0);
  await list(words({}), at);
  t.match(said, [/^ID +NAME +ROLE/, /good +viewer +all +good .*02:30:00/, /gone .*revoked .*never$/, /old .*expired/]);
  for (const secret of secrets) t.notOk(said.join().includes(secret.slice(13)));
});

t.test('revoking needs a key that is there', async (t) => {
  const { io: at } = setup(t);
  await t.rejects(revoke(words({}), at), { name: 'WrongWords' });
  await t.rejects(revoke(words({ rest: ['01234567'] }), at), { message: /there is no key 01234567/ });
});

t.test('changes at the same time are all kept', async (t) => {
  const { io: at, keys } = setup(t);
  const many = Array.from({ length: 12 }, (_, index) => create(words({ name: `key ${index}` }), at));
  await at.clock.until(Promise.all(many));
  t.equal(keys().length, 12);
});

t.test('a lock file that a dead process left behind holds up nobody, and is not taken by two', async (t) => {
  const { io: at, keys } = setup(t);
  const lock = `${keyFileIn(at.dataDir)}.lock`;
  mkdirSync(at.dataDir);
  writeFileSync(lock, '');
  const old = at.clock.now() / 1_000 - 60;
  utimesSync(lock, old, old);
  let inside = 0;
  let most = 0;
  const change = () =>
    withLock(lock, at.clock, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(at.clock, 10_500);
      inside -= 1;
    });
  await at.clock.until(Promise.all([change(), change()]));
  t.equal(most, 1, 'however long the first one takes');
  await create(words({}), at);
  t.equal(keys().length, 1);
});

t.test('a lock that is held without end is an error that names it', async (t) => {
  const { io: at } = setup(t);
  mkdirSync(at.dataDir);
  const lock = `${keyFileIn(at.dataDir)}.lock`;
  const ending = Promise.withResolvers<void>();
  const held = withLock(lock, at.clock, () => ending.promise);
  await t.rejects(at.clock.until(create(words({}), at)), {
    message: /cannot be changed: another program holds .*lock/,
  });
  ending.resolve();
  await held;
});

t.test('keys that were deleted do not open the gateway again, and the error says how to confirm', async (t) => {
  const { io: at } = setup(t);
  await create(words({}), at);
  rmSync(keyFileIn(at.dataDir));
  const open = (given: Partial<Settings> = {}) =>
    openAccess(settingsFrom({ data_dir: at.dataDir, ...given }, { env: {}, home: '/' }), at.clock, createLog('silent'));
  t.throws(() => open(), {
    name: 'SettingsError',
    message: /API keys were made here before: .* delete .*keys-made\.txt/,
  });
  t.doesNotThrow(() => open({ insecure_no_auth: true }));
  rmSync(join(at.dataDir, 'keys-made.txt'));
  t.doesNotThrow(() => open(), 'confirmed');
  writeFileSync(join(at.dataDir, 'keys-used.json'), '{}');
  t.throws(() => open(), { message: /keys-used\.json/ }, 'a folder of an older version tells it, too');
});

t.test('a key file that others can read, or that is none, is refused with what to do', async (t) => {
  const { io: at } = setup(t);
  await create(words({}), at);
  const path = keyFileIn(at.dataDir);
  chmodSync(path, 0o644);
  t.throws(() => readKeyFile(path), { message: /chmod 600/ });
  chmodSync(path, 0o600);
  for (const text of ['', '{', '[]', '{"version":2,"keys":[]}', '{"version":1,"keys":[{"id":"x"}]}']) {
    writeFileSync(path, text);
    t.throws(() => readKeyFile(path), { message: `the API keys in ${path} cannot be used` }, text);
  }
});

t.test('keys that cannot be reached are told apart from the key file of the credentials', async (t) => {
  const { io: at } = setup(t);
  const path = keyFileIn(at.dataDir);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  await t.rejects(create(words({}), at), { message: `the API keys in ${path} cannot be used: ` });
  const inFile = { ...at, dataDir: fileURLToPath(import.meta.url) };
  await t.rejects(create(words({}), inFile), { message: /^the API keys in .* cannot be changed: / });
});

const isRoot = process.getuid?.() === 0;

t.test('a key made by root belongs to the owner of the data folder', { skip: !isRoot && 'needs root' }, async (t) => {
  const { io: at } = setup(t);
  mkdirSync(at.dataDir);
  chownSync(at.dataDir, 4_711, 4_712);
  await create(words({}), at);
  t.match(statSync(keyFileIn(at.dataDir)), { uid: 4_711, gid: 4_712 });
});

t.test('keys of another user: the error says who has to run this', { skip: isRoot && 'root may all' }, async (t) => {
  const { io: at } = setup(t);
  await create(words({}), at);
  const path = keyFileIn(at.dataDir);
  chmodSync(path, 0o000);
  t.throws(() => readKeyFile(path), { message: /cannot be used: .*; this file must belong to the user that the/ });
});

t.test('a gateway that lacks a key names the command that makes one where it will look', async (t) => {
  const { io: at } = setup(t);
  const open = (given: Partial<Settings>) => () =>
    openAccess(settingsFrom({ auth: 'required', ...given }, { env: {}, home: '/' }), at.clock, createLog('silent'));
  t.throws(open({ data_dir: at.dataDir }), { message: `--role admin --data-dir ${at.dataDir}` });
  t.throws(open({ data_dir: 'elsewhere' }), { message: `--data-dir ${resolve('elsewhere')}` });
});

t.test('the process prints the key alone on standard output and tells wrong words by exit code 2', async (t) => {
  const run = promisify(execFile);
  const env = { ...childEnvironment(), HOME: t.testdir(), SLM_DATA_DIR: join(t.testdir(), 'data') };
  const keys = (...args: string[]) => run(process.execPath, [KEYS, ...args], { env });
  const made = await keys('create', '--name', 'first', '--role', 'admin');
  t.match(made.stdout, /^slm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}\n$/);
  t.match(made.stderr, /"first" is made: admin, all units, never expires/);
  const listed = await keys('list', '--data-dir', env.SLM_DATA_DIR);
  t.match(listed.stdout, /first +admin +all +good/);
  await t.rejects(keys('create', '--nmae', 'x'), { code: 2, stderr: /nmae/ });
  await t.rejects(keys('revoke', '01234567'), { code: 1, stderr: /there is no key/ });
});
