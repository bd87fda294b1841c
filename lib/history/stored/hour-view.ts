/**
 * The data of one hour of a unit, for the series that a query may use, best first. Decodes each row only once, and only
 * if needed.
 */
import { liesWithin, SOURCES } from '../check.ts';
import type { Range } from '../contract.ts';
import { MINUTES_AN_HOUR, SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/bytes.ts';
import { totalOf } from '../rows/counts.ts';
import type { HourSum } from '../rows/hour.ts';
import { MinuteTable } from '../rows/minutes.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { RowSum } from './row-sum.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** A minute of an hour, or a second of it. */
export interface HourCell {
  readonly isMinute: boolean;
  readonly place: number;
}

export interface Candidate {
  readonly source: number;
  /** Whether its levels are those of intervals, and only spread over the seconds. */
  readonly isSpread: boolean;
  steps(cell: HourCell): number;
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
}

export interface HourView {
  readonly candidates: readonly Candidate[];
  /** Intervals that reach out of `within` of the row: its extremes may be theirs. */
  readonly beside: readonly IntervalsOfHour[];
  readonly whole: WholeHour | null;
}

/** Needed rows of an hour: only its sum; its minutes; its seconds; or both, for a part that is cut within a minute. */
export type NeededRows = 'whole' | 'minutes' | 'seconds' | 'both';

class LoadedRows {
  readonly series: SeriesRecord;
  /** Rows in place of the stored ones. */
  readonly open: OpenHour | undefined;
  readonly record: HourRecord | undefined;
  readonly intervals: readonly IntervalRecord[];
  /** Null without minutes; undefined before they are read. */
  #minutes: Uint8Array | null | undefined;
  #seconds: Uint8Array | null | undefined;
  #minuteTable: MinuteTable | undefined;
  #secondTable: SecondTable | undefined;

  constructor(series: SeriesRecord, { open, record, intervals }: Pick<LoadedRows, 'open' | 'record' | 'intervals'>) {
    this.series = series;
    this.open = open;
    this.record = record;
    this.intervals = intervals;
    this.#minutes = open || record ? undefined : null;
    this.#seconds = this.#minutes;
  }

  has(needed: NeededRows): boolean {
    if (this.open || needed === 'whole') return true;
    return (
      (needed === 'seconds' || this.#minutes !== undefined) && (needed === 'minutes' || this.#seconds !== undefined)
    );
  }

  *load(hour: number, needed: NeededRows, source: LevelSource): Work<void> {
    const { id } = this.series;
    if (!this.has(needed) && needed !== 'seconds') this.#minutes ??= (yield* source.minutes(id, hour)) ?? null;
    if (!this.has(needed) && needed !== 'minutes') this.#seconds ??= (yield* source.seconds(id, hour)) ?? null;
  }

  minuteTable(): MinuteTable {
    if (this.open) return this.open.minutes;
    this.#minuteTable ??= this.#minutes ? MinuteTable.from(this.#minutes) : noneOf(this.#minutes, new MinuteTable());
    return this.#minuteTable;
  }

  secondTable(): SecondTable {
    if (this.open) return this.open.seconds;
    this.#secondTable ??= this.#seconds ? SecondTable.from(this.#seconds) : noneOf(this.#seconds, new SecondTable());
    return this.#secondTable;
  }
}

function noneOf<Table>(bytes: Uint8Array | null | undefined, empty: Table): Table {
  if (bytes === undefined) throw new Error('rows were asked for before they were read');
  return empty;
}

const NO_COUNTS = new Uint8Array(0);

class RowsOfHour implements Candidate {
  readonly isSpread = false;
  readonly source: number;
  readonly #hour: number;
  readonly #rows: LoadedRows;
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
    return this.#rows.minuteTable();
  }

  get #secondTable(): SecondTable {
    return this.#rows.secondTable();
  }
}

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

/** Number of hours whose sums are read at once, within the query. */
const BLOCK = 256;
/** After so many readings, rows that change all the time are used as they are. */
const MOST_READINGS = 4;

