/**
 * Reads the ZIP of a package more strictly than a program that unpacks. The bytes around each file are made again from its entry in the directory
 * and compared: links, passwords, comments, other times, a second directory are other bytes, and are found.
 * The same code runs in `slm verify` and in a browser.
 */
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils';
import { isPlainPath } from './manifest.ts';

/** The bytes of a file on the disk, or of a file that a browser got. */
export interface ByteSource {
  readonly size: number;
  /** Fewer bytes at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

interface ZipFault {
  /** The entry, where it is one. */
  readonly path?: string;
  readonly what: string;
}

interface ZipDirectory {
  /** In the order of the directory, each name once. */
  readonly entries: readonly ZipRecord[];
  readonly faults: readonly ZipFault[];
}

/** Entries that a package may have at most. */
const MOST_ENTRIES = 200_000;
/** A ZIP that unpacks to more than this may not be more than `MOST_RATIO` times as large as it is packed. */
const LARGE_SUM = 1024 ** 3;
const MOST_RATIO = 250;
const PIECE = 262_144;
const LINK = 0o120000;

/** Undefined where there is no ZIP to be read; `faults` of what can be read. */
export async function readDirectory(source: ByteSource): Promise<ZipDirectory | undefined> {
  const end = await readEnd(source);
  if (!end) return undefined;
  const { count, size, offset } = end;
  if (count > MOST_ENTRIES)
    return { entries: [], faults: [{ what: `it has ${count} files, more than a package may` }] };
  const faults = [...end.faults];
  const bytes = await source.read(offset, size);
  const records: ZipRecord[] = [];
  let at = 0;
  for (let n = 0; n < count; n += 1) {
    const record = recordAt(bytes, at);
    if (!record) {
      faults.push({ what: `the directory of the ZIP is damaged at entry ${n + 1} of ${count}` });
      return { entries: distinct(records, faults), faults };
    }
    const { entry } = recordBytes(record);
    const actual = bytes.subarray(at, at + lengthAt(bytes, at));
    if (!isEqual(actual, entry)) faults.push({ path: record.path, what: entryFault(bytes, at, record) });
    records.push(record);
    at += actual.length;
  }
  if (at !== size) faults.push({ what: `bytes after the directory of the ZIP belong to no file (${size - at})` });
  faults.push(...(await layoutFaults(source, records, offset)));
  const bomb = bombFault(records, source.size);
  return bomb ? { entries: [], faults: [...faults, bomb] } : { entries: distinct(records, faults), faults };
}

/** The content of an entry. It throws a DamagedEntry where it cannot be unpacked, is longer or shorter than stated, or its check sum is wrong. */
export async function* contentOf(source: ByteSource, record: ZipRecord): AsyncGenerator<Uint8Array> {
  const { path, size, crc } = record;
  const begin = record.offset + LOCAL_BYTES + utf8ToBytes(path).length;
  if (record.method !== DEFLATED) throw new DamagedEntry('it is not packed as the gateway packs');
  let seen = 0;
  let sum = 0xff_ff_ff_ff;
  try {
    const packed = streamOf(source, begin, record.packed);
    const reader = packed.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const piece: Uint8Array = next.value;
      seen += piece.length;
      if (seen > size) {
        await reader.cancel();
        break;
      }
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch {
    throw new DamagedEntry('its packed content is damaged');
  }
  if (seen > size) throw new DamagedEntry(`it unpacks to more bytes than stated (${size})`);
  if (seen < size) throw new DamagedEntry(`its size in bytes is ${seen} in place of ${size}`);
  if ((sum ^ 0xff_ff_ff_ff) >>> 0 !== crc) throw new DamagedEntry('its check sum in the ZIP is wrong');
}

export class DamagedEntry extends Error {}

interface End {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
  readonly faults: readonly ZipFault[];
}

/** The end has no comment, so it is the last of the file. Where it is not there it is looked for, to say what is wrong. */
async function readEnd(source: ByteSource): Promise<End | undefined> {
  const tail = await source.read(Math.max(0, source.size - 65_557), Math.min(source.size, 65_557));
  const place = lastEnd(tail);
  if (place === undefined) return undefined;
  const end = new DataView(tail.buffer, tail.byteOffset + place);
  const at = source.size - tail.length + place;
  const faults: ZipFault[] = [];
  const behind = source.size - at - END_BYTES;
  if (behind > 0) faults.push({ what: `bytes after the end of the ZIP belong to no file (${behind})` });
  let [count, size, offset] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)];
  let length = END_BYTES;
  if (count === COUNT_IN_LARGE || size === IN_LARGE || offset === IN_LARGE) {
    const large = new DataView((await source.read(Math.max(0, at - LARGE_END_BYTES), LARGE_END_BYTES)).slice().buffer);
    if (large.byteLength < LARGE_END_BYTES || large.getUint32(0, true) !== 0x06_06_4b_50) return undefined;
    [count, size, offset] = [32, 40, 48].map((field) => Number(large.getBigUint64(field, true))) as [
      number,
      number,
      number,
    ];
    length += LARGE_END_BYTES;
  }
  const begin = at + END_BYTES - length;
  if (offset + size > begin) return undefined;
  const gap = begin - offset - size;
  if (gap > 0) faults.push({ what: `bytes before the end of the ZIP belong to no file (${gap}; a second directory?)` });
  const actual = await source.read(begin, length);
  if (!isEqual(actual, zipEnd(count, size, offset)))
    faults.push({ what: 'the end of the ZIP is not as the gateway writes it' });
  return { count, size, offset, faults };
}

