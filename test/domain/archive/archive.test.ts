/** ZIPs that are made while they are sent. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { array, assert, property, string } from 'fast-check';
import t from 'tap';
import { safeName, ZipNames, zipStream } from '../../../lib/domain/archive.ts';
import { unzip } from '../../support/unzip.ts';

const entry = (path: string, text: string) => ({
  path,
  size: Buffer.byteLength(text),
  open: async () => Readable.from([Buffer.from(text)]),
});

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

t.test('every file is in it under its name: spaces, umlauts, and two cases of one name', async (t) => {
  const files = [
    '/a/NL_0001_SLM_Lp _0019_0001.rnd',
    '/a/Geräusch ß.txt',
    '/a/READ.me',
    '/A/read.me',
    '/a/read.me',
    '/manifest.json',
  ];
  const zip = zipStream(
    files.map((path) => entry(path, path)),
    { manifest: (nameOf) => JSON.stringify(Object.fromEntries(files.map((path) => [path, nameOf(path)]))) },
  );
  const found = unzip(await bytesOf(zip));
  const manifest = JSON.parse(String(found.get('manifest.json')));
  t.equal(found.size, files.length + 1);
  for (const path of files) t.equal(String(found.get(manifest[path])), path);
  const keys = [...found.keys()].map((name) => name.toLowerCase());
  t.equal(new Set(keys).size, keys.length, 'a system that knows no case unpacks all of them');
});

t.test('a program that reads the ZIP as a stream finds the end of each file', async (t) => {
  // Sizes and CRC come after each file. So a reader without the directory needs data that ends by itself.
  const texts = ['PK\u0003\u0004 in the data', 'x'.repeat(200_000), ''];
  const bytes = await bytesOf(zipStream(texts.map((text, index) => entry(`/${index}.txt`, text))));
  let at = 0;
  for (const text of texts) {
    t.equal(bytes.readUInt32LE(at), 0x04034b50);
    t.equal(bytes.readUInt16LE(at + 8), 8, 'deflate');
    const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const inflate = createInflateRaw();
    const parts: Buffer[] = [];
    inflate.on('data', (part: Buffer) => parts.push(part));
    inflate.end(bytes.subarray(begin));
    await once(inflate, 'end');
    t.equal(String(Buffer.concat(parts)), text);
    at = begin + inflate.bytesWritten + 16;
  }
  t.equal(bytes.readUInt32LE(at), 0x02014b50, 'then the directory');
});

t.test('no name leaves its folder or is a device, whatever stands on the card', (t) => {
  assert(
    property(array(string({ unit: 'binary', maxLength: 30 }), { maxLength: 6 }), (segments) => {
      const names = new ZipNames();
      const given = names.of(`/${segments.join('/')}`);
      const parts = given.split('/');
      const bad = (part: string) =>
        part === '' || /^\.+$/.test(part) || /[\\:\p{Cc}\p{Cf}]/u.test(part) || /[. ]$/.test(part);
      return !parts.some(bad) && names.of(`/${segments.join('/')}`) !== '';
    }),
  );
  for (const [name, safe] of [
    ['..', '__'],
    ['.', '_'],
    ['', '_'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['a\\..\\b', 'a_.._b'],
    ['C:x', 'C_x'],
    ['gnp\u202Eexe', 'gnp_exe'],
    ['dots...', 'dots___'],
    ['e\u0301', '\u00e9'],
  ] as const)
    t.equal(safeName(name), safe);
  const names = new ZipNames();
  t.same(
    ['/\u00e9', '/e\u0301', '/\u00c9'].map((path) => names.of(path)),
    ['\u00e9', '\u00e9 (2)', '\u00c9 (3)'],
  );
  t.end();
});

t.test('a file that breaks, is short, or cannot be opened breaks the ZIP', async (t) => {
  const breaking = async function* () {
    yield Buffer.from('half');
    throw new Error('the meter is gone');
  };
  const open = async () => Readable.from(breaking());
  await t.rejects(bytesOf(zipStream([{ path: '/a', open }])), /the meter is gone/);
  await t.rejects(bytesOf(zipStream([{ ...entry('/a', 'short'), size: 9 }])));
  const refused = () => Promise.reject(new Error('refused'));
  await t.rejects(bytesOf(zipStream([entry('/a', 'x'), { path: '/b', open: refused }])), /refused/);
});

t.test('when the reader leaves, the open file is closed and no other is opened', async (t) => {
  const endless = new Readable({
    read() {
      setImmediate(() => this.push(Buffer.alloc(65_536)));
    },
  });
  let others = 0;
  const other = async () => {
    others += 1;
    return Readable.from([]);
  };
  const zip = zipStream([
    { path: '/a', open: async () => endless },
    { path: '/b', open: other },
  ]);
  await new Promise((resolve) => zip.once('data', resolve));
  const closed = new Promise((resolve) => endless.once('close', resolve));
  zip.destroy();
  await closed;
  t.equal(others, 0);
});
