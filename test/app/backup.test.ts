/** `slm backup` and `slm restore`: a whole gateway into one file while it works, and back into another folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import tar, { type Headers } from 'tar-stream';
import { startGateway } from '../../lib/app/gateway.ts';
import { type TarEntry, tarOf } from '../../lib/app/tar.ts';
import { createLog } from '../../lib/log.ts';
import { ROOT } from '../../lib/root.ts';
import { slm } from '../cli/setup.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { FakeBrowser, makePeople, PASSWORD } from '../support/people.ts';
import { openWorld } from '../support/world.ts';

const world = await openWorld(t);
const data = join(world.dataDir, 'data');
const folder = t.testdir();
const file = join(folder, 'all.tar.gz');

mkdirSync(join(data, 'plugins/mirror/deep'), { recursive: true });
writeFileSync(join(data, 'plugins/mirror/deep/file'), 'x'.repeat(1_000));
symlinkSync('/etc/hostname', join(data, 'elsewhere'));
// Of a person: it is neither taken for a draft nor left out.
writeFileSync(join(data, 'backup-notes.txt'), 'mine');
world.gateway.history.append({
  unitId: 'sim-1',
  source: 'card',
  weighting: { frequency: 'A', time: 'F' },
  seconds: [{ at: 1_700_000_000, steps: 10, leq: 50, lmax: 51, lmin: 49, lpeak: 60 }],
});
await world.gateway.history.flush();

t.test('a backup of a running gateway is one checked file, for its owner alone', async (t) => {
  const made = await slm(world, `backup ${file}`);
  t.match(made, { code: 0, out: /files, checked/ });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.strictSame(readdirSync(folder), ['all.tar.gz'], 'and nothing else is left');
  await world.until('the copies are gone', () => !readdirSync(data).some((name) => name.startsWith('.backup')));
  t.match(await slm(world, `backup ${file}`), { code: 2, err: /--force/ });
  t.match((await slm(world, `backup ${file} --force --json`)).json, { file, version: String, files: Number });
});

t.test('it holds everything but the key, and any tar can unpack it', async (t) => {
  const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n');
  for (const name of ['gateway.db', 'history.db', 'plugins/mirror/deep/file', 'backup-notes.txt'])
    t.ok(names.includes(name), name);
  t.ok(names.some((name) => name.startsWith('audit/')));
  t.equal(names.at(-1), 'manifest.json');
  t.notOk(names.some((name) => /lock|-wal|-shm|copies|key$/.test(name)));
  t.notOk(names.includes('elsewhere'), 'nor what a link leads to');
  const key = readFileSync(join(world.dataDir, 'key'));
  t.notOk(gunzipSync(readFileSync(file)).includes(key.toString().trim()));
});

t.test('restored into an empty folder it is the gateway that it was', async (t) => {
  const target = join(folder, 'restored');
  t.match(await slm(undefined, `restore ${file} ${target}`), { code: 0, out: /All are unchanged/ });
  t.equal(statSync(target).mode & 0o777, 0o700);
  const gateway = await startGateway({
    port: 0,
    data_dir: target,
    key_file: join(world.dataDir, 'key'),
    allow_loopback_meters: true,
    log_level: 'silent',
  });
  t.teardown(() => gateway.stop());
  t.match(
    gateway.store.configs.get('sim-1'),
    { ftpUsername: 'USER', ftpPassword: '0000' },
    'sealed passwords are opened',
  );
  t.match(await gateway.history.units(), ['sim-1']);
  t.equal(readFileSync(join(target, 'plugins/mirror/deep/file'), 'utf8').length, 1_000);
});

t.test(
  'a session that ends after a backup is not there again after the restore, and no hash of it is in the file',
  async (t) => {
    const keyed = await openKeyedGateway(t, {}, (dataDir, clock) =>
      makePeople(dataDir, clock, [{ name: 'Max', role: 'admin' }]),
    );
    const page = new FakeBrowser(keyed);
    t.equal((await page.signIn({ name: 'Max', password: PASSWORD })).status, 201);
    const answer = await fetch(`${keyed.gateway.baseUrl}/_backup`, { method: 'POST', headers: page.headers });
    t.equal(answer.status, 200);
    const place = t.testdir();
    const [backup, target] = [join(place, 'file'), join(place, 'data')];
    writeFileSync(backup, Buffer.from(await answer.arrayBuffer()));
    t.equal((await page.ask('DELETE', '/_session')).status, 200);
    t.match(await slm(undefined, `restore ${backup} ${target}`), { code: 0 });
    const cookie = page.cookie.split('=')[1] ?? '';
    t.notOk(readFileSync(join(target, 'gateway.db')).includes(createHash('sha256').update(cookie).digest('hex')));
    const { clock } = keyed;
    const key_file = join(keyed.dataDir, '../key');
    const log = createLog('silent');
    keyed.gateway = await clock.until(
      keyed.gateway.stop().then(() => startGateway({ port: 0, data_dir: target, key_file }, { clock, log })),
    );
    t.equal((await page.ask('GET', '/_session')).status, 401);
    t.equal((await page.signIn({ name: 'Max', password: PASSWORD })).status, 201, 'the person is there');
  },
);

t.test('a folder that is there and empty is filled, also one that only leads to another disk', async (t) => {
  const place = t.testdir({ disk: {} });
  symlinkSync(join(place, 'disk'), join(place, 'data'));
  t.match(await slm(undefined, ['restore', file, join(place, 'data')]), { code: 0, out: /All are unchanged/ });
  t.ok(readdirSync(join(place, 'disk')).includes('gateway.db'));
  t.strictSame(
    readdirSync(place).sort(),
    ['data', 'disk'],
    'nothing is made beside it, where another user may own all',
  );
  const empty = t.testdir({ cut: readFileSync(file).subarray(0, -200), data: {} });
  t.match(await slm(undefined, ['restore', join(empty, 'cut'), join(empty, 'data')]), { code: 1 });
  t.strictSame(readdirSync(join(empty, 'data')), [], 'and is empty again where the backup is damaged');
});

t.test('copies that a crash left behind go at the next start, and nothing else', async (t) => {
  mkdirSync(join(data, '.backup-draft-abc'));
  await world.restart(0);
  t.notOk(existsSync(join(data, '.backup-draft-abc')));
  t.ok(existsSync(join(data, 'backup-notes.txt')));
});

t.test('a folder with something in it is left alone', async (t) => {
  const target = t.testdir({ file: '' });
  t.match(await slm(undefined, `restore ${file} ${target}`), { code: 2, err: /is not empty/ });
  t.match(await slm(undefined, ['restore', join(folder, 'none'), target]), { code: 2, err: /there is no file/ });
});

t.test('a backup that is cut off, changed or hostile is refused, and nothing is left of it', async (t) => {
  const tar = gunzipSync(readFileSync(file));
  const changed = Buffer.from(tar);
  changed[600] = (changed[600] ?? 0) ^ 1;
  const hostile = Buffer.from(tar);
  // The name of the first file leads out of the folder; the checksum of the header is not what protects from that.
  hostile.write('../../escaped\0', 0);
  // The last file is the manifest; behind it are zeros.
  const unreadable = Buffer.from(tar);
  unreadable.write('!', tar.lastIndexOf('"format"'));
  const bad: Readonly<Record<string, Buffer>> = {
    cut: readFileSync(file).subarray(0, -200),
    'without end': gzipSync(tar.subarray(0, 5_120)),
    changed: gzipSync(changed),
    hostile: gzipSync(hostile),
    'a manifest that is no JSON': gzipSync(unreadable),
    'no tar': gzipSync(Buffer.alloc(2_048, 'x')),
    'no gzip': Buffer.from('hello'),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    const place = t.testdir();
    writeFileSync(join(place, 'file'), bytes);
    const { code, err } = await slm(undefined, ['restore', join(place, 'file'), join(place, 'a/b')]);
    t.match({ code, err }, { code: 1, err: /cannot be used: / }, name);
    t.notOk(existsSync(join(place, 'a/b')) || existsSync(join(place, 'escaped')), name);
  }
  const newer = Buffer.from(tar);
  newer.write('9', tar.lastIndexOf('"version": "') + '"version": "'.length);
  const place = t.testdir();
  writeFileSync(join(place, 'file'), gzipSync(newer));
  const { code, err } = await slm(undefined, ['restore', join(place, 'file'), join(place, 'data')]);
  t.match({ code, err }, { code: 2, err: /is of release 9.*restore it with the slm of that release/ });
  t.notOk(existsSync(join(place, 'data')));
  truncateSync(file, 0);
});

t.test('a file that does not belong into a backup is refused, for every header, and writes nothing', async (t) => {
  const place = t.testdir();
  const archive = async (...headers: readonly (Headers & { pax?: Record<string, string> })[]) => {
    const pack = tar.pack();
    for (const header of headers) pack.entry(header, header.size === 0 ? '' : 'words');
    pack.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of pack) chunks.push(chunk);
    return gzipSync(Buffer.concat(chunks));
  };
  const long = gunzipSync(await archive({ name: 'a', pax: { comment: 'x' } }));
  // The extended header says that it has 8 GB, and they come.
  long.write('77777777777 ', 124);
  let sum = 8 * 32;
  for (let at = 0; at < 512; at++) if (at < 148 || at >= 156) sum += long[at] ?? 0;
  long.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const bad: Readonly<Record<string, Buffer>> = {
    'a way out': await archive({ name: '../../escaped' }),
    'an absolute path': await archive({ name: '/tmp/escaped' }),
    'a way out in an extended header': await archive({ name: 'a', pax: { path: '../../escaped' } }),
    'a link': await archive({ name: 'a', type: 'symlink', linkname: '/etc/passwd', size: 0 }),
    'a folder': await archive({ name: 'a', type: 'directory', size: 0 }),
    'a file of a wrong size': await archive({ name: 'a', pax: { size: '3' } }),
    'data after the manifest': await archive({ name: 'manifest.json' }, { name: 'a' }),
    'a header without end': gzipSync(Buffer.concat([long, Buffer.alloc(16 * 1_024 * 1_024)])),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    writeFileSync(join(place, 'file'), bytes);
    const { code, err } = await slm(undefined, ['restore', join(place, 'file'), join(place, 'data')]);
    t.match({ code, err }, { code: 1, err: /cannot be used: / }, name);
    t.strictSame(readdirSync(place), ['file'], name);
  }
});

t.test('a folder in place of the file is refused in words, too, and leaves nothing behind', async (t) => {
  const place = t.testdir({ folder: {} });
  const { code, err } = await slm(undefined, ['restore', join(place, 'folder'), join(place, 'data')]);
  t.match({ code, err }, { code: 1, err: /cannot be used: .*EISDIR/ });
  t.strictSame(readdirSync(place), ['folder']);
});

t.test('a file that is replaced or goes while its turn has come is in the backup as it was', async (t) => {
  const old = 'old words '.repeat(1_000_000);
  const place = t.testdir({ replaced: old, gone: 'last words' });
  const files = (async function* () {
    for (const name of ['replaced', 'gone']) yield { name, path: join(place, name) };
  })();
  const text = (entries: readonly TarEntry[]) => entries.map(({ name, size }) => `${name} ${size}`).join();
  const tar: Buffer[] = [];
  for await (const bytes of await tarOf(files, { name: 'manifest.json', modifiedMs: 0, text })) {
    // Its reader takes its time: between the header of a file and its bytes much may happen.
    if (tar.length === 0) renameSync(join(place, 'gone'), join(place, 'replaced'));
    tar.push(bytes);
  }
  const whole = Buffer.concat(tar).toString();
  t.ok(whole.includes(old));
  t.ok(whole.includes(`\0replaced ${old.length}\0`), 'the other entry is left out');
});

t.test('a database of more than 8 GiB has its place in a backup, and in any tar', async (t) => {
  const place = t.testdir({ 'history.db': '' });
  const size = 8 * 1_024 ** 3 + 5;
  truncateSync(join(place, 'history.db'), size);
  const large = (async function* () {
    yield { name: 'history.db', path: join(place, 'history.db') };
  })();
  const end = { name: 'manifest.json', modifiedMs: 0, text: () => '' };
  // The first block says how long the file is; the rest is not waited for.
  let header: Buffer = Buffer.alloc(0);
  for await (header of await tarOf(large, end)) break;
  const { stdout } = spawnSync('tar', ['tvf', '-'], { input: Buffer.concat([header, Buffer.alloc(512)]) });
  t.match(String(stdout), new RegExp(`${size} .*history.db`));
  writeFileSync(join(place, 'cut.tar.gz'), gzipSync(header));
  const { err } = await slm(undefined, ['restore', join(place, 'cut.tar.gz'), join(place, 'data')]);
  t.match(err, /Unexpected end of data/, 'and slm reads on behind its header');
});

t.test('a disk that takes only a part of a file fails the restore, and nothing is left', async (t) => {
  const place = t.testdir({ large: 'x'.repeat(100 * 1_024 + 10) });
  const large = (async function* () {
    yield { name: 'large', path: join(place, 'large') };
  })();
  const text = (files: readonly unknown[]) =>
    JSON.stringify({ format: 'slm-backup', format_version: 1, version: '1', made_at: '2026-11-21T00:00:00Z', files });
  const tar: Buffer[] = [];
  for await (const bytes of await tarOf(large, { name: 'manifest.json', modifiedMs: 0, text })) tar.push(bytes);
  writeFileSync(join(place, 'all.tar.gz'), gzipSync(Buffer.concat(tar)));
  // The limit of the shell acts like a full disk: the last ten bytes find no room.
  const words = 'ulimit -f 200; exec env -i "$0" cli/slm.ts restore "$1/all.tar.gz" "$1/data"';
  const { status, stderr } = spawnSync('sh', ['-c', words, process.execPath, place], { cwd: ROOT, encoding: 'utf8' });
  t.match({ status, stderr }, { status: 1, stderr: /^slm: EFBIG/ });
  t.strictSame(readdirSync(place).sort(), ['all.tar.gz', 'large']);
});

t.test('only an admin of all units makes one', async (t) => {
  const { body } = await world.get('/openapi.json');
  t.equal(body.paths['/_backup'].post['x-access'], 'admin');
});