function lastEnd(tail: Uint8Array): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1)
    if (tail[at] === 0x50 && tail[at + 1] === 0x4b && tail[at + 2] === 5 && tail[at + 3] === 6) return at;
  return undefined;
}

function recordAt(bytes: Uint8Array, at: number): ZipRecord | undefined {
  if (at + ENTRY_BYTES > bytes.length || at + lengthAt(bytes, at) > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  if (view.getUint32(0, true) !== 0x02_01_4b_50) return undefined;
  const nameEnd = ENTRY_BYTES + view.getUint16(28, true);
  const extraEnd = nameEnd + view.getUint16(30, true);
  const path = new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, at + nameEnd));
  const time = extraEnd >= nameEnd + 9 ? view.getUint32(nameEnd + 5, true) : 0;
  const record = {
    path,
    time,
    method: view.getUint16(10, true),
    crc: view.getUint32(16, true),
    packed: view.getUint32(20, true),
    size: view.getUint32(24, true),
    offset: view.getUint32(42, true),
  };
  if (!isLarge(record) || extraEnd < nameEnd + 9 + 28) return record;
  const [size = 0, packed = 0, offset = 0] = [13, 21, 29].map((field) =>
    Number(view.getBigUint64(nameEnd + field, true)),
  );
  return { ...record, size, packed, offset };
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  return ENTRY_BYTES + view.getUint16(28, true) + view.getUint16(30, true) + view.getUint16(32, true);
}

function entryFault(bytes: Uint8Array, at: number, record: ZipRecord): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  if ((view.getUint16(40, true) & 0o170000) === LINK) return 'it is a link';
  if (view.getUint16(8, true) % 2 === 1) return 'it is locked by a password';
  if (record.method !== DEFLATED) return 'it is not packed as the gateway packs';
  return 'its entry in the directory of the ZIP is not as the gateway writes it';
}

/** Entries lie one after another, from the first byte of the file to the directory. */
async function layoutFaults(source: ByteSource, records: readonly ZipRecord[], directory: number): Promise<ZipFault[]> {
  const faults: ZipFault[] = [];
  let at = 0;
  for (const record of records) {
    const { path, offset, packed } = record;
    if (offset > at) faults.push({ path, what: `bytes before it belong to no file (${offset - at})` });
    if (offset < at)
      faults.push({ path, what: 'it lies over another file in the ZIP, or the files are in another order' });
    const { header, after } = recordBytes(record);
    if (!isEqual(await source.read(offset, header.length), header))
      faults.push({ path, what: 'its header in the ZIP is not as the gateway writes it' });
    if (!isEqual(await source.read(offset + header.length + packed, after.length), after))
      faults.push({ path, what: 'the record after it in the ZIP is not as the gateway writes it' });
    at = Math.max(at, offset + header.length + packed + after.length);
  }
  if (at !== directory)
    faults.push({ what: `bytes before the directory belong to no file (${Math.abs(directory - at)})` });
  return faults;
}

/** Nothing of it is unpacked. */
function bombFault(records: readonly ZipRecord[], size: number): ZipFault | undefined {
  const sum = records.reduce((before, record) => before + record.size, 0);
  if (sum <= LARGE_SUM || sum <= size * MOST_RATIO) return undefined;
  return { what: `it would unpack to ${sum} bytes, ${Math.round(sum / size)} times its size` };
}

/** Each name once; a name that is there again, or leads elsewhere, is a fault. */
function distinct(records: readonly ZipRecord[], faults: ZipFault[]): readonly ZipRecord[] {
  const seen = new Map<string, ZipRecord>();
  for (const record of records) {
    if (!isPlainPath(record.path)) faults.push({ path: record.path, what: 'its name leads out of the folder' });
    if (seen.has(record.path)) faults.push({ path: record.path, what: 'it is there twice' });
    else seen.set(record.path, record);
  }
  return [...seen.values()];
}

function streamOf(source: ByteSource, begin: number, length: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = begin;
  const end = begin + length;
  return new ReadableStream({
    async pull(controller) {
      const piece = at < end ? await source.read(at, Math.min(PIECE, end - at)) : new Uint8Array();
      at += piece.length;
      if (piece.length === 0) controller.close();
      else controller.enqueue(new Uint8Array(piece));
    },
  });
}

