/**
 * Rows on their way to the disk: packed on the main thread, stored in this form in the journal, and read off the main
 * thread. One row:
 *
 *   series u16 | at u32 | steps u8 | flags u8 | each level i16 | samples u8 | sample i16 ...    (little-endian)
 *
 * The journal names the levels of the rows with each batch; rows of earlier releases have the levels of `UNNAMED`.
 */
import { FLAGS } from '../../domain/flags.ts';
import { KEPT } from '../../domain/quantities.ts';
import type { SecondRow } from '../contract.ts';
import { centiOf, centiOfMean, energyOfCenti, NONE, STEPS_A_SECOND } from './bytes.ts';
import { noLevels, placeOf } from './columns.ts';
import type { PackedSecond } from './seconds.ts';

/** Offset of the levels. */
const LEVELS_AT = 8;
const MOST_BYTES = LEVELS_AT + 2 * KEPT.length + 1 + 2 * STEPS_A_SECOND;

/** Memory that both threads share and use again: a buffer for each batch would be garbage twice a second. */
const shared = (bytes: number) => Buffer.from(new SharedArrayBuffer(bytes));

/** Rows of many units in one buffer that grows. */
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
    for (const name of KEPT) at = bytes.writeInt16LE(centiOf(row[name] ?? null), at);
    const samples = row.lp ?? [];
    at = bytes.writeUInt8(samples.length, at);
    for (const sample of samples) at = bytes.writeInt16LE(centiOf(sample), at);
    this.#length = at;
    this.rows += 1;
  }
}

const flagBits = ({ flags }: SecondRow): number =>
  flags ? FLAGS.reduce((bits, name, bit) => bits | (flags[name] ? 1 << bit : 0), 0) : 0;

const meanOf = (samples: readonly number[]): number =>
  centiOfMean(
    samples.reduce((sum, sample) => sum + energyOfCenti(sample), 0),
    samples.length,
  );

/** `row.offset` counts from the full hour. Both objects are used again for the next row. */
type RowVisitor = (series: number, at: number, row: PackedSecond, samples: readonly number[]) => void;

/** `names`: the levels of each row. Unknown levels are skipped. */
export function visitRows(bytes: Buffer, names: readonly string[], visit: RowVisitor): void {
  const levels = noLevels();
  const row: PackedSecond = { offset: 0, steps: 0, flags: 0, levels, lp: NONE };
  const samples: number[] = [];
  const places = names.map(placeOf);
  const samplesAt = LEVELS_AT + 2 * names.length;
  let at = 0;
  while (at < bytes.length) {
    const series = bytes.readUInt16LE(at);
    const time = bytes.readUInt32LE(at + 2);
    row.offset = time % 3_600;
    row.steps = bytes.readUInt8(at + 6);
    row.flags = bytes.readUInt8(at + 7);
    for (let index = 0; index < places.length; index++) {
      const place = places[index] ?? -1;
      if (place >= 0) levels[place] = bytes.readInt16LE(at + LEVELS_AT + 2 * index);
    }
    const count = bytes.readUInt8(at + samplesAt);
    at += samplesAt + 1;
    samples.length = 0;
    for (let sample = 0; sample < count; sample++) samples.push(bytes.readInt16LE(at + 2 * sample));
    row.lp = row.steps === 0 ? meanOf(samples) : NONE;
    visit(series, time, row, samples);
    at += 2 * count;
  }
}
