/** The 60 minutes of one hour of a series, with the level counts of each. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { FLAGS } from '../../domain/flags.ts';
import {
  ByteReader,
  ByteWriter,
  centiOfMean,
  energyOfCenti,
  MINUTES_AN_HOUR,
  NONE,
  readLevels,
  writeLevels,
} from './bytes.ts';
import { needsNames, PLACES, readNamed, UNNAMED_FLAGS, unnamedOf, writeNamed } from './columns.ts';
import { LevelSums } from './level-sums.ts';
import type { SecondTable } from './seconds.ts';

/** Version 2 has named columns; it is written only if there is such a column. */
const VERSIONS: readonly number[] = [1, 2];
const PLAIN = 1;
const WITH_NAMES = 2;
const NO_COUNTS = new Uint8Array(0);

/** Shared by all tables: cleared before each use. */
const sums = new LevelSums();

const levels = () => new Int16Array(MINUTES_AN_HOUR).fill(NONE);
const small = () => new Uint8Array(MINUTES_AN_HOUR);

/** Columns of 60 entries; a minute without data has 0 steps and 0 readings. */
export class MinuteTable {
  readonly levels: readonly Int16Array[] = PLACES.map(levels);
  readonly lp = levels();
  /** Steps of 100 ms that were measured, at most 600. */
  readonly steps = new Uint16Array(MINUTES_AN_HOUR);
  readonly readings = small();
  readonly lmaxAt = small();
  /** Seconds with each flag, in the order of `FLAGS`. */
  readonly flagged: readonly Uint8Array[] = FLAGS.map(small);
  readonly counts: Uint8Array[] = Array.from({ length: MINUTES_AN_HOUR }, () => NO_COUNTS);

  isEmpty(minute: number): boolean {
    return this.steps[minute] === 0 && this.readings[minute] === 0;
  }

  /** Computes one minute again from its seconds, in order of time; its level counts stay. */
  fill(minute: number, seconds: SecondTable): void {
    const start = minute * 60;
    const end = seconds.indexOf(start + 60);
    let readings = 0;
    let reading = 0;
    const flagged = this.flagged.map(() => 0);
    sums.clear();
    for (let row = seconds.indexOf(start); row < end; row++) {
      const rowSteps = seconds.steps[row] ?? 0;
      const flags = seconds.flags[row] ?? 0;
      for (let bit = 0; flags >> bit > 0; bit++) flagged[bit] = (flagged[bit] ?? 0) + ((flags >> bit) & 1);
      if (rowSteps === 0) {
        readings += 1;
        reading += energyOfCenti(seconds.lp[row] ?? NONE);
      }
      sums.addRow(seconds.levels, row, rowSteps, (seconds.offset[row] ?? 0) - start);
    }
    for (const [place, column] of this.levels.entries()) column[minute] = sums.level(place);
    this.lmaxAt[minute] = sums.lmaxAt;
    this.lp[minute] = centiOfMean(reading, readings);
    this.steps[minute] = sums.steps;
    this.readings[minute] = readings;
    for (const [bit, column] of this.flagged.entries()) column[minute] = flagged[bit] ?? 0;
  }

  clear(minute: number): void {
    for (const column of [...this.levels, this.lp]) column[minute] = NONE;
    for (const column of [this.steps, this.readings, this.lmaxAt, ...this.flagged]) column[minute] = 0;
    this.counts[minute] = NO_COUNTS;
  }

  bytes(): Buffer {
    const writer = new ByteWriter();
    const hasNames = needsNames(this.levels, this.flagged);
    writer.varint(hasNames ? WITH_NAMES : PLAIN);
    for (const steps of this.steps) writer.varint(steps);
    for (const column of this.#bytes()) writer.raw(column);
    for (const column of this.#levels()) writeLevels(writer, column);
    if (hasNames) writeNamed(writer, this.levels, this.flagged);
    for (const counts of this.counts) {
      writer.varint(counts.length);
      writer.raw(counts);
    }
    return deflateRawSync(writer.written, { level: 6 });
  }

  static from(bytes: Uint8Array): MinuteTable {
    const reader = new ByteReader(inflateRawSync(bytes));
    const version = reader.varint();
    if (!VERSIONS.includes(version)) throw new RangeError('minutes in an unknown form');
    const table = new MinuteTable();
    for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) table.steps[minute] = reader.varint();
    for (const column of table.#bytes()) column.set(reader.raw(MINUTES_AN_HOUR));
    for (const column of table.#levels()) readLevels(reader, column);
    if (version >= WITH_NAMES) readNamed(reader, MINUTES_AN_HOUR, table.levels, table.flagged);
    for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) table.counts[minute] = reader.raw(reader.varint());
    return table;
  }

  #levels(): Int16Array[] {
    return [...unnamedOf(this.levels), this.lp];
  }

  #bytes(): Uint8Array[] {
    return [this.readings, this.lmaxAt, ...this.flagged.slice(0, UNNAMED_FLAGS)];
  }
}
