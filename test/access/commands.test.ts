/** `npm run keys`: keys are made, listed and revoked, in a gateway that runs and in its database without one. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { type CommandIo, create, list, revoke, type Words } from '../../lib/access/commands.ts';
import type { KeyRecord } from '../../lib/access/tables.ts';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings/index.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { withKeys } from '../support/keys.ts';

const KEYS = fileURLToPath(new URL('../../lib/app/keys.ts', import.meta.url));

function setup(t: Test) {
  const said: string[] = [];
  const noted: string[] = [];
  const clock = new VirtualClock();
  const folder = t.testdir({});
  const dataDir = join(folder, 'data');
  const say = (line: string) => void said.push(line);
  const note = (line: string) => void noted.push(line);
  const run = (command: (words: Words, io: CommandIo) => Promise<void>, part: Partial<Words>) =>
    withKeys(dataDir, (admin) => command(words(part), { admin, clock, say, note }), clock);
  const keys = () => withKeys(dataDir, (admin) => admin.keys(), clock);
  const settings = (given: Partial<Settings> = {}) => ({
    port: 0,
    data_dir: dataDir,
    key_file: join(folder, 'key'),
    ...given,
  });
  const start = async (given: Partial<Settings> = {}) => {
    const gateway = await startGateway(settings(given), { clock, log: createLog('silent') });
    await clock.until(gateway.stop());
  };
  return { dataDir, clock, said, noted, run, keys, start };
}
const words = (part: Partial<Words>): Words => ({ name: 'office', role: 'viewer', rest: [], ...part });

t.test('a key is printed once, has 256 random bits, and only its hash is kept', async (t) => {
  const { dataDir, run, said, noted, keys } = setup(t);
  await run(create, { name: 'one' });
  await run(create, { name: 'two' });
  const wanted = noted.filter((line) => /from now on .* everybody for a key.* Make one with the role admin/.test(line));
  t.equal(wanted.length, 1, 'the first one says what it changes');
  const [one = '', two = ''] = said;
  t.match(one, /^slm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  t.not(one, two);
  t.equal(said.length, 2);
  const file = readFileSync(join(dataDir, 'gateway.db'));
  for (const text of [one, two]) t.notOk(file.includes(text.slice(13)), 'the secret part is nowhere in the file');
  t.strictSame(
    (await keys()).map(({ name, role, units }) => [name, role, units]),
    [
      ['one', 'viewer', null],
      ['two', 'viewer', null],
    ],
  );
  t.equal(statSync(join(dataDir, 'gateway.db')).mode & 0o777, 0o600);
});

t.test('units and expiry are kept as they were asked for', async (t) => {
  const { run, keys } = setup(t);
  await run(create, { name: 'a', units: 'roof, cellar,roof', expires: '90d' });
  await run(create, { name: 'b', expires: '12h' });
  await run(create, { name: 'c', expires: '2026-01-31' });
  t.strictSame(
    (await keys()).map(({ units, expires_at }) => [units, expires_at]),
    [
      [['roof', 'cellar'], '2026-03-24T02:00:00.000Z'],
      [null, '2025-12-24T14:00:00.000Z'],
      [null, '2026-01-31T00:00:00.000Z'],
    ],
  );
});

t.test('words that make no key are refused, and no key is made', async (t) => {
  const { run, keys, said } = setup(t);
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
  for (const part of wrong) await t.rejects(run(create, part), { name: 'WrongWords' }, JSON.stringify(part));
  t.strictSame([await keys(), said], [[], []]);
});

t.test('a name can be given again only once its key is gone', async (t) => {
  const { run, keys } = setup(t);
  await run(create, {});
  await t.rejects(run(create, {}), { name: 'WrongWords', message: /has this name/ });
  await run(revoke, { rest: [(await keys())[0]?.id ?? ''] });
  await run(create, {});
  t.equal((await keys()).length, 2);
});

t.test('the list shows standing, and no secret', async (t) => {
  const { run, said, noted, keys, clock } = setup(t);
  await run(list, {});
  t.match(noted, [/There is no API key/]);
  for (const name of ['good', 'gone', 'old']) await run(create, { name, expires: name === 'old' ? '1h' : undefined });
  await run(revoke, { rest: [(await keys())[1]?.id ?? ''] });
  await clock.advance(3_600_000);
  const secrets = said.splice(0);
  await run(list, {});
  t.match(said, [/^ID +NAME +ROLE/, /good +viewer +all +good .*never$/, /gone .*revoked .*never$/, /old .*expired/]);
  for (const secret of secrets) t.notOk(said.join().includes(secret.slice(13)));
});

t.test(
  'while a gateway runs, commands work through it: at once, all of them, and the audit log has them',
  async (t) => {
    const keyed = await openKeyedGateway(t);
    const admin = await keyed.key({ name: 'admin', role: 'admin' });
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        withKeys(keyed.dataDir, (admin) =>
          admin.addKey({ name: `key ${n}`, role: 'viewer', units: null, tags: null, expires_at: null }),
        ),
      ),
    );
    const status = async ({ text }: { text: string }) =>
      (await keyed.ask('GET', '/_session', { headers: { Authorization: `Bearer ${text}` } })).status;
    for (const key of made) t.equal(await status(key), 200);
    const [first = made[0]] = made;
    const id = first?.record.id ?? '';
    await withKeys(keyed.dataDir, (admin) => admin.revokeKey(id));
    t.equal(await status(first ?? { text: '' }), 401);
    await withKeys(keyed.dataDir, (admin) =>
      admin.addPerson({ name: 'Anna', role: 'viewer', units: null, tags: null, until: null, password: null }),
    );
    const { body } = await keyed.ask('GET', '/_audit', { headers: admin.headers });
    const command = { who: 'the command line', key_id: null, status: 200 };
    t.match(body.records.slice(0, 3), [
      { ...command, method: 'POST', route: '/_people', body: { name: 'Anna', role: 'viewer' } },
      { ...command, method: 'DELETE', route: '/_keys/{id}', params: { id } },
      { ...command, method: 'POST', route: '/_keys' },
    ]);
    t.notMatch(JSON.stringify(body), /slm_[0-9a-f]{8}_/);
    t.equal(statSync(join(keyed.dataDir, 'gateway.sock')).mode & 0o777, 0o600);
  },
);

t.test('commands without a gateway are in the audit log of the next gateway', async (t) => {
  const keyed = await openKeyedGateway(t);
  const admin = await keyed.key({ name: 'admin', role: 'admin' });
  await keyed.clock.until(keyed.gateway.stop());
  t.notOk(existsSync(join(keyed.dataDir, 'gateway.sock')));
  const { record } = await withKeys(
    keyed.dataDir,
    (admin) => admin.addKey({ name: 'made meanwhile', role: 'viewer', units: null, tags: null, expires_at: null }),
    keyed.clock,
  );
  await keyed.restart();
  const { body } = await keyed.ask('GET', '/_audit', { headers: admin.headers });
  t.match(body.records[0], {
    who: 'the command line',
    route: '/_keys',
    body: { id: record.id, at: record.created_at },
  });
});

t.test('key files of the last release are taken over once, and kept', async (t) => {
  const { dataDir, keys, start } = setup(t);
  const old = (name: string, content: object) =>
    writeFileSync(join(dataDir, name), JSON.stringify({ version: 1, ...content }), { mode: 0o600 });
  const key = { role: 'viewer', units: ['roof'], hash: 'a'.repeat(64), expires_at: null, revoked_at: null };
  const times = { created_at: '2026-01-01T00:00:00.000Z' };
  mkdirSync(dataDir);
  old('keys.json', {
    keys: [
      { id: '0000000a', name: 'office', ...key, ...times },
      { id: '0000000b', name: 'gone', ...key, ...times, revoked_at: '2026-01-02T00:00:00.000Z' },
    ],
  });
  old('keys-used.json', { used: { '0000000a': '2026-01-03T00:00:00.000Z', '0000000b': 'never' } });
  old('people.json', {
    people: [
      {
        id: '0000000c',
        name: 'Anna',
        role: 'admin',
        units: null,
        password: null,
        stamp: '0'.repeat(16),
        ...times,
      },
    ],
  });
  writeFileSync(join(dataDir, 'keys.json.lock'), '');
  await start();
  const expected: Partial<KeyRecord>[] = [
    { id: '0000000a', name: 'office', units: ['roof'], used_at: '2026-01-03T00:00:00.000Z', revoked_at: null },
    { id: '0000000b', name: 'gone', used_at: null, revoked_at: '2026-01-02T00:00:00.000Z' },
  ];
  t.match(await keys(), expected);
  t.match(await withKeys(dataDir, (admin) => admin.people()), [{ id: '0000000c', name: 'Anna' }]);
  const names = readdirSync(dataDir).filter((name) => /keys|people/.test(name));
  t.strictSame(names.sort(), [
    'keys-made.txt',
    'keys-used.json.taken-over',
    'keys.json.taken-over',
    'people.json.taken-over',
  ]);
  await start();
  t.match(await keys(), expected, 'and not again');
});

t.test('a key file that others can read, or that is none, is refused with what to do', async (t) => {
  const { dataDir, start, keys } = setup(t);
  const path = join(dataDir, 'keys.json');
  mkdirSync(dataDir);
  writeFileSync(path, '{"version":1,"keys":[]}', { mode: 0o600 });
  chmodSync(path, 0o644);
  await t.rejects(start(), { message: /chmod 600/ });
  chmodSync(path, 0o600);
  for (const text of ['', '{', '[]', '{"version":2,"keys":[]}', '{"version":1,"keys":[{"id":"x"}]}']) {
    writeFileSync(path, text);
    await t.rejects(start(), { message: `the API keys in ${path} cannot be used` }, text);
  }
  await t.rejects(keys(), { message: `the API keys in ${path} cannot be used` });
});

t.test('keys that were deleted do not open the gateway again, and the error says how to confirm', async (t) => {
  const { dataDir, run, start } = setup(t);
  await run(create, {});
  for (const name of readdirSync(dataDir)) if (name.startsWith('gateway.db')) rmSync(join(dataDir, name));
  await t.rejects(start(), {
    name: 'SettingsError',
    message: /API keys or people were made here before: .* --role admin --data-dir .* delete .*keys-made\.txt/,
  });
  await start({ insecure_no_auth: true });
  rmSync(join(dataDir, 'keys-made.txt'));
  await start();
  writeFileSync(join(dataDir, 'keys-used.json'), '{}');
  await t.rejects(start(), { message: /keys-used\.json/ }, 'a folder of an older version tells it, too');
});

const isRoot = process.getuid?.() === 0;

t.test('files that root makes belong to the owner of the data folder', { skip: !isRoot && 'needs root' }, async (t) => {
  const { dataDir } = setup(t);
  mkdirSync(dataDir);
  chownSync(dataDir, 4_711, 4_712);
  // Its owner has to reach the folder, too.
  for (let path = dataDir; path !== '/' && (statSync(path).mode & 0o001) === 0; path = resolve(path, '..'))
    if (path !== dataDir) return t.comment(`not tried: ${path} is closed`);
  const env = { ...childEnvironment(), HOME: dataDir, SLM_DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [KEYS, 'create', '--name', 'first', '--role', 'admin'], { env });
  for (const name of readdirSync(dataDir)) t.match(statSync(join(dataDir, name)), { uid: 4_711, gid: 4_712 }, name);
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
  await t.rejects(keys('revoke'), { code: 2 });
});
