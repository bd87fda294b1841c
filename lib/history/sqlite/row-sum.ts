/**
 * Adds up what belongs to one row of an answer, and writes the row as numbers: they cross to the main thread as they are.
 * Layout: `AT`, then one number for each flag, one for each level, one for each percentile. NaN is null.
 */
import { FLAGS, type Flag, type FlaggedSeconds } from '../../domain/flags.ts';
import { LevelCounts, LOWEST } from '../../domain/indices/level-counts.ts';
import { KEPT } from '../../domain/quantities.ts';
import { SOURCES } from '../check.ts';
import type { HistoryRow, Source } from '../contract.ts';
import { type Levels, LMAX, PLACES } from '../rows/columns.ts';
import { addCountBytes, classIndex } from '../rows/counts.ts';
import type { HourSum } from '../rows/hour.ts';
import { LevelSums } from '../rows/level-sums.ts';
import { energyOf, NONE, STEPS_A_SECOND } from '../rows/levels.ts';
import type { MinuteTable } from '../rows/minutes.ts';
import type { SecondTable } from '../rows/seconds.ts';
import type { IntervalRecord } from './columns.ts';

const AT = { from: 0, to: 1, lmaxAt: 2, lp: 3, measured: 4, readings: 5, sources: 6, resolution: 7 } as const;
const FLAGS_AT = 8;
const LEVELS_AT = FLAGS_AT + FLAGS.length;
const PERCENTILES_AT = LEVELS_AT + KEPT.length;
export const widthOf = (percentiles: number): number => PERCENTILES_AT + percentiles;

export interface Wanted {
  readonly percentiles: readonly number[];
  readonly counts: boolean;
}

