/** What writes whole hours and intervals as they are: files of units, and a store that is copied into another. Nothing else works on the store meanwhile. */
import type { SeriesKey } from '../contract.ts';
import type { OpenHour } from '../rows/open-hour.ts';
import type { HourRecord, IntervalRecord } from './columns.ts';
import type { LevelSource, SeriesRecord } from './source.ts';
import type { Work } from './work.ts';

/** An hour as it is stored: its sum and its packed rows. */
export interface PackedHour {
  readonly record: HourRecord;
  /** Undefined where they are no longer kept. */
  readonly seconds: Uint8Array | undefined;
  readonly minutes: Uint8Array;
}

/** Has no open hours: all rows are in their place. */
export interface UnitStore {
  readonly source: LevelSource;
  /** Those that have a visible series. */
  units(): Work<readonly string[]>;
  /** What follows is all written by `commit`, or nothing of it. */
  begin(): Work<void>;
  commit(): Work<void>;
  undo(): Work<void>;
  /** The series with this key; an import gets a new one each time. In the transaction. */
  seriesFor(key: SeriesKey): Work<SeriesRecord>;
  /** The hours must not be there yet. In the transaction. */
  addHours(series: SeriesRecord, hours: readonly PackedHour[]): Work<void>;
  /** Ascending. Undefined, or the first that overlaps an interval of the series; then the transaction is to be undone. */
  addIntervals(series: SeriesRecord, rows: readonly IntervalRecord[]): Work<IntervalRecord | undefined>;
  close(): Promise<void>;
}

/** An hour on its way into a store. */
export function packedHour(hour: number, rows: OpenHour): PackedHour {
  const minutes = rows.minutes.bytes();
  const seconds = rows.hasSeconds ? rows.seconds.bytes() : undefined;
  const record = { hour, ...rows.sum(), secondBytes: seconds?.length ?? 0, minuteBytes: minutes.length };
  return { record, seconds, minutes };
}
