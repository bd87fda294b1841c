/** Source of answers: the rows of a store, and facts about a span that need no rows. */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import type { Range, SeriesKey, Source, Weighting } from '../contract.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { Work } from './work.ts';

/** A series in a store; its number is valid only there. */
export interface SeriesRecord extends SeriesKey {
  readonly id: number;
  readonly channel: string;
  /** False during an import: its rows are invisible. */
  ready: boolean;
  /** Bounds of its intervals, s since 1970; null without intervals. */
  intervalsFrom: number | null;
  intervalsTo: number | null;
}

/** A row of `history_series`. */
export interface SeriesColumns {
  readonly id: number;
  readonly unit_id: string;
  /** Missing or null in SQLite: the main channel. */
  readonly channel?: string | null;
  readonly source: Source;
  readonly frequency: Weighting['frequency'];
  readonly time: Weighting['time'];
  /** A number in SQLite. */
  readonly ready: boolean | number;
  readonly intervals_from: number | null;
  readonly intervals_to: number | null;
}

export const seriesOfRow = (row: SeriesColumns): SeriesRecord => ({
  id: row.id,
  unitId: row.unit_id,
  channel: row.channel ?? MAIN_CHANNEL,
  source: row.source,
  weighting: { frequency: row.frequency, time: row.time },
  ready: Boolean(row.ready),
  intervalsFrom: row.intervals_from,
  intervalsTo: row.intervals_to,
});

/** Number of stored hours with data in a span, the first and the last. */
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

export interface LevelSource {
  /** Grows when stored rows change: rows that were read earlier must be read again. */
  readonly version: number;
  /** The visible series: the best source first, and the oldest first within a source. */
  seriesOf(unitId: string): Work<readonly SeriesRecord[]>;
  /** Hours that still get rows: their stored rows do not count. */
  openHours(series: number): readonly number[];
  openHour(series: number, hour: number): Work<OpenHour | undefined>;
  countHours(series: number, first: number, end: number): Work<HourCount>;
  /** Whether an hour has only minutes. */
  lacksSeconds(series: number, first: number, end: number): Work<boolean>;
  /** Whether an interval with a maximum or minimum reaches out of its step, or out of the span. */
  hasReaching(series: number, cut: Cut): Work<boolean>;
  hours(series: number, from: number, to: number): Work<readonly HourRecord[]>;
  /** Packed minutes; undefined if the hour has none. */
  minutes(series: number, hour: number): Work<Uint8Array | undefined>;
  seconds(series: number, hour: number): Work<Uint8Array | undefined>;
  /** Intervals that share a second with the span, in order. */
  intervals(series: number, from: number, to: number): Work<readonly IntervalRecord[]>;
  /** Stored hours as short lists that change with the hour. The first cell is the hour. */
  digestedHours(series: number, first: number, end: number): Work<readonly (readonly unknown[])[]>;
  /** The same for all intervals that begin between two times. */
  digestedIntervals(series: number, after: number, before: number): Work<readonly unknown[]>;
}

export interface PackedHour {
  readonly record: HourRecord;
  /** Undefined if they are no longer kept. */
  readonly seconds: Uint8Array | undefined;
  readonly minutes: Uint8Array;
}

/** Without open hours: all rows are stored. */
export interface UnitStore {
  readonly source: LevelSource;
  /** Units with a visible series. */
  units(): Work<readonly string[]>;
  /** `commit` writes all following changes, or none of them. */
  begin(): Work<void>;
  commit(): Work<void>;
  undo(): Work<void>;
  /** The series with this key; an import gets a new series each time. Within the transaction. */
  seriesFor(key: SeriesKey): Work<SeriesRecord>;
  /** The hours must be new. Within the transaction. */
  addHours(series: SeriesRecord, hours: readonly PackedHour[]): Work<void>;
  /** Returns the intervals that are not added, because they overlap an interval of the series. */
  addIntervals(series: SeriesRecord, rows: readonly IntervalRecord[]): Work<readonly IntervalRecord[]>;
  close(): Promise<void>;
}

/** An hour in the form for a store. */
export function packedHour(hour: number, rows: OpenHour): PackedHour {
  const minutes = rows.minutes.bytes();
  const seconds = rows.hasSeconds ? rows.seconds.bytes() : undefined;
  const record = { hour, ...rows.sum(), secondBytes: seconds?.length ?? 0, minuteBytes: minutes.length };
  return { record, seconds, minutes };
}