/** Loads and keeps one hour at a time. In ascending order each row on the disk is read once. */
export class HourViews {
  readonly #series: readonly SeriesRecord[];
  readonly #source: LevelSource;
  readonly #span: Range;
  /** The sums of the hours around the present hour. */
  readonly #records = new Map<number, Map<number, HourRecord>>();
  #block: { readonly start: number; readonly version: number } | undefined;
  #hour: { readonly hour: number; readonly version: number; readonly rows: readonly LoadedRows[] } | undefined;
  #last:
    | { readonly within: Range | undefined; readonly rows: readonly LoadedRows[]; readonly view: HourView }
    | undefined;

  constructor(series: readonly SeriesRecord[], source: LevelSource, span: Range) {
    this.#series = series;
    this.#source = source;
    this.#span = span;
  }

  has(hour: number, needed: NeededRows): boolean {
    const here = this.#hour;
    if (here?.hour !== hour || here.version !== this.#source.version) return false;
    const really = reallyNeeded(here.rows, needed);
    return here.rows.every((rows) => rows.has(really));
  }

  /** Loads the needed rows before the cells are read, so that adding up never waits. */
  *load(hour: number, needed: NeededRows): Work<void> {
    // Rows may move to another place during this wait: then they are read again.
    for (let reading = 0; reading < MOST_READINGS && !this.has(hour, needed); reading++) {
      const { version } = this.#source;
      if (this.#hour?.hour !== hour || this.#hour.version !== version)
        this.#hour = { hour, version, rows: yield* this.#rowsOf(hour) };
      const really = reallyNeeded(this.#hour.rows, needed);
      for (const rows of this.#hour.rows) yield* rows.load(hour, really, this.#source);
    }
  }

  /** The hour that was loaded last. `within`: as of an `AskedRange`. */
  at(within?: Range): HourView {
    if (!this.#hour) throw new Error('no hour was loaded');
    const { hour, rows } = this.#hour;
    if (this.#last?.rows !== rows || this.#last.within !== within)
      this.#last = { within, rows, view: viewOf(hour, rows, within) };
    return this.#last.view;
  }

  *#loadBlock(hour: number): Work<void> {
    const { version } = this.#source;
    const start = Math.floor(hour / BLOCK) * BLOCK;
    if (start === this.#block?.start && version === this.#block.version) return;
    const first = Math.max(start, Math.floor(this.#span.from / SECONDS_AN_HOUR));
    const end = Math.min(start + BLOCK, Math.ceil(this.#span.to / SECONDS_AN_HOUR));
    for (const { id } of this.#series) {
      const records = yield* this.#source.hours(id, first, end);
      this.#records.set(id, new Map(records.map((record) => [record.hour, record])));
    }
    this.#block = { start, version };
  }

  *#rowsOf(hour: number): Work<LoadedRows[]> {
    const all: Pick<LoadedRows, 'series' | 'open' | 'intervals'>[] = [];
    for (const series of this.#series) {
      const open = yield* this.#source.openHour(series.id, hour);
      all.push({ series, open, intervals: yield* this.#intervals(series, hour) });
    }
    // Read last: an hour that was open before is then among the stored hours.
    yield* this.#loadBlock(hour);
    return all.map(({ series, ...rows }) => {
      const record = this.#records.get(series.id)?.get(hour);
      return new LoadedRows(series, { ...rows, record });
    });
  }

  *#intervals({ id, intervalsFrom, intervalsTo }: SeriesRecord, hour: number): Work<readonly IntervalRecord[]> {
    const start = hour * SECONDS_AN_HOUR;
    const end = start + SECONDS_AN_HOUR;
    if (intervalsFrom === null || intervalsTo === null || intervalsFrom >= end || intervalsTo <= start) return [];
    return yield* this.#source.intervals(id, start, end);
  }
}

/** The sum of an hour is enough only if a single series has all data. */
function reallyNeeded(rows: readonly LoadedRows[], needed: NeededRows): NeededRows {
  if (needed !== 'whole') return needed;
  const having = rows.filter(({ open, record }) => open || record);
  return having.length <= 1 && rows.every(({ intervals }) => intervals.length === 0) ? 'whole' : 'minutes';
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
      whole = { sum, source: SOURCES.indexOf(rows.series.source) };
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
