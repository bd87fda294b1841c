/** The writer of packages: the same bytes for the same parts, hashes of the content, one part at a time. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import t from 'tap';
import { evidenceArchive, type PackagePart } from '../../plugins/evidence/archive.ts';
import { fieldsOf, KEY, packed, partsOf, rowsOf, SIGNED_AT, signedBy, tableOf } from '../support/evidence.ts';
import { unzip } from '../support/unzip.ts';

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const sign = async (manifest: Buffer) =>
  signedBy(KEY, manifest, { signed_at: SIGNED_AT, unit_id: 'roof', from: '', to: '' });

t.test('every file is listed with its length and hash; the manifest and the signature come last', async (t) => {
  const files = unzip(await packed());
  t.strictSame([...files.keys()].slice(-3), ['manifest.json', 'signature/envelope.json', 'signature/public-key.pem']);
  const manifest = JSON.parse(String(files.get('manifest.json')));
  const listed = [...files].slice(0, -3).map(([path, bytes]) => ({ bytes: bytes.length, path, sha256: sha256(bytes) }));
  t.strictSame(manifest.files, listed);
  t.strictSame([...files.keys()].slice(0, -3), [...files.keys()].slice(0, -3).toSorted(), 'sorted by path');
  t.equal(manifest.format, 'slm-evidence/1');
  t.equal(manifest.unit_id, 'roof');
});

t.test('the same parts give the same bytes, whatever the time zone and however they come', async (t) => {
  const first = await packed();
  const before = process.env.TZ;
  t.teardown(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  for (const zone of ['Asia/Kolkata', 'America/New_York']) {
    process.env.TZ = zone;
    t.ok(first.equals(await packed()), zone);
  }
  const inPieces = partsOf().map((part) => ({
    ...part,
    content: (async function* () {
      for (const byte of Buffer.from(part.content as string)) yield Buffer.of(byte);
    })(),
  }));
  t.ok(first.equals(await packed(inPieces)), 'byte by byte');
  t.notOk(first.equals(await packed(partsOf(), { signedAt: '2026-11-22T09:00:01.000Z' })), 'another time of signing');
});

t.test('a table has its checks beside it: of each row and of each column', async (t) => {
  const rows = rowsOf('2026-11-20', 100);
  const files = unzip(await packed([{ path: 'a.csv', content: tableOf(rows), table: true }]));
  const checks = JSON.parse(String(files.get('a.csv.checks.json')));
  const expected = rows.map((row) => sha256(row).slice(0, 8)).join('');
  t.equal(Buffer.from(checks.rows, 'base64').toString('hex'), expected);
  t.strictSame(Object.keys(checks.columns), ['channel', 'flags', 'leq', 'lmax', 'source', 'time']);
  t.equal(checks.columns.leq, sha256(rows.map((row) => row.split(',')[3]).join('\n')));
  t.equal(checks.columns.flags, sha256(rows.map((row) => (row.endsWith('"') ? '"over,under"' : '')).join('\n')));
});

t.test('parts that are not sorted, twice there, or of a name that leads elsewhere break it off', async (t) => {
  const broken = (...paths: string[]) => packed(paths.map((path) => ({ path, content: 'x' })));
  await t.rejects(broken('b', 'a'), /sorted/);
  await t.rejects(broken('a', 'a'), /sorted/);
  for (const path of ['', '/a', '../a', 'a/../b', 'a//b', 'a\\b', 'C:a', 'a\nb', './a', 'a/'])
    await t.rejects(broken(path), /cannot hold/, JSON.stringify(path));
  for (const path of ['manifest.json', 'signature/envelope.json'])
    await t.rejects(broken(path), /by the package itself/);
});

t.test('a part that fails, and a signature that fails, break the package off', async (t) => {
  const failing = async function* () {
    yield 'a';
    throw new Error('the disk is gone');
  };
  await t.rejects(packed([{ path: 'a', content: failing() }]), /the disk is gone/);
  const refused = evidenceArchive([], fieldsOf(), async () => Promise.reject(new Error('no key')));
  await t.rejects(Readable.from(refused).toArray(), /no key/);
});

t.test('parts are read when their turn comes, and no further than the reader has come', async (t) => {
  let taken = 0;
  const endless = async function* () {
    for (let n = 0; ; n += 1) {
      taken += 65_536;
      yield Buffer.alloc(65_536, n % 7);
    }
  };
  let opened = 0;
  const parts = async function* (): AsyncGenerator<PackagePart> {
    for (const path of ['a', 'b']) {
      opened += 1;
      yield { path, content: endless() };
    }
  };
  let isLeft = false;
  const noisy = async function* (): AsyncGenerator<PackagePart> {
    try {
      yield* parts();
    } finally {
      isLeft = true;
    }
  };
  const stream = evidenceArchive(noisy(), fieldsOf(), sign);
  // Nobody reads: what is between part and reader fills up, and then nothing more is taken.
  let before = -1;
  while (taken !== before || taken === 0) {
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (taken > 512 * 1024 * 1024) break;
  }
  t.ok(taken < 512 * 1024 * 1024, `${taken} bytes taken`);
  t.equal(opened, 1);
  stream.destroy();
  while (!isLeft) await new Promise((resolve) => setImmediate(resolve));
  t.equal(opened, 1, 'the reader left: no other part is opened');
});
