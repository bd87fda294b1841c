/**
 * The bytes around the files of a ZIP as the writer of packages writes them. A verifier makes them again from what an entry says and
 * compares: whatever else a ZIP may hold (links, passwords, comments, other times, a second directory) is another text, and is found.
 */
import { utf8ToBytes } from '@noble/hashes/utils';

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

/** Length of a local header without the name. */
export const LOCAL_BYTES = 30;
/** Length of an entry of the directory without its name and extra fields. */
export const ENTRY_BYTES = 46;
/** Length of the end of a ZIP; the writer adds no comment. */
export const END_BYTES = 22;
/** Length of the two records of the large format before the end. */
export const LARGE_END_BYTES = 76;
/** Stands where a number is in the large record. */
export const IN_LARGE = 0xff_ff_ff_ff;
/** The count that is in the large record. */
export const COUNT_IN_LARGE = 0xff_ff;
/** The only way to pack that the writer uses. */
export const DEFLATED = 8;

/** Unix, version 6.3. */
const MADE_BY = 0x03_3f;
/** Names in UTF-8; lengths follow the content. */
const FLAGS = 0x08_08;
/** A plain file that its owner may write and all may read. */
const MODE = 0o100644 * 65_536;
const USUAL_VERSION = 20;
const LARGE_VERSION = 45;
const TIME_EXTRA = 9;
const LARGE_EXTRA = 28;

/** Whether its numbers need 64 bits. */
export const isLarge = ({ packed, size, offset }: ZipRecord): boolean => Math.max(packed, size, offset) >= IN_LARGE;

/** What comes before the content. */
export function localHeader(record: ZipRecord): Uint8Array {
  const name = utf8ToBytes(record.path);
  const bytes = new Bytes(LOCAL_BYTES + name.length);
  bytes.u32(0x04_03_4b_50).u16(USUAL_VERSION).u16(FLAGS).u16(DEFLATED).u32(dosTime(record.time));
  return bytes.u32(0).u32(0).u32(0).u16(name.length).u16(0).raw(name).whole;
}

/** What comes after the content. */
export function descriptor(record: ZipRecord): Uint8Array {
  const large = isLarge(record);
  const bytes = new Bytes(large ? 24 : 16).u32(0x08_07_4b_50).u32(record.crc);
  return large ? bytes.u64(record.packed).u64(record.size).whole : bytes.u32(record.packed).u32(record.size).whole;
}

/** Its entry in the directory. */
export function directoryEntry(record: ZipRecord): Uint8Array {
  const name = utf8ToBytes(record.path);
  const large = isLarge(record);
  const extra = TIME_EXTRA + (large ? LARGE_EXTRA : 0);
  const bytes = new Bytes(ENTRY_BYTES + name.length + extra);
  bytes
    .u32(0x02_01_4b_50)
    .u16(MADE_BY)
    .u16(large ? LARGE_VERSION : USUAL_VERSION);
  bytes.u16(FLAGS).u16(DEFLATED).u32(dosTime(record.time)).u32(record.crc);
  bytes.u32(large ? IN_LARGE : record.packed).u32(large ? IN_LARGE : record.size);
  bytes
    .u16(name.length)
    .u16(extra)
    .u16(0)
    .u16(0)
    .u16(0)
    .u32(MODE)
    .u32(large ? IN_LARGE : record.offset);
  bytes.raw(name).u16(0x54_55).u16(5).u8(3).u32(record.time);
  if (large) bytes.u16(1).u16(24).u64(record.size).u64(record.packed).u64(record.offset);
  return bytes.whole;
}

/** What comes after the directory: the end, with the records of the large format before it where they are needed. */
export function zipEnd(count: number, size: number, offset: number): Uint8Array {
  const large = count >= COUNT_IN_LARGE || size >= IN_LARGE || offset >= IN_LARGE;
  const bytes = new Bytes(END_BYTES + (large ? LARGE_END_BYTES : 0));
  if (large) {
    bytes.u32(0x06_06_4b_50).u64(44).u16(MADE_BY).u16(LARGE_VERSION).u32(0).u32(0);
    bytes.u64(count).u64(count).u64(size).u64(offset);
    bytes
      .u32(0x07_06_4b_50)
      .u32(0)
      .u64(offset + size)
      .u32(1);
  }
  const small = Math.min(count, COUNT_IN_LARGE);
  bytes.u32(0x06_05_4b_50).u16(0).u16(0).u16(small).u16(small);
  return bytes.u32(Math.min(size, IN_LARGE)).u32(Math.min(offset, IN_LARGE)).u16(0).whole;
}

/** Date and time in the form of DOS: two seconds are one step. */
function dosTime(seconds: number): number {
  const time = new Date(seconds * 1_000);
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return ((date & 0xff_ff) * 65_536 + clock) >>> 0;
}

/** Numbers one after another, lowest byte first. */
class Bytes {
  readonly whole: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(length: number) {
    this.whole = new Uint8Array(length);
    this.view = new DataView(this.whole.buffer);
  }

  u8(value: number): this {
    this.view.setUint8(this.at, value);
    this.at += 1;
    return this;
  }

  u16(value: number): this {
    this.view.setUint16(this.at, value, true);
    this.at += 2;
    return this;
  }

  u32(value: number): this {
    this.view.setUint32(this.at, value, true);
    this.at += 4;
    return this;
  }

  u64(value: number): this {
    this.view.setBigUint64(this.at, BigInt(value), true);
    this.at += 8;
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.whole.set(bytes, this.at);
    this.at += bytes.length;
    return this;
  }
}
