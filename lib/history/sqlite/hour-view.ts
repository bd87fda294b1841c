/**
 * The data of one hour of a unit, for the series that a query may use, best first. Decodes
 * only what is needed, and only once.
 */
import { liesWithin, SOURCES } from '../check.ts';
import type { Range } from '../contract.ts';
import type { HourSum } from '../rows/hour.ts';
import { MINUTES_AN_HOUR, SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/levels.ts';
import { MinuteTable } from '../rows/minutes.ts';
import { SecondTable } from '../rows/seconds.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { OpenHours } from './open-hours.ts';
import type { RowSum } from './row-sum.ts';
import type { Reading, SeriesRecord } from './tables.ts';

/** One way to know a second or a minute of this hour. */
export interface Candidate {
  /** Place in the order of sources. */
  readonly source: number;
  /** Steps measured in a minute of the hour, or in a second of it. */
  minuteSteps(minute: number): number;
  secondSteps(second: number): number;
  hasReading(isMinute: boolean, place: number): boolean;
  addMinute(minute: number, sum: RowSum): void;
  addSecond(second: number, sum: RowSum): void;
}

export interface HourView {
  readonly candidates: readonly Candidate[];
  /** The sum of the whole hour, if a single series has all data. */
  readonly whole: { sum(): HourSum; readonly source: number } | null;
}

export interface HourSources {
  readonly reading: Reading;
  readonly open: OpenHours;
}

/** The seconds and minutes of a series. */
export class RowsOfHour implements Candidate {
  readonly source: number;
  readonly #hour: number;
  readonly #series: number;
  readonly #from: HourSources;
  #minutes: MinuteTable | undefined;
  #seconds: SecondTable | undefined;

  constructor(series: SeriesRecord, hour: number, from: HourSources) {
    this.source = SOURCES.indexOf(series.source);
    this.#series = series.id;
    this.#hour = hour;
    this.#from = from;
  }

  minuteSteps(minute: number): number {
    return this.#minuteTable.steps[minute] ?? 0;
  }

  secondSteps(second: number): number {
    const row = this.#row(second);
    return row < 0 ? 0 : (this.#secondTable.steps[row] ?? 0);
  }

  hasReading(isMinute: boolean, place: number): boolean {
    return isMinute ? (this.#minuteTable.readings[place] ?? 0) > 0 : this.#row(place) >= 0;
  }

  addMinute(minute: number, sum: RowSum): void {
    sum.addMinute(this.#hour, minute, this.#minuteTable, this.source);
  }

  addSecond(second: number, sum: RowSum): void {
    sum.addSecond(this.#hour, this.#row(second), this.#secondTable, this.source);
  }

  #row(second: number): number {
    const table = this.#secondTable;
    const row = table.indexOf(second);
    return row < table.count && table.offset[row] === second ? row : -1;
  }

  get #minuteTable(): MinuteTable {
    if (!this.#minutes) {
      const stored = this.#from.reading.minutes(this.#series, this.#hour);
      const open = this.#from.open.get(this.#series, this.#hour);
      this.#minutes = open?.minutes ?? (stored ? MinuteTable.from(stored) : new MinuteTable());
    }
    return this.#minutes;
  }

  get #secondTable(): SecondTable {
    if (!this.#seconds) {
      const open = this.#from.open.get(this.#series, this.#hour);
      const stored = open ? undefined : this.#from.reading.seconds(this.#series, this.#hour);
      this.#seconds = open?.seconds ?? (stored ? SecondTable.from(stored) : new SecondTable());
    }
    return this.#seconds;
  }
}

/** The intervals of a series that reach into the hour. */
export class IntervalsOfHour implements Candidate {
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

  minuteSteps(minute: number): number {
    return this.#steps[minute] ?? 0;
  }

  secondSteps(second: number): number {
    const at = this.#start + second;
    const interval = this.#intervals[this.#last(at)];
    return interval && interval.at + interval.duration > at ? STEPS_A_SECOND : 0;
  }

  hasReading(): boolean {
    return false;
  }

  addMinute(minute: number, sum: RowSum): void {
    this.#add(this.#start + minute * 60, this.#start + minute * 60 + 60, sum);
  }

  addSecond(second: number, sum: RowSum): void {
    this.#add(this.#start + second, this.#start + second + 1, sum);
  }

  #add(from: number, to: number, sum: RowSum): void {
    for (let index = Math.max(0, this.#last(from)); index < this.#intervals.length; index++) {
      const interval = this.#intervals[index];
      if (!interval || interval.at >= to) return;
      if (interval.at + interval.duration > from) sum.addInterval(interval, from, to, this.source);
    }
  }

  /** The last interval that begins at `time` or before; -1 for none. */
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

/** How many hours of sums are read at once. */
const BLOCK = 256;

/** Views of the hours of some series. If they are asked for in ascending order, each row on the disk is read once. */
export class HourViews {
  readonly #series: readonly SeriesRecord[];
  readonly #from: HourSources;
  #blockStart = Number.NaN;
  #records = new Map<number, Map<number, HourRecord>>();
  #last: { readonly hour: number; readonly within: Range | undefined; readonly view: HourView } | undefined;

  constructor(series: readonly SeriesRecord[], from: HourSources) {
    this.#series = series;
    this.#from = from;
  }

  /** `within`: as of an `AskedRange`. */
  at(hour: number, within?: Range): HourView {
    if (this.#last?.hour !== hour || this.#last.within !== within)
      this.#last = { hour, within, view: this.#make(hour, within) };
    return this.#last.view;
  }

  /** Forgets what may have changed since the last page. */
  refresh(): void {
    this.#blockStart = Number.NaN;
    this.#last = undefined;
  }

  #make(hour: number, within: Range | undefined): HourView {
    this.#load(hour);
    const candidates: Candidate[] = [];
    let whole: HourView['whole'] = null;
    for (const series of this.#series) {
      const open = this.#from.open.get(series.id, hour);
      const record = this.#records.get(series.id)?.get(hour);
      const sum = open ? () => open.sum() : record && (() => record);
      if (sum) {
        candidates.push(new RowsOfHour(series, hour, this.#from));
        whole = { sum, source: SOURCES.indexOf(series.source) };
      }
      const all = this.#intervals(series, hour);
      const intervals = within ? all.filter((each) => liesWithin(each, within)) : all;
      if (intervals.length > 0) {
        candidates.push(new IntervalsOfHour(series, hour, intervals));
        whole = null;
      }
    }
    return { candidates, whole: candidates.length === 1 ? whole : null };
  }

  #load(hour: number): void {
    const start = Math.floor(hour / BLOCK) * BLOCK;
    if (start === this.#blockStart) return;
    this.#blockStart = start;
    for (const { id } of this.#series) {
      const records = this.#from.reading.hours(id, start, start + BLOCK);
      this.#records.set(id, new Map(records.map((record) => [record.hour, record])));
    }
  }

  #intervals({ id, intervalsFrom, intervalsTo }: SeriesRecord, hour: number): IntervalRecord[] {
    const start = hour * SECONDS_AN_HOUR;
    const end = start + SECONDS_AN_HOUR;
    if (intervalsFrom === null || intervalsTo === null || intervalsFrom >= end || intervalsTo <= start) return [];
    return this.#from.reading.intervals(id, start, end);
  }
}
