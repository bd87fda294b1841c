/**
 * The data of one hour of a unit, for the series that a query may use, best first. Decodes each row only once, and only
 * if needed.
 */
import { liesWithin, SOURCES } from '../check.ts';
import type { Range } from '../contract.ts';
import { MINUTES_AN_HOUR, SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/bytes.ts';
import { totalOf } from '../rows/counts.ts';
import type { HourSum } from '../rows/hour.ts';
import type { MinuteTable } from '../rows/minutes.ts';
import type { SecondTable } from '../rows/seconds.ts';
import type { IntervalRecord } from './columns.ts';
import { LoadedHours, type LoadedRows, type NeededRows, type StoredSum } from './loaded-hours.ts';
import type { RowSum } from './row-sum.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** A minute of an hour, or a second of it. */
export interface HourCell {
  readonly isMinute: boolean;
  /** Offset in the hour. */
  readonly place: number;
}

/** One source for the cells of this hour. */
export interface Candidate {
  /** Index in the order of sources. */
  readonly source: number;
  /** Whether its levels are those of intervals, and only spread over the seconds. */
  readonly isSpread: boolean;
  /** Measured steps. */
  steps(cell: HourCell): number;
  /** Samples of measured time. */
  samples(cell: HourCell): number;
  hasReading(cell: HourCell): boolean;
  /** Whether single seconds of a minute are known: they are removed after some time. */
  hasSeconds(minute: number): boolean;
  /** Whether a part of the cell belongs to an interval that reaches out of the row. */
  reachesOut(cell: HourCell, row: Range): boolean;
  /** Without level counts. */
  addLevels(cell: HourCell, sum: RowSum): void;
  addCounts(cell: HourCell, sum: RowSum): void;
}

/** All data of an hour, if they belong to a single series. */
interface WholeHour {
  readonly source: number;
  sum(): HourSum;
  /** Undefined if the hour still gets rows, or if its rows and its sum are of different states. */
  stored(): StoredSum | undefined;
}

/** One hour for one query. */
export interface HourView {
  readonly candidates: readonly Candidate[];
  /**
   * Intervals that do not count in the row, because they reach out of its `within`: the extremes of the row may be
   * theirs.
   */
  readonly beside: readonly IntervalsOfHour[];
  /** The sum of the whole hour, if a single series has all data. */
  readonly whole: WholeHour | null;
}

const NO_COUNTS = new Uint8Array(0);

/** The seconds and minutes of a series. */
class RowsOfHour implements Candidate {
  readonly isSpread = false;
  readonly source: number;
  readonly #hour: number;
  readonly #rows: LoadedRows;
  #minutes: MinuteTable | undefined;
  #seconds: SecondTable | undefined;
  /** The row that was found last. */
  #found = -1;

  constructor(hour: number, rows: LoadedRows) {
    this.source = SOURCES.indexOf(rows.series.source);
    this.#hour = hour;
    this.#rows = rows;
  }

  steps({ isMinute, place }: HourCell): number {
    if (isMinute) return this.#minuteTable.steps[place] ?? 0;
    const row = this.#row(place);
    return row < 0 ? 0 : (this.#secondTable.steps[row] ?? 0);
  }

  samples(cell: HourCell): number {
    if (this.steps(cell) === 0) return 0;
    const { isMinute, place } = cell;
    if (!isMinute) return this.#secondTable.samples.of(place).length;
    return totalOf(this.#minuteTable.counts[place] ?? NO_COUNTS);
  }

  hasReading({ isMinute, place }: HourCell): boolean {
    return isMinute ? (this.#minuteTable.readings[place] ?? 0) > 0 : this.#row(place) >= 0;
  }

  hasSeconds(minute: number): boolean {
    const table = this.#secondTable;
    return table.indexOf(minute * 60) < table.indexOf(minute * 60 + 60);
  }

  reachesOut(): boolean {
    return false;
  }

  addLevels({ isMinute, place }: HourCell, sum: RowSum): void {
    if (isMinute) sum.addMinute(this.#hour, place, this.#minuteTable, this.source);
    else sum.addSecond(this.#hour, this.#row(place), this.#secondTable, this.source);
  }

  addCounts({ isMinute, place }: HourCell, sum: RowSum): void {
    if (isMinute) sum.addCountsOfMinute(place, this.#minuteTable);
    else sum.addCountsOfSecond(this.#row(place), this.#secondTable);
  }

  /** -1: not found. Seconds are requested several times and in order: nearly always the next row is the right one. */
  #row(second: number): number {
    const table = this.#secondTable;
    const { offset } = table;
    if (offset[this.#found] === second && this.#found < table.count) return this.#found;
    const next = this.#found + 1;
    this.#found = offset[next] === second && next < table.count ? next : table.indexOf(second);
    return this.#found < table.count && offset[this.#found] === second ? this.#found : -1;
  }

  get #minuteTable(): MinuteTable {
    this.#minutes ??= this.#rows.minuteTable();
    return this.#minutes;
  }

  get #secondTable(): SecondTable {
    this.#seconds ??= this.#rows.secondTable();
    return this.#seconds;
  }
}

/** The intervals of a series that reach into the hour. */
class IntervalsOfHour implements Candidate {
  readonly isSpread = true;
  readonly source: number;
  readonly #start: number;
  readonly #intervals: readonly IntervalRecord[];
  readonly #steps = new Uint16Array(MINUTES_AN_HOUR);

  constructor(series: SeriesRecord, hour: number, intervals: readonly IntervalRecord[]) {
    this.source = SOURCES.indexOf(series.source);
    this.#start = hour * SECONDS_AN_HOUR;
    this.#intervals = intervals;
    for (const { at, duration } of intervals) {
      const first = Math.max(0, at - this.#start);
      const end = Math.min(SECONDS_AN_HOUR, at + duration - this.#start);
      for (let minute = Math.floor(first / 60); minute * 60 < end; minute++) {
        const seconds = Math.min(end, minute * 60 + 60) - Math.max(first, minute * 60);
        this.#steps[minute] = (this.#steps[minute] ?? 0) + seconds * STEPS_A_SECOND;
      }
    }
  }

  steps({ isMinute, place }: HourCell): number {
    if (isMinute) return this.#steps[place] ?? 0;
    const at = this.#start + place;
    const interval = this.#intervals[this.#last(at)];
    return interval && interval.at + interval.duration > at ? STEPS_A_SECOND : 0;
  }

  samples(): number {
    return 0;
  }

  hasReading(): boolean {
    return false;
  }

  hasSeconds(): boolean {
    return true;
  }

  reachesOut(cell: HourCell, row: Range): boolean {
    for (const { at, duration } of this.#within(cell)) if (at < row.from || at + duration > row.to) return true;
    return false;
  }

  addLevels(cell: HourCell, sum: RowSum): void {
    const { from, to } = this.#spanOf(cell);
    for (const interval of this.#within(cell)) sum.addInterval(interval, from, to, this.source);
  }

  addBounds(cell: HourCell, sum: RowSum): void {
    for (const interval of this.#within(cell)) sum.addBound(interval);
  }

  addCounts(): void {
    // The percentiles of an interval belong to it as a whole.
  }

  #spanOf({ isMinute, place }: HourCell): Range {
    const from = this.#start + (isMinute ? place * 60 : place);
    return { from, to: from + (isMinute ? 60 : 1) };
  }

  *#within(cell: HourCell): Generator<IntervalRecord> {
    const { from, to } = this.#spanOf(cell);
    for (let index = Math.max(0, this.#last(from)); index < this.#intervals.length; index++) {
      const interval = this.#intervals[index];
      if (!interval || interval.at >= to) return;
      if (interval.at + interval.duration > from) yield interval;
    }
  }

  /** The last interval that begins at `time` or earlier; -1 for none. */
  #last(time: number): number {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#intervals[middle]?.at ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Views of the hours of some series. In ascending order each row on the disk is read once. */
export class HourViews {
  readonly #loaded: LoadedHours;
  #last:
    | { readonly within: Range | undefined; readonly rows: readonly LoadedRows[]; readonly view: HourView }
    | undefined;

  /** `span`: span of the query, s since 1970. */
  constructor(series: readonly SeriesRecord[], source: LevelSource, span: Range) {
    this.#loaded = new LoadedHours(series, source, span);
  }

  /** Whether the needed rows of the hour are loaded and unchanged. */
  has(hour: number, needed: NeededRows): boolean {
    return this.#loaded.has(hour, needed);
  }

  /** Loads the needed rows. */
  *load(hour: number, needed: NeededRows): Work<void> {
    yield* this.#loaded.load(hour, needed);
  }

  /** The hour that was loaded last. `within`: as of an `AskedRange`. */
  at(within?: Range): HourView {
    const { hour, rows } = this.#loaded.here();
    if (this.#last?.rows !== rows || this.#last.within !== within)
      this.#last = { within, rows, view: viewOf(hour, rows, within) };
    return this.#last.view;
  }
}

function viewOf(hour: number, series: readonly LoadedRows[], within: Range | undefined): HourView {
  const candidates: Candidate[] = [];
  const beside: IntervalsOfHour[] = [];
  let whole: HourView['whole'] = null;
  for (const rows of series) {
    const { open, record, intervals: all } = rows;
    const sum = open ? () => open.sum() : record && (() => record);
    if (sum) {
      candidates.push(new RowsOfHour(hour, rows));
      whole = { sum, source: SOURCES.indexOf(rows.series.source), stored: () => rows.storedSum() };
    }
    const intervals = within ? all.filter((each) => liesWithin(each, within)) : all;
    if (all.length > intervals.length)
      beside.push(
        new IntervalsOfHour(
          rows.series,
          hour,
          all.filter((each) => !intervals.includes(each)),
        ),
      );
    if (intervals.length > 0) {
      candidates.push(new IntervalsOfHour(rows.series, hour, intervals));
      whole = null;
    }
  }
  return { candidates, beside, whole: candidates.length === 1 && beside.length === 0 ? whole : null };
}
