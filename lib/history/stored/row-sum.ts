/**
 * Adds up the data of one row of an answer, and writes the row as numbers: they cross to the main thread as they are.
 */
import { FLAGS } from '../../domain/flags.ts';
import { LevelCounts } from '../../domain/indices/level-counts.ts';
import { ENOUGH } from '../../domain/indices/span-levels.ts';
import { EXTREMES } from '../../domain/quantities.ts';
import { energyOfCenti, NONE, STEPS_A_SECOND } from '../rows/bytes.ts';
import { type Levels, LMAX, PLACES, placeOf } from '../rows/columns.ts';
import { addCountBytes } from '../rows/counts.ts';
import type { HourSum } from '../rows/hour.ts';
import { BoundSums, LevelSums } from '../rows/level-sums.ts';
import type { MinuteTable } from '../rows/minutes.ts';
import type { SecondTable } from '../rows/seconds.ts';
import type { IntervalRecord } from './columns.ts';
import { AT, BOUNDS_AT, FLAGS_AT, LEVELS_AT, PERCENTILES_AT, widthOf } from './row-numbers.ts';

const EXTREME_PLACES = EXTREMES.map(placeOf);

/** Samples may come from another source than levels: they then need this share of the time of the levels. */
const COUNTED = ENOUGH;
/** Share of the time of their own source for which samples may be missing. */
const UNCOUNTED = 0.01;

interface WantedColumns {
  readonly percentiles: readonly number[];
  readonly counts: boolean;
}

/** One row at a time: `begin`, then its data, then `write`. */
export class RowSum {
  readonly #wanted: WantedColumns;
  readonly #counts = new LevelCounts();
  readonly #levels = new LevelSums();
  readonly #bounds = new BoundSums();
  readonly #flagged = new Float64Array(FLAGS.length);
  #from = 0;
  #to = 0;
  #readings = 0;
  #reading = 0;
  #sources = 0;
  #resolution = 0;
  /** Steps of levels whose counts come from another source, less the steps of that source. */
  #uncounted = 0;
  /** The interval, as long as there is only one. */
  #interval: IntervalRecord | null = null;
  /** The interval whose extremes were added last: it may be added minute by minute. */
  #placed: IntervalRecord | null = null;

  constructor(wanted: WantedColumns) {
    this.#wanted = wanted;
  }

  begin(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
    this.#readings = this.#reading = this.#sources = this.#resolution = this.#uncounted = 0;
    this.#interval = this.#placed = null;
    this.#levels.clear();
    this.#bounds.clear();
    for (let bit = 0; bit < FLAGS.length; bit++) this.#flagged[bit] = 0;
    this.#counts.clear();
  }