/** Whether both have the same bytes. */
export const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  return value;
});

/** Goes on from `sum`; its bits are turned at the beginning and at the end. */
function crc32(bytes: Uint8Array, sum: number): number {
  let value = sum;
  for (const byte of bytes) value = (value >>> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return value;
}

/** An entry as the directory at the end of the ZIP has it. */
export interface ZipRecord {
  readonly path: string;
  /** As the directory says; the writer writes 8 (deflated). */
  readonly method: number;
  readonly crc: number;
  /** Bytes in the ZIP. */
  readonly packed: number;
  /** Bytes of the file. */
  readonly size: number;
  /** Where its local header begins. */
  readonly offset: number;
  /** Seconds since 1970. */
  readonly time: number;
}

/** Lengths without names and extra fields: of a local header, an entry of the directory, the end, the records of the large format before the end. */
const [LOCAL_BYTES, ENTRY_BYTES, END_BYTES, LARGE_END_BYTES] = [30, 46, 22, 76];
/** In place of a number, or of the count, that is in a record of the large format. */
const [IN_LARGE, COUNT_IN_LARGE] = [0xff_ff_ff_ff, 0xff_ff];
const DEFLATED = 8;
/** Names in UTF-8; lengths follow the content. */
const FLAGS = 0x08_08;
/** Unix, version 6.3; a plain file that its owner may write and all may read. */
const [MADE_BY, MODE] = [0x03_3f, 0o100644 * 65_536];
/** Versions of the format that are needed. */
const [USUAL, LARGE] = [20, 45];

const isLarge = ({ packed, size, offset }: ZipRecord): boolean => Math.max(packed, size, offset) >= IN_LARGE;

/** The bytes before the content, those after it, and the entry of the directory, as the writer of packages writes them. */
export function recordBytes(record: ZipRecord) {
  const { path, crc, packed, size, offset, time } = record;
  const name = utf8ToBytes(path);
  const large = isLarge(record);
  const [width, extra] = large ? [8, 37] : [4, 9];
  const kind = [2, FLAGS, 2, DEFLATED, 4, dosTime(time)];
  const sizes = large ? [4, IN_LARGE, 4, IN_LARGE] : [4, packed, 4, size];
  return {
    header: bytesOf([4, 0x04_03_4b_50, 2, USUAL, ...kind, 4, 0, 4, 0, 4, 0, 2, name.length, 2, 0], name),
    after: bytesOf([4, 0x08_07_4b_50, 4, crc, width, packed, width, size]),
    entry: bytesOf(
      [4, 0x02_01_4b_50, 2, MADE_BY, 2, large ? LARGE : USUAL, ...kind, 4, crc, ...sizes, 2, name.length, 2, extra],
      bytesOf([2, 0, 2, 0, 2, 0, 4, MODE, 4, large ? IN_LARGE : offset], name),
      bytesOf([2, 0x54_55, 2, 5, 1, 3, 4, time, ...(large ? [2, 1, 2, 24, 8, size, 8, packed, 8, offset] : [])]),
    ),
  };
}

/** The bytes after the directory: the end, with the records of the large format before it where they are needed. */
export function zipEnd(count: number, size: number, offset: number): Uint8Array {
  const isInLarge = count >= COUNT_IN_LARGE || size >= IN_LARGE || offset >= IN_LARGE;
  const numbers = [8, count, 8, count, 8, size, 8, offset];
  const records = [4, 0x06_06_4b_50, 8, 44, 2, MADE_BY, 2, LARGE, 4, 0, 4, 0, ...numbers];
  const place = [4, 0x07_06_4b_50, 4, 0, 8, offset + size, 4, 1];
  const small = Math.min(count, COUNT_IN_LARGE);
  const end = [
    4,
    0x06_05_4b_50,
    2,
    0,
    2,
    0,
    2,
    small,
    2,
    small,
    4,
    Math.min(size, IN_LARGE),
    4,
    Math.min(offset, IN_LARGE),
  ];
  return bytesOf([...(isInLarge ? [...records, ...place] : []), ...end, 2, 0]);
}

/** Date and time in the form of DOS: two seconds are one step. */
function dosTime(seconds: number): number {
  const time = new Date(seconds * 1_000);
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date & 0xff_ff) * 65_536 + clock) >>> 0;
}

/** Numbers, each after the number of its bytes, lowest byte first; then other bytes. */
function bytesOf(numbers: readonly number[], ...more: readonly Uint8Array[]): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < numbers.length; at += 2)
    for (let n = 0, rest = numbers[at + 1] ?? 0; n < (numbers[at] ?? 0); n += 1, rest = Math.floor(rest / 256))
      bytes.push(rest % 256);
  return concatBytes(Uint8Array.from(bytes), ...more);
}
