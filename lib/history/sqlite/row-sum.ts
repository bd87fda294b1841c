/**
 * Adds up what belongs to one row of an answer, and writes the row as numbers: they cross to the main thread as they are.
 * Layout: `FIELDS`, then one number for each percentile. NaN is null.
 */
import { SOURCES } from '../check.ts';
import type { HistoryRow, Source } from '../contract.ts';
import { CountTable, classIndex } from '../rows/counts.ts';
import type { HourSum } from '../rows/hour.ts';
import { energyOf, lesser, NONE, STEPS_A_SECOND } from '../rows/levels.ts';
import type { MinuteTable } from '../rows/minutes.ts';
import type { SecondTable } from '../rows/seconds.ts';
import type { IntervalRecord } from './tables.ts';

const FIELDS = 16;
export const widthOf = (percentiles: number): number => FIELDS + percentiles;

export interface Wanted {
  readonly percentiles: readonly number[];
  readonly counts: boolean;
}

export class RowSum {
  readonly #wanted: Wanted;
  readonly #table = new CountTable();
  readonly #flagged = [0, 0, 0, 0];
  #from = 0;
  #to = 0;
  #steps = 0;
  #energy = 0;
  #readings = 0;
  #reading = 0;
  #lmax = NONE;
  #lmaxAt = 0;
  #lmin = NONE;
  #lpeak = NONE;
  #sources = 0;
  #resolution = 0;
  /** The interval, as long as there is only one. */
  #interval: IntervalRecord | null = null;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  begin(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
    this.#steps = this.#energy = this.#readings = this.#reading = this.#sources = this.#resolution = 0;
    this.#lmax = this.#lmin = this.#lpeak = NONE;
    this.#interval = null;
    this.#flagged.fill(0);
    this.#table.clear();
  }

  addHour(hour: number, sum: HourSum, source: number): void {
    this.#measured(sum.steps, sum.leq, source);
    this.#read(sum.readings, sum.lp, source);
    this.#edges(sum.lmax, hour * 3_600 + sum.lmaxAt, sum.lmin, sum.lpeak);
    for (let bit = 0; bit < 4; bit++) this.#flag(bit, sum.flagged[bit] ?? 0);
    if (this.#wantsCounts) this.#table.addBytes(sum.counts);
  }

  addMinute(hour: number, minute: number, table: MinuteTable, source: number): void {
    const start = hour * 3_600 + minute * 60;
    const steps = table.steps[minute] ?? 0;
    if (steps > 0) this.#measured(steps, table.leq[minute] ?? NONE, source);
    else this.#read(table.readings[minute] ?? 0, table.lp[minute] ?? NONE, source);
    const lmaxAt = start + (table.lmaxAt[minute] ?? 0);
    this.#edges(table.lmax[minute] ?? NONE, lmaxAt, table.lmin[minute] ?? NONE, table.lpeak[minute] ?? NONE);
    for (let bit = 0; bit < 4; bit++) this.#flag(bit, table.flagged[bit]?.[minute] ?? 0);
    const counts = table.counts[minute];
    if (this.#wantsCounts && counts) this.#table.addBytes(counts);
  }

  addSecond(hour: number, row: number, table: SecondTable, source: number): void {
    const steps = table.steps[row] ?? 0;
    if (steps > 0) this.#measured(steps, table.leq[row] ?? NONE, source);
    else this.#read(1, table.lp[row] ?? NONE, source);
    if (this.#wantsCounts) {
      if (steps > 0) table.samples.addTo(this.#table, table.offset[row] ?? 0);
      else this.#table.add(classIndex(table.lp[row] ?? NONE), 1);
    }
    const at = hour * 3_600 + (table.offset[row] ?? 0);
    this.#edges(table.lmax[row] ?? NONE, at, table.lmin[row] ?? NONE, table.lpeak[row] ?? NONE);
    const flags = table.flags[row] ?? 0;
    for (let bit = 0; bit < 4; bit++) this.#flag(bit, (flags >> bit) & 1);
  }

  /** The part of an interval in `[from, to)`, as if it was even. Its extremes count where it begins, if it lies within the row. */
  addInterval(interval: IntervalRecord, from: number, to: number, source: number): void {
    const end = interval.at + interval.duration;
    const seconds = Math.min(end, to) - Math.max(interval.at, from);
    if (this.#steps === 0) this.#interval = interval;
    else if (this.#interval !== interval) this.#interval = null;
    this.#measured(seconds * STEPS_A_SECOND, interval.leq, source, interval.duration, interval);
    if (interval.at < from || interval.at < this.#from || end > this.#to) return;
    this.#edges(interval.lmax, interval.at, interval.lmin, interval.lpeak);
  }

  /** Writes the row at `index`; returns its level counts if they are wanted. */
  write(into: Float64Array, index: number): (readonly [number, number])[] | undefined {
    const { percentiles } = this.#wanted;
    const out = into.subarray(index * widthOf(percentiles.length));
    const hasMax = this.#lmax !== NONE;
    out[0] = this.#from;
    out[1] = this.#to;
    out[2] = meanOf(this.#energy, this.#steps);
    out[3] = dbOf(this.#lmax);
    out[4] = hasMax ? this.#lmaxAt : Number.NaN;
    out[5] = dbOf(this.#lmin);
    out[6] = dbOf(this.#lpeak);
    out[7] = meanOf(this.#reading, this.#readings);
    out[8] = this.#steps / STEPS_A_SECOND;
    out[9] = this.#readings;
    for (let bit = 0; bit < 4; bit++) out[10 + bit] = this.#flagged[bit] ?? 0;
    out[14] = this.#sources;
    out[15] = this.#resolution;
    for (const [place, percentile] of percentiles.entries()) out[FIELDS + place] = this.#exceeded(percentile);
    return this.#wanted.counts ? this.#table.pairs() : undefined;
  }

  get #wantsCounts(): boolean {
    return this.#wanted.counts || this.#wanted.percentiles.length > 0;
  }

  #exceeded(percentile: number): number {
    const given = this.#interval;
    if (given && given.at === this.#from && given.at + given.duration === this.#to) {
      const levels = JSON.parse(given.ln ?? '{}') as Record<string, number>;
      return levels[percentile] ?? Number.NaN;
    }
    if (this.#table.total * 100 < this.#steps * 99) return Number.NaN;
    return Math.round(this.#table.exceeded(percentile) * 100) / 100;
  }

  #measured(steps: number, leq: number, source: number, resolution = 1, interval: IntervalRecord | null = null): void {
    if (steps === 0) return;
    if (interval === null) this.#interval = null;
    this.#steps += steps;
    this.#energy += steps * energyOf(leq);
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, resolution);
  }

  #read(readings: number, lp: number, source: number): void {
    if (readings === 0) return;
    this.#readings += readings;
    this.#reading += readings * energyOf(lp);
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, 1);
  }

  #edges(lmax: number, lmaxAt: number, lmin: number, lpeak: number): void {
    if (lmax > this.#lmax) [this.#lmax, this.#lmaxAt] = [lmax, lmaxAt];
    this.#lmin = lesser(this.#lmin, lmin);
    this.#lpeak = Math.max(this.#lpeak, lpeak);
  }

  #flag(bit: number, seconds: number): void {
    this.#flagged[bit] = (this.#flagged[bit] ?? 0) + seconds;
  }
}

const dbOf = (centi: number) => (centi === NONE ? Number.NaN : centi / 100);
/** To a millionth of a dB, so that merging rows further adds no rounding error. */
const meanOf = (energy: number, weight: number) =>
  weight > 0 ? Math.round(1e7 * Math.log10(energy / weight)) / 1e6 : Number.NaN;

const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);

/** Nearly all rows have these: they share them. */
const NO_LEVELS: readonly null[] = Object.freeze([]);
const NO_FLAGS = Object.freeze({ over: 0, under: 0, frozen: 0, implausible: 0 });

/** What `write` wrote at `index`. */
export function rowAt(
  numbers: Float64Array,
  index: number,
  percentiles: number,
  counts: readonly (readonly [number, number])[] | undefined,
): HistoryRow {
  const width = widthOf(percentiles);
  const at = index * width;
  const number = (field: number) => numbers[at + field] ?? 0;
  const level = (field: number) => orNull(numbers[at + field]);
  const [over, under, frozen, implausible] = [number(10), number(11), number(12), number(13)];
  const flagged = over + under + frozen + implausible === 0 ? NO_FLAGS : { over, under, frozen, implausible };
  return {
    from: number(0),
    to: number(1),
    leq: level(2),
    lmax: level(3),
    lmaxAt: level(4),
    lmin: level(5),
    lpeak: level(6),
    lp: level(7),
    ln: percentiles === 0 ? NO_LEVELS : Array.from(numbers.subarray(at + FIELDS, at + width), orNull),
    ...(counts ? { counts } : {}),
    measured: number(8),
    readings: number(9),
    flagged,
    sources: sourcesOf(number(14)),
    resolution: number(15),
  };
}

/** One list for each set of sources: rows share them. */
const LISTS: readonly (readonly Source[])[] = Array.from({ length: 1 << SOURCES.length }, (_, bits) =>
  Object.freeze(SOURCES.filter((_, bit) => (bits >> bit) & 1)),
);
const sourcesOf = (bits: number): readonly Source[] => LISTS[bits] ?? [];