  addHour(hour: number, sum: HourSum, source: number): void {
    this.#measured(sum.levels, sum.steps, source);
    this.#read(sum.readings, sum.lp, source);
    this.#levels.addExtremes(sum.levels, hour * 3_600 + sum.lmaxAt);
    for (let bit = 0; bit < FLAGS.length; bit++) this.#flag(bit, sum.flagged[bit] ?? 0);
    if (this.wantsCounts) addCountBytes(this.#counts, sum.counts);
  }

  /** Without its level counts: see `addCountsOfMinute`. */
  addMinute(hour: number, minute: number, table: MinuteTable, source: number): void {
    const steps = table.steps[minute] ?? 0;
    if (steps > 0) this.#seen(source);
    else this.#read(table.readings[minute] ?? 0, table.lp[minute] ?? NONE, source);
    this.#levels.addRow(table.levels, minute, steps, hour * 3_600 + minute * 60 + (table.lmaxAt[minute] ?? 0));
    for (let bit = 0; bit < FLAGS.length; bit++) this.#flag(bit, table.flagged[bit]?.[minute] ?? 0);
  }

  addCountsOfMinute(minute: number, table: MinuteTable): void {
    const counts = table.counts[minute];
    if (counts) addCountBytes(this.#counts, counts);
  }

  /** Without its level counts. */
  addSecond(hour: number, row: number, table: SecondTable, source: number): void {
    const steps = table.steps[row] ?? 0;
    if (steps > 0) this.#seen(source);
    else this.#read(1, table.lp[row] ?? NONE, source);
    this.#levels.addRow(table.levels, row, steps, hour * 3_600 + (table.offset[row] ?? 0));
    const flags = table.flags[row] ?? 0;
    for (let bit = 0; flags >> bit > 0; bit++) this.#flag(bit, (flags >> bit) & 1);
  }

  addCountsOfSecond(row: number, table: SecondTable): void {
    table.addCounts(this.#counts, row);
  }

  /** The level counts of these steps come from a source that measured `other` steps there. */
  countsOfAnother(steps: number, other: number): void {
    this.#uncounted += steps - other;
  }

  /** As if its level was constant. Extremes of an interval that reaches out of the row are bounds. */
  addInterval(interval: IntervalRecord, from: number, to: number, source: number): void {
    const end = interval.at + interval.duration;
    const seconds = Math.min(end, to) - Math.max(interval.at, from);
    if (this.#levels.steps === 0) this.#interval = interval;
    else if (this.#interval !== interval) this.#interval = null;
    this.#measured(interval.levels, seconds * STEPS_A_SECOND, source, interval);
    if (this.#placed === interval) return;
    this.#placed = interval;
    if (interval.at >= this.#from && end <= this.#to) this.#levels.addExtremes(interval.levels, interval.at);
    else this.addBound(interval);
  }

  /** An interval that has no time in the row, or only a part, but perhaps its maximum. */
  addBound({ at, duration, levels }: IntervalRecord): void {
    this.#bounds.add(levels, { from: at, to: at + duration });
  }

  /** Writes the row at `index`; returns its level counts if they are wanted. */
  write(into: Float64Array, index: number): (readonly [number, number])[] | undefined {
    const { percentiles } = this.#wanted;
    const out = into.subarray(index * widthOf(percentiles.length));
    const { steps } = this.#levels;
    const levels = this.#levels;
    out[AT.from] = this.#from;
    out[AT.to] = this.#to;
    out[AT.lmaxAt] = levels.level(LMAX) === NONE ? Number.NaN : levels.lmaxAt;
    out[AT.lp] = meanOf(this.#reading, this.#readings);
    out[AT.measured] = steps / STEPS_A_SECOND;
    out[AT.readings] = this.#readings;
    out[AT.sources] = this.#sources;
    out[AT.resolution] = this.#resolution;
    for (let bit = 0; bit < FLAGS.length; bit++) out[FLAGS_AT + bit] = this.#flagged[bit] ?? 0;
    for (const place of PLACES) out[LEVELS_AT + place] = levels.decibels(place);
    out[AT.bounded] = this.#bounds.isEmpty ? 0 : 1;
    if (!this.#bounds.isEmpty) this.#writeBounds(out);
    for (const [place, percentile] of percentiles.entries()) out[PERCENTILES_AT + place] = this.#exceeded(percentile);
    return this.#wanted.counts ? [...this.#counts] : undefined;
  }

  /** A level that may lie beyond the certain level becomes null. */
  #writeBounds(out: Float64Array): void {
    for (const [index, place] of EXTREME_PLACES.entries()) {
      if (!this.#bounds.exceeds(index, this.#levels.level(place))) continue;
      out[LEVELS_AT + place] = Number.NaN;
      if (place === LMAX) out[AT.lmaxAt] = Number.NaN;
    }
    this.#bounds.write(out, BOUNDS_AT, (place) => this.#levels.level(place));
  }

  get wantsCounts(): boolean {
    return this.#wanted.counts || this.#wanted.percentiles.length > 0;
  }

  #exceeded(percentile: number): number {
    const given = this.#interval;
    if (given && given.at === this.#from && given.at + given.duration === this.#to) {
      const levels = JSON.parse(given.ln ?? '{}') as Record<string, number>;
      const own = levels[percentile];
      if (own !== undefined) return own;
    }
    const { steps } = this.#levels;
    const { total } = this.#counts;
    if (total < (steps - this.#uncounted) * (1 - UNCOUNTED) || total < steps * COUNTED) return Number.NaN;
    return Math.round((this.#counts.exceeded(percentile) ?? Number.NaN) * 100) / 100;
  }

  #measured(levels: Levels, steps: number, source: number, interval: IntervalRecord | null = null): void {
    if (steps === 0) return;
    if (interval === null) this.#interval = null;
    this.#levels.addMeans(levels, steps);
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, interval?.duration ?? 1);
  }

  #seen(source: number): void {
    this.#interval = null;
    this.#sources |= 1 << source;
    this.#resolution = Math.max(this.#resolution, 1);
  }

  #read(readings: number, lp: number, source: number): void {
    if (readings === 0) return;
    this.#readings += readings;
    this.#reading += readings * energyOfCenti(lp);
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
