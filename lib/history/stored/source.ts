/** What answers are made of: the rows of a store, and what it knows of a span without reading rows. */
import type { Range, SeriesKey } from '../contract.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { Work } from './work.ts';

/** A series as a store knows it; its number is of this store. */
export interface SeriesRecord extends SeriesKey {
  readonly id: number;
  readonly channel: string;
  /** False while an import is under way: nobody sees its rows. */
  ready: boolean;
  /** Bounds of its intervals, s since 1970; null if it has none. */
  intervalsFrom: number | null;
  intervalsTo: number | null;
}

/** How many stored hours of a span have data, the first and the last. */
export interface HourCount {
  readonly hours: number;
  readonly first: number | null;
  readonly last: number | null;
}

/** A span that is cut into steps, the first at `begin`. */
export interface Cut extends Range {
  readonly begin: number;
  readonly step: number;
}

/** Where questions are answered from. Series by their numbers, hours since 1970, times in seconds since 1970 UTC. */
export interface LevelSource {
  /** Grows whenever rows change that were stored before: what was read of them is to be read again. */
  readonly version: number;
  /** The visible series: the best source first, and the oldest first within a source. */
  seriesOf(unitId: string): Work<readonly SeriesRecord[]>;
  /** Hours that still get rows: what is stored of them does not count. */
  openHours(series: number): readonly number[];
  openHour(series: number, hour: number): Work<OpenHour | undefined>;
  countHours(series: number, first: number, end: number): Work<HourCount>;
  /** Whether there is an hour of which only minutes are kept. */
  lacksSeconds(series: number, first: number, end: number): Work<boolean>;
  /** Whether an interval with a maximum or minimum reaches out of its step, or out of the span. */
  hasReaching(series: number, cut: Cut): Work<boolean>;
  /** The sums of stored hours, in order. */
  hours(series: number, from: number, to: number): Work<readonly HourRecord[]>;
  /** Packed; undefined where there are none. */
  minutes(series: number, hour: number): Work<Uint8Array | undefined>;
  seconds(series: number, hour: number): Work<Uint8Array | undefined>;
  /** Those that share a second with the span, in order. */
  intervals(series: number, from: number, to: number): Work<readonly IntervalRecord[]>;
  /** Stored hours as short lists that change whenever the hour does. The first cell is the hour. */
  digestedHours(series: number, first: number, end: number): Work<readonly (readonly unknown[])[]>;
  /** The same of all intervals that begin between two times. */
  digestedIntervals(series: number, after: number, before: number): Work<readonly unknown[]>;
}
