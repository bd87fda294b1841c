/** Changes packages of evidence as an attacker would. */
import { crc32, deflateRawSync } from 'node:zlib';
import {
  descriptor,
  directoryEntry,
  localHeader,
  type ZipRecord,
  zipEnd,
} from '../../lib/evidence/verify/zip-records.ts';
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
  return zipOf([...files]);
}

/** A ZIP as the gateway packs it, of these files in this order. */
export function zipOf(files: readonly (readonly [string, Buffer])[]): Buffer {
  const pieces: Uint8Array[] = [];
  const records: ZipRecord[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const packed = deflateRawSync(content, { level: path.startsWith('files/') ? 1 : 6 });
    const sizes = { crc: crc32(content), packed: packed.length, size: content.length };
    const record = { path, method: 8, ...sizes, offset, time: TIME };
    const all = [localHeader(record), packed, descriptor(record)];
    pieces.push(...all);
    records.push(record);
    offset += all.reduce((sum, { length }) => sum + length, 0);
  }
  const directory = Buffer.concat(records.map(directoryEntry));
  return Buffer.concat([...pieces, directory, zipEnd(records.length, directory.length, offset)]);
}
