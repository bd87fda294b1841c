/** The seconds of one hour of a series, in columns and in order of time. About 25 bytes a second; 7 to 8 on the disk. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type LevelCounts, LOWEST } from '../../domain/indices/level-counts.ts';
import { ByteReader, ByteWriter, NONE, readLevels, SECONDS_AN_HOUR, writeLevels } from './bytes.ts';
import { type Levels, needsNames, PLACES, readNamed, unnamedOf, writeNamed } from './columns.ts';
import { classIndex } from './counts.ts';
import { Samples } from './samples.ts';

export interface PackedSecond {
  offset: number;
  steps: number;
  flags: number;
  levels: Levels;
  /** Energy mean of the readings; NONE for measured seconds. */
  lp: number;
}

/** Sizes of the table: a few readings, a minute or two, a whole hour. Few sizes, so that little memory is thrown away as it grows. */
const ROOMS: readonly number[] = [32, 128, 600, SECONDS_AN_HOUR];
/** 1: without samples. 3: with named columns; written only if there is such a column. */
const VERSIONS: readonly number[] = [1, 2, 3];
const PLAIN = 2;
const WITH_NAMES = 3;
/** Flags of a second are bits, without columns. */
const NO_FLAGS: readonly Uint8Array[] = [];

interface Columns {
  readonly offset: Uint16Array;
  readonly levels: readonly Int16Array[];
  readonly lp: Int16Array;
  readonly steps: Uint8Array;
  readonly flags: Uint8Array;
}

function columnsFor(room: number): Columns {
  const words = PLACES.length + 2;
  const memory = new ArrayBuffer(room * (2 * words + 2));
  const levels = (place: number) => new Int16Array(memory, room * 2 * place, room);
  return {
    offset: new Uint16Array(memory, 0, room),
    levels: PLACES.map((place) => levels(1 + place).fill(NONE)),
    lp: levels(1 + PLACES.length),
    steps: new Uint8Array(memory, room * 2 * words, room),
    flags: new Uint8Array(memory, room * (2 * words + 1), room),
  };
}

const allOf = ({ offset, levels, lp, steps, flags }: Columns) => [offset, ...levels, lp, steps, flags];

/** Rows are added in any order and kept in order of time. */
export class SecondTable {
  count = 0;
  #samples = new Samples();
  #own = columnsFor(ROOMS[0] ?? 1);

  get offset(): Uint16Array {
    return this.#own.offset;
  }

  get steps(): Uint8Array {
    return this.#own.steps;
  }

  get flags(): Uint8Array {
    return this.#own.flags;
  }

  get levels(): readonly Int16Array[] {
    return this.#own.levels;
  }

  get lp(): Int16Array {
    return this.#own.lp;
  }

  /** By offset; a single reading has no samples, because its `lp` is the sample. */
  get samples(): Pick<Samples, 'of' | 'addTo' | 'has'> {
    return this.#samples;
  }

  /** The first row at `offset` or later. */
  indexOf(offset: number): number {
    let low = 0;
    let high = this.count;
    // Rows come in order: it is nearly always the end.
    if (high > 0 && (this.offset[high - 1] ?? 0) < offset) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.offset[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(offset: number): boolean {
    const index = this.indexOf(offset);
    return index < this.count && this.offset[index] === offset;
  }

  /** False if that second exists already: it stays as it is. `samples`: Lp of its steps, in hundredths of a dB. */
  add(row: Readonly<PackedSecond>, samples: readonly number[] = []): boolean {
    const index = this.indexOf(row.offset);
    if (index < this.count && this.offset[index] === row.offset) return false;
    if (this.count === this.offset.length) this.#resize(this.count + 1);
    if (index < this.count) for (const column of allOf(this.#own)) column.copyWithin(index + 1, index, this.count);
    if (row.steps > 0 || samples.length > 1) this.#samples.add(row.offset, samples);
    this.offset[index] = row.offset;
    this.steps[index] = row.steps;
    this.flags[index] = row.flags;
    const { levels } = this.#own;
    for (let place = 0; place < levels.length; place++) {
      const column = levels[place];
      if (column) column[index] = row.levels[place] ?? NONE;
    }
    this.lp[index] = row.lp;
    this.count += 1;
    return true;
  }

  addCounts(counts: LevelCounts, row: number): void {
    const offset = this.offset[row] ?? 0;
    if (this.steps[row] === 0 && this.#samples.of(offset).length === 0)
      counts.addClass(LOWEST + classIndex(this.lp[row] ?? NONE), 1);
    else this.#samples.addTo(counts, offset);
  }

  remove(from: number, to: number): void {
    const first = this.indexOf(from);
    const after = this.indexOf(to);
    for (const column of allOf(this.#own)) column.copyWithin(first, after, this.count);
    this.#samples.remove(from, to);
    this.count -= after - first;
  }

  bytes(): Buffer {
    const writer = new ByteWriter();
    const levels = this.levels.map((column) => column.subarray(0, this.count));
    const hasNames = needsNames(levels, NO_FLAGS);
    writer.varint(hasNames ? WITH_NAMES : PLAIN);
    writer.varint(this.count);
    let before = -1;
    for (let row = 0; row < this.count; row++) {
      const offset = this.offset[row] ?? 0;
      writer.varint(offset - before - 1);
      before = offset;
    }
    writer.raw(this.steps.subarray(0, this.count));
    writer.raw(this.flags.subarray(0, this.count));
    for (const column of unnamedOf(levels)) writeLevels(writer, column);
    writeLevels(writer, this.lp.subarray(0, this.count));
    if (hasNames) writeNamed(writer, levels, NO_FLAGS);
    this.#samples.write(writer);
    return deflateRawSync(writer.written, { level: 6 });
  }

  static from(bytes: Uint8Array): SecondTable {
    const reader = new ByteReader(inflateRawSync(bytes));
    const version = reader.varint();
    if (!VERSIONS.includes(version)) throw new RangeError('seconds in an unknown form');
    const table = new SecondTable();
    const count = reader.varint();
    table.#resize(count);
    table.count = count;
    let before = -1;
    for (let row = 0; row < count; row++) {
      before += reader.varint() + 1;
      table.offset[row] = before;
    }
    table.steps.set(reader.raw(count));
    table.flags.set(reader.raw(count));
    const levels = table.levels.map((column) => column.subarray(0, count));
    for (const column of unnamedOf(levels)) readLevels(reader, column);
    readLevels(reader, table.lp.subarray(0, count));
    if (version >= WITH_NAMES) readNamed(reader, count, levels, NO_FLAGS);
    table.#samples = Samples.from(reader.rest());
    return table;
  }

  #resize(rows: number): void {
    const before = this.#own;
    this.#own = columnsFor(ROOMS.find((room) => room >= rows) ?? rows);
    const own = allOf(this.#own);
    for (const [index, column] of allOf(before).entries()) own[index]?.set(column.subarray(0, this.count));
  }
}
