/** The seconds of one hour of a series, in columns and in order of time. About 20 bytes a second; 7 to 8 on the disk. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter, readLevels, writeLevels } from './bytes.ts';
import { SECONDS_AN_HOUR } from './levels.ts';
import { Samples } from './samples.ts';

export interface PackedSecond {
  /** Seconds since the beginning of the hour. */
  offset: number;
  steps: number;
  flags: number;
  leq: number;
  lmax: number;
  lmin: number;
  lpeak: number;
  /** Of a reading; NONE for measured seconds, which have samples. */
  lp: number;
}

/** Sizes of the table: a few readings, a minute or two, a whole hour. Few sizes, so that little memory is thrown away as it grows. */
const ROOMS: readonly number[] = [32, 128, 600, SECONDS_AN_HOUR];
/** 1: without samples. */
const VERSIONS: readonly number[] = [1, 2];
const VERSION = 2;

/** All columns are in one piece of memory. */
const columnsFor = (room: number) => {
  const memory = new ArrayBuffer(room * 14);
  const levels = (place: number) => new Int16Array(memory, room * 2 * place, room);
  return {
    offset: new Uint16Array(memory, 0, room),
    leq: levels(1),
    lmax: levels(2),
    lmin: levels(3),
    lpeak: levels(4),
    lp: levels(5),
    steps: new Uint8Array(memory, room * 12, room),
    flags: new Uint8Array(memory, room * 13, room),
  };
};

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

  get leq(): Int16Array {
    return this.#own.leq;
  }

  get lmax(): Int16Array {
    return this.#own.lmax;
  }

  get lmin(): Int16Array {
    return this.#own.lmin;
  }

  get lpeak(): Int16Array {
    return this.#own.lpeak;
  }

  get lp(): Int16Array {
    return this.#own.lp;
  }

  /** By offset; readings have none. */
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
    if (index < this.count)
      for (const column of Object.values(this.#own)) column.copyWithin(index + 1, index, this.count);
    if (row.steps > 0) this.#samples.add(row.offset, samples);
    this.offset[index] = row.offset;
    this.steps[index] = row.steps;
    this.flags[index] = row.flags;
    this.leq[index] = row.leq;
    this.lmax[index] = row.lmax;
    this.lmin[index] = row.lmin;
    this.lpeak[index] = row.lpeak;
    this.lp[index] = row.lp;
    this.count += 1;
    return true;
  }

  remove(from: number, to: number): void {
    const first = this.indexOf(from);
    const after = this.indexOf(to);
    for (const column of Object.values(this.#own)) column.copyWithin(first, after, this.count);
    this.#samples.remove(from, to);
    this.count -= after - first;
  }

  bytes(): Buffer {
    const writer = new ByteWriter();
    writer.varint(VERSION);
    writer.varint(this.count);
    let before = -1;
    for (let row = 0; row < this.count; row++) {
      const offset = this.offset[row] ?? 0;
      writer.varint(offset - before - 1);
      before = offset;
    }
    writer.raw(this.steps.subarray(0, this.count));
    writer.raw(this.flags.subarray(0, this.count));
    for (const column of this.#levels()) writeLevels(writer, column.subarray(0, this.count));
    this.#samples.write(writer);
    return deflateRawSync(writer.written, { level: 6 });
  }

  /** Throws if the bytes are not a table of seconds. */
  static from(bytes: Uint8Array): SecondTable {
    const reader = new ByteReader(inflateRawSync(bytes));
    if (!VERSIONS.includes(reader.varint())) throw new RangeError('seconds in an unknown form');
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
    for (const column of table.#levels()) readLevels(reader, column.subarray(0, count));
    table.#samples = Samples.from(reader.rest());
    return table;
  }

  #levels(): Int16Array[] {
    return [this.leq, this.lmax, this.lmin, this.lpeak, this.lp];
  }

  #resize(rows: number): void {
    const before = this.#own;
    this.#own = columnsFor(ROOMS.find((room) => room >= rows) ?? rows);
    for (const [name, column] of Object.entries(before)) {
      this.#own[name as keyof typeof before].set(column.subarray(0, this.count));
    }
  }
}