export class RowSum {
  readonly #wanted: Wanted;
  readonly #counts = new LevelCounts();
  readonly #levels = new LevelSums();
  readonly #flagged = new Float64Array(FLAGS.length);
  #from = 0;
  #to = 0;
  #readings = 0;
  #reading = 0;
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
    this.#readings = this.#reading = this.#sources = this.#resolution = 0;
    this.#interval = null;
    this.#levels.clear();
    for (let bit = 0; bit < FLAGS.length; bit++) this.#flagged[bit] = 0;
    this.#counts.clear();
  }

  addHour(hour: number, sum: HourSum, source: number): void {
    this.#measured(sum.levels, sum.steps, source);
    this.#read(sum.readings, sum.lp, source);
    this.#levels.addExtremes(sum.levels, hour * 3_600 + sum.lmaxAt);
    for (let bit = 0; bit < FLAGS.length; bit++) this.#flag(bit, sum.flagged[bit] ?? 0);
    if (this.#wantsCounts) addCountBytes(this.#counts, sum.counts);
  }

  addMinute(hour: number, minute: number, table: MinuteTable, source: number): void {
    const steps = table.steps[minute] ?? 0;
    if (steps > 0) this.#seen(source);
    else this.#read(table.readings[minute] ?? 0, table.lp[minute] ?? NONE, source);
    this.#levels.addRow(table.levels, minute, steps, hour * 3_600 + minute * 60 + (table.lmaxAt[minute] ?? 0));
    for (let bit = 0; bit < FLAGS.length; bit++) this.#flag(bit, table.flagged[bit]?.[minute] ?? 0);
    const counts = table.counts[minute];
    if (this.#wantsCounts && counts) addCountBytes(this.#counts, counts);
  }

  addSecond(hour: number, row: number, table: SecondTable, source: number): void {
    const steps = table.steps[row] ?? 0;
    if (steps > 0) this.#seen(source);
    else this.#read(1, table.lp[row] ?? NONE, source);
    if (this.#wantsCounts) {
      if (steps > 0) table.samples.addTo(this.#counts, table.offset[row] ?? 0);
      else this.#counts.addClass(LOWEST + classIndex(table.lp[row] ?? NONE), 1);
    }
    this.#levels.addRow(table.levels, row, steps, hour * 3_600 + (table.offset[row] ?? 0));
    const flags = table.flags[row] ?? 0;
    for (let bit = 0; flags >> bit > 0; bit++) this.#flag(bit, (flags >> bit) & 1);
  }

  /** The part of an interval in `[from, to)`, as if it was even. Its extremes count where it begins, if it lies within the row. */
  addInterval(interval: IntervalRecord, from: number, to: number, source: number): void {
    const end = interval.at + interval.duration;
    const seconds = Math.min(end, to) - Math.max(interval.at, from);
    if (this.#levels.steps === 0) this.#interval = interval;
    else if (this.#interval !== interval) this.#interval = null;
    this.#measured(interval.levels, seconds * STEPS_A_SECOND, source, interval);
    if (interval.at < from || interval.at < this.#from || end > this.#to) return;
    this.#levels.addExtremes(interval.levels, interval.at);
  }

  /** Writes the row at `index`; returns its level counts if they are wanted. */
  write(into: Float64Array, index: number): (readonly [number, number])[] | undefined {
    const { percentiles } = this.#wanted;
    const out = into.subarray(index * widthOf(percentiles.length));
    const { steps } = this.#levels;
    const lmax = this.#levels.decibels(LMAX);
    out[AT.from] = this.#from;
    out[AT.to] = this.#to;
    out[AT.lmaxAt] = Number.isNaN(lmax) ? Number.NaN : this.#levels.lmaxAt;
    out[AT.lp] = meanOf(this.#reading, this.#readings);
    out[AT.measured] = steps / STEPS_A_SECOND;
    out[AT.readings] = this.#readings;
    out[AT.sources] = this.#sources;
    out[AT.resolution] = this.#resolution;
    for (let bit = 0; bit < FLAGS.length; bit++) out[FLAGS_AT + bit] = this.#flagged[bit] ?? 0;
    for (const place of PLACES) out[LEVELS_AT + place] = this.#levels.decibels(place);
    for (const [place, percentile] of percentiles.entries()) out[PERCENTILES_AT + place] = this.#exceeded(percentile);
    return this.#wanted.counts ? [...this.#counts] : undefined;
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
    if (this.#counts.total * 100 < this.#levels.steps * 99) return Number.NaN;
    return Math.round((this.#counts.exceeded(percentile) ?? Number.NaN) * 100) / 100;
  }

  /** Time of a measured hour, or of an interval. */
  #measured(levels: Levels, steps: number, source: number, interval: IntervalRecord | null = null): void {
    if (steps === 0) return;
    if (interval === null) this.#interval = null;
    this.#levels.addMeans(levels, steps);
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, interval?.duration ?? 1);
  }

  /** A measured minute or second is part of the row. */
  #seen(source: number): void {
    this.#interval = null;
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, 1);
  }

  #read(readings: number, lp: number, source: number): void {
    if (readings === 0) return;
    this.#readings += readings;
    this.#reading += readings * energyOf(lp);
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, 1);
  }

  #flag(bit: number, seconds: number): void {
    this.#flagged[bit] = (this.#flagged[bit] ?? 0) + seconds;
  }
}

/** To a millionth of a dB, so that merging rows further adds no rounding error. */
const meanOf = (energy: number, weight: number) =>
  weight > 0 ? Math.round(1e7 * Math.log10(energy / weight)) / 1e6 : Number.NaN;

const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);

/** Nearly all rows have these: they share them. */
const NO_PERCENTILES: readonly null[] = Object.freeze([]);
const NO_FLAGS = Object.freeze(record(FLAGS, 0));
type Row = { -readonly [Field in keyof HistoryRow]: HistoryRow[Field] };
/** Copied and then filled: quicker than an object that grows level by level. */
const EMPTY: Readonly<Row> = Object.freeze({
  ...{ from: 0, to: 0, lmaxAt: null, lp: null, ln: NO_PERCENTILES, measured: 0, readings: 0 },
  ...{ flagged: NO_FLAGS, sources: [], resolution: 0 },
  ...record(KEPT, null),
});

function record<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

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
  const row: Row = { ...EMPTY };
  row.from = number(AT.from);
  row.to = number(AT.to);
  row.lmaxAt = level(AT.lmaxAt);
  row.lp = level(AT.lp);
  if (percentiles > 0) row.ln = Array.from(numbers.subarray(at + PERCENTILES_AT, at + width), orNull);
  row.measured = number(AT.measured);
  row.readings = number(AT.readings);
  row.flagged = flaggedAt(numbers, at + FLAGS_AT);
  row.sources = sourcesOf(number(AT.sources));
  row.resolution = number(AT.resolution);
  let place = LEVELS_AT;
  for (const name of KEPT) row[name] = level(place++);
  if (counts) row.counts = counts;
  return row;
}

function flaggedAt(numbers: Float64Array, at: number): FlaggedSeconds {
  let seconds = 0;
  for (let bit = 0; bit < FLAGS.length; bit++) seconds += numbers[at + bit] ?? 0;
  if (seconds === 0) return NO_FLAGS;
  const flagged: Record<Flag, number> = { ...NO_FLAGS };
  for (const [bit, name] of FLAGS.entries()) flagged[name] = numbers[at + bit] ?? 0;
  return flagged;
}

/** One list for each set of sources: rows share them. */
const LISTS: readonly (readonly Source[])[] = Array.from({ length: 1 << SOURCES.length }, (_, bits) =>
  Object.freeze(SOURCES.filter((_, bit) => (bits >> bit) & 1)),
);
const sourcesOf = (bits: number): readonly Source[] => LISTS[bits] ?? [];
