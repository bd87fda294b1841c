/**
 * Writes whole hours and intervals unchanged: for files of units, and for copies of a store. Nothing else may use the
 * store meanwhile.
 */
import type { SeriesKey } from '../contract.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** A stored hour: its sum and its packed rows. */
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
  /**
   * Ascending. Undefined, or the first interval that overlaps an interval of the series; the caller must then undo the
   * transaction.
   */
  addIntervals(series: SeriesRecord, rows: readonly IntervalRecord[]): Work<IntervalRecord | undefined>;
  close(): Promise<void>;
}

/** An hour in the form for a store. */
export function packedHour(hour: number, rows: OpenHour): PackedHour {
  const minutes = rows.minutes.bytes();
  const seconds = rows.hasSeconds ? rows.seconds.bytes() : undefined;
  const record = { hour, ...rows.sum(), secondBytes: seconds?.length ?? 0, minuteBytes: minutes.length };
  return { record, seconds, minutes };
}
