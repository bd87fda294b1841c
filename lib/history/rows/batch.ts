/**
 * Rows on their way to the disk: packed on the main thread, kept like this in the journal, read off the main thread. One row:
 *
 *   series u16 | at u32 | steps u8 | flags u8 | leq lmax lmin lpeak i16 | samples u8 | sample i16 ...    (little-endian)
 */
import type { SecondRow } from '../contract.ts';
import { centiOf, FLAGS, NONE, STEPS_A_SECOND } from './levels.ts';
import type { PackedSecond } from './seconds.ts';

const HEAD_BYTES = 17;
const MOST_BYTES = HEAD_BYTES + 2 * STEPS_A_SECOND;

/** Memory that both threads see and that is used again and again: a buffer for each batch would be garbage twice a second. */
const shared = (bytes: number) => Buffer.from(new SharedArrayBuffer(bytes));

export class PackedRows {
  rows = 0;
  #bytes = shared(16_384);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.rows = 0;
    this.#length = 0;
  }

  /** `series`: number of the series in the batch, below 65,536. */
  add(series: number, row: SecondRow): void {
    if (this.#length + MOST_BYTES > this.#bytes.length) {
      const larger = shared(this.#bytes.length * 2);
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    const bytes = this.#bytes;
    let at = bytes.writeUInt16LE(series, this.#length);
    at = bytes.writeUInt32LE(row.at, at);
    at = bytes.writeUInt8(row.steps, at);
    at = bytes.writeUInt8(flagBits(row), at);
    at = bytes.writeInt16LE(centiOf(row.leq), at);
    at = bytes.writeInt16LE(centiOf(row.lmax), at);
    at = bytes.writeInt16LE(centiOf(row.lmin), at);
    at = bytes.writeInt16LE(centiOf(row.lpeak), at);
    const samples = row.lp ?? [];
    at = bytes.writeUInt8(samples.length, at);
    for (const sample of samples) at = bytes.writeInt16LE(centiOf(sample), at);
    this.#length = at;
    this.rows += 1;
  }
}

const flagBits = ({ flags }: SecondRow): number =>
  flags ? FLAGS.reduce((bits, name, bit) => bits | (flags[name] ? 1 << bit : 0), 0) : 0;

/** `row.offset` counts from the full hour. Both objects are used again for the next row. */
export type RowVisitor = (series: number, at: number, row: PackedSecond, samples: readonly number[]) => void;

export function visitRows(bytes: Buffer, visit: RowVisitor): void {
  const row: PackedSecond = { offset: 0, steps: 0, flags: 0, leq: 0, lmax: 0, lmin: 0, lpeak: 0, lp: NONE };
  const samples: number[] = [];
  let at = 0;
  while (at < bytes.length) {
    const series = bytes.readUInt16LE(at);
    const time = bytes.readUInt32LE(at + 2);
    row.offset = time % 3_600;
    row.steps = bytes.readUInt8(at + 6);
    row.flags = bytes.readUInt8(at + 7);
    row.leq = bytes.readInt16LE(at + 8);
    row.lmax = bytes.readInt16LE(at + 10);
    row.lmin = bytes.readInt16LE(at + 12);
    row.lpeak = bytes.readInt16LE(at + 14);
    const count = bytes.readUInt8(at + 16);
    samples.length = 0;
    for (let sample = 0; sample < count; sample++) samples.push(bytes.readInt16LE(at + HEAD_BYTES + 2 * sample));
    row.lp = row.steps === 0 ? (samples[0] ?? NONE) : NONE;
    visit(series, time, row, samples);
    at += HEAD_BYTES + 2 * count;
  }
}
