/** Changes packages of evidence as an attacker would. */
import { crc32, deflateRawSync } from 'node:zlib';
import { recordBytes, type ZipRecord, zipEnd } from '../../plugins/evidence/verify/zip.ts';
import { unzip } from './unzip.ts';

/** The time of the entries of test packages: the end of their span. */
const TIME = Date.parse('2026-11-21T23:00:00.000Z') / 1_000;

/** The files of a package after a change, packed as the gateway packs: nothing but the content tells. */
export async function repacked(
  bytes: Buffer,
  change: (files: Map<string, Buffer>) => void | Promise<void>,
): Promise<Buffer> {
  const files = new Map(unzip(bytes));
  await change(files);
  return zipOf([...files], '', timeOf(bytes));
}

/** The time of the first file in seconds since 1970: behind its name in the directory. */
function timeOf(bytes: Buffer): number {
  const entry = directoryOf(bytes);
  return bytes.readUInt32LE(entry + 46 + bytes.readUInt16LE(entry + 28) + 5);
}

/** A ZIP as the gateway packs it, of these files in this order; `behind` follows each packed content. */
export function zipOf(files: readonly (readonly [string, Buffer])[], behind = '', time = TIME): Buffer {
  const pieces: Uint8Array[] = [];
  const records: ZipRecord[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const packed = Buffer.concat([
      deflateRawSync(content, { level: path.startsWith('files/') ? 1 : 6 }),
      Buffer.from(behind),
    ]);
    const sizes = { crc: crc32(content), packed: packed.length, size: content.length };
    const record = { path, method: 8, ...sizes, offset, time };
    const { header, after } = recordBytes(record);
    const all = [header, packed, after];
    pieces.push(...all);
    records.push(record);
    offset += all.reduce((sum, { length }) => sum + length, 0);
  }
  const directory = Buffer.concat(records.map((record) => recordBytes(record).entry));
  return Buffer.concat([...pieces, directory, zipEnd(records.length, directory.length, offset)]);
}

export interface Attack {
  readonly name: string;
  readonly says: RegExp;
  on(whole: Buffer): Promise<Buffer> | Buffer;
}

const FIRST = 'README.txt';
const directoryOf = (bytes: Buffer) => bytes.readUInt32LE(bytes.length - 6);

/** The package with bytes of the directory's entry of the first file changed. */
function inEntry(change: (entry: Buffer) => void): (whole: Buffer) => Buffer {
  return (whole) => {
    const bytes = Buffer.from(whole);
    change(bytes.subarray(directoryOf(bytes)));
    return bytes;
  };
}

/** With another end: directory and end are written again for the bytes before. */
function withDirectory(whole: Buffer, change: (entries: Buffer[]) => Buffer[]): Buffer {
  const begin = directoryOf(whole);
  const entries: Buffer[] = [];
  for (let at = begin; at < whole.length - 22; ) {
    const length = 46 + whole.readUInt16LE(at + 28) + whole.readUInt16LE(at + 30) + whole.readUInt16LE(at + 32);
    entries.push(whole.subarray(at, at + length));
    at += length;
  }
  const changed = change(entries);
  const directory = Buffer.concat(changed);
  return Buffer.concat([whole.subarray(0, begin), directory, zipEnd(changed.length, directory.length, begin)]);
}

const withName = (path: string) => (whole: Buffer) =>
  repacked(whole, (files) => void files.set(path, Buffer.from('x')));

/** What ZIP files can do that no package does. */
export const ATTACKS: readonly Attack[] = [
  { name: 'cut off in the middle', says: /no end/, on: (whole) => whole.subarray(0, whole.length / 2) },
  { name: 'cut off by one byte', says: /no end/, on: (whole) => whole.subarray(0, -1) },
  { name: 'bytes after the end', says: /after the end/, on: (whole) => Buffer.concat([whole, Buffer.from('more')]) },
  {
    name: 'bytes before the beginning',
    says: /damaged|belong to no file/,
    on: (whole) => Buffer.concat([Buffer.from('more'), whole]),
  },
  {
    name: 'a second ZIP behind the first',
    says: /without manifest|belong to no file|no file/,
    on: (whole) => Buffer.concat([whole, zipOf([['other.txt', Buffer.from('x')]])]),
  },
  {
    name: 'two directories',
    says: /belong to no file/,
    on: (whole) => {
      const directory = whole.subarray(directoryOf(whole), -22);
      const again = Buffer.concat([whole.subarray(0, -22), directory, whole.subarray(-22)]);
      again.writeUInt32LE(whole.length - 22, again.length - 6);
      return again;
    },
  },
  {
    name: 'the same name twice',
    says: /it is there twice/,
    on: (whole) => zipOf([...unzip(whole), [FIRST, Buffer.from('another readme')]]),
  },
  {
    name: 'the same entry twice',
    says: /it is there twice/,
    on: (whole) => withDirectory(whole, (entries) => [...entries.slice(0, 1), ...entries]),
  },
  {
    name: 'a hidden entry',
    says: /belong to no file/,
    on: (whole) => withDirectory(whole, (entries) => entries.slice(1)),
  },
  {
    name: 'another order in the directory',
    says: /order/,
    on: (whole) => withDirectory(whole, (entries) => entries.toReversed()),
  },
  { name: 'a link', says: /it is a link/, on: inEntry((entry) => entry.writeUInt16LE(0o120777, 40)) },
  { name: 'a password', says: /password/, on: inEntry((entry) => entry.writeUInt16LE(0x08_09, 8)) },
  { name: 'another method', says: /not packed/, on: inEntry((entry) => entry.writeUInt16LE(0, 10)) },
  { name: 'another time', says: /time|not as the gateway/, on: inEntry((entry) => entry.writeUInt16LE(0, 12)) },
  {
    name: 'a larger size',
    says: /README\.txt: .*(record after|place of)/,
    on: inEntry((entry) => entry.writeUInt32LE(1e9, 24)),
  },
  { name: 'a smaller size', says: /more bytes than stated \(3\)/, on: inEntry((entry) => entry.writeUInt32LE(3, 24)) },
  {
    name: 'an offset in another file',
    says: /lies over another|header/,
    on: inEntry((entry) => entry.writeUInt32LE(100, 42)),
  },
  { name: 'a path upwards', says: /out of the folder/, on: withName('../evil.txt') },
  { name: 'an absolute path', says: /out of the folder/, on: withName('/etc/evil') },
  { name: 'a drive', says: /out of the folder/, on: withName('C:evil') },
  { name: 'a backslash', says: /out of the folder/, on: withName('..\\evil') },
  {
    name: 'a count of files that is not there',
    says: /entry \d+ of|end of the ZIP/,
    on: (whole) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt16LE(500, bytes.length - 12);
      bytes.writeUInt16LE(500, bytes.length - 14);
      return bytes;
    },
  },
  {
    name: 'a bomb',
    says: /would unpack to \d+ bytes/,
    on: (whole) =>
      withDirectory(whole, (entries) =>
        entries.map((entry) => {
          const larger = Buffer.from(entry);
          larger.writeUInt32LE(0xf0_00_00_00, 24);
          return larger;
        }),
      ),
  },
  {
    name: 'bytes behind the packed content',
    says: /manifest\.json: its packed content is damaged/,
    on: (whole) => zipOf([...unzip(whole)], 'junk'),
  },
];
