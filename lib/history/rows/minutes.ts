/** The 60 minutes of one hour of a series, with the level counts of each. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter, readLevels, writeLevels } from './bytes.ts';
import { centiOfMean, energyOf, lesser, MINUTES_AN_HOUR, NONE } from './levels.ts';
import type { SecondTable } from './seconds.ts';

const VERSION = 1;
const NO_COUNTS = new Uint8Array(0);

const levels = () => new Int16Array(MINUTES_AN_HOUR).fill(NONE);
const small = () => new Uint8Array(MINUTES_AN_HOUR);

export class MinuteTable {
  readonly leq = levels();
  readonly lmax = levels();
  readonly lmin = levels();
  readonly lpeak = levels();
  /** Energy mean of the readings. */
  readonly lp = levels();
  /** Steps of 100 ms that were measured, at most 600. */
  readonly steps = new Uint16Array(MINUTES_AN_HOUR);
  readonly readings = small();
  /** Second of the minute that has `lmax`. */
  readonly lmaxAt = small();
  /** Seconds with each flag, in the order of `FLAGS`. */
  readonly flagged: readonly Uint8Array[] = [small(), small(), small(), small()];
  readonly counts: Uint8Array[] = Array.from({ length: MINUTES_AN_HOUR }, () => NO_COUNTS);

  isEmpty(minute: number): boolean {
    return this.steps[minute] === 0 && this.readings[minute] === 0;
  }

  /** Makes one minute again from its seconds, in order of time; its level counts stay. */
  fill(minute: number, seconds: SecondTable): void {
    const start = minute * 60;
    const end = seconds.indexOf(start + 60);
    let steps = 0;
    let energy = 0;
    let readings = 0;
    let reading = 0;
    let [lmax, lmaxAt, lmin, lpeak] = [NONE, 0, NONE, NONE];
    const flagged = [0, 0, 0, 0];
    for (let row = seconds.indexOf(start); row < end; row++) {
      const rowSteps = seconds.steps[row] ?? 0;
      const flags = seconds.flags[row] ?? 0;
      for (let bit = 0; flags >> bit > 0; bit++) flagged[bit] = (flagged[bit] ?? 0) + ((flags >> bit) & 1);
      if (rowSteps === 0) {
        readings += 1;
        reading += energyOf(seconds.lp[row] ?? NONE);
        continue;
      }
      steps += rowSteps;
      energy += rowSteps * energyOf(seconds.leq[row] ?? NONE);
      const rowMax = seconds.lmax[row] ?? NONE;
      if (rowMax > lmax) [lmax, lmaxAt] = [rowMax, (seconds.offset[row] ?? 0) - start];
      lmin = lesser(lmin, seconds.lmin[row] ?? NONE);
      lpeak = Math.max(lpeak, seconds.lpeak[row] ?? NONE);
    }
    this.leq[minute] = centiOfMean(energy, steps);
    this.lmax[minute] = lmax;
    this.lmaxAt[minute] = lmaxAt;
    this.lmin[minute] = lmin;
    this.lpeak[minute] = lpeak;
    this.lp[minute] = centiOfMean(reading, readings);
    this.steps[minute] = steps;
    this.readings[minute] = readings;
    for (const [bit, column] of this.flagged.entries()) column[minute] = flagged[bit] ?? 0;
  }

  clear(minute: number): void {
    for (const column of this.#levels()) column[minute] = NONE;
    for (const column of [this.steps, ...this.#bytes()]) column[minute] = 0;
    this.counts[minute] = NO_COUNTS;
  }

  bytes(): Buffer {
    const writer = new ByteWriter();
    writer.varint(VERSION);
    for (const steps of this.steps) writer.varint(steps);
    for (const column of this.#bytes()) writer.raw(column);
    for (const column of this.#levels()) writeLevels(writer, column);
    for (const counts of this.counts) {
      writer.varint(counts.length);
      writer.raw(counts);
    }
    return deflateRawSync(writer.written, { level: 6 });
  }

  /** Throws if the bytes are not a table of minutes. */
  static from(bytes: Uint8Array): MinuteTable {
    const reader = new ByteReader(inflateRawSync(bytes));
    if (reader.varint() !== VERSION) throw new RangeError('minutes in an unknown form');
    const table = new MinuteTable();
    for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) table.steps[minute] = reader.varint();
    for (const column of table.#bytes()) column.set(reader.raw(MINUTES_AN_HOUR));
    for (const column of table.#levels()) readLevels(reader, column);
    for (let minute = 0; minute < MINUTES_AN_HOUR; minute++) table.counts[minute] = reader.raw(reader.varint());
    return table;
  }

  #levels(): Int16Array[] {
    return [this.leq, this.lmax, this.lmin, this.lpeak, this.lp];
  }

  #bytes(): Uint8Array[] {
    return [this.readings, this.lmaxAt, ...this.flagged];
  }
}
