/** The statements of the history thread, prepared once. `writer` changes rows; `reader` is a read-only connection. */
import type { Statement } from 'better-sqlite3';
import Database from 'better-sqlite3';
import type { Stored } from '../rows/open-hour.ts';
import {
  HOUR_COLUMNS,
  type HourColumns,
  type HourRecord,
  hourRecord,
  INTERVAL_COLUMNS,
  type IntervalColumns,
  type IntervalRecord,
  intervalRecord,
} from '../stored/columns.ts';
import { type SeriesColumns, type SeriesRecord, seriesOfRow } from '../stored/source.ts';

export type DatabaseConnection = Database.Database;

/** A few MB of pages for each connection; negative: in KiB. */
const CACHE_KIB = -4_000;

export function connect(path: string): { writer: DatabaseConnection; reader: DatabaseConnection } {
  const writer = new Database(path, { timeout: 5_000 });
  writer.pragma('journal_mode = wal');
  writer.pragma('synchronous = normal');
  writer.pragma(`cache_size = ${CACHE_KIB}`);
  const reader = new Database(path, { readonly: true, timeout: 5_000 });
  reader.pragma(`cache_size = ${CACHE_KIB}`);
  return { writer, reader };
}

export class TableReader {
  readonly #seconds;
  readonly #minutes;
  readonly #hours;
  readonly #intervals;
  readonly #reaching;

  constructor(reader: DatabaseConnection) {
    const rows = (table: string) =>
      reader.prepare<[number, number], Uint8Array>(`select rows from ${table} where series = ? and hour = ?`).pluck();
    this.#seconds = rows('history_second_hour');
    this.#minutes = rows('history_minute_hour');
    this.#hours = reader.prepare<[number, number, number], HourColumns>(
      'select * from history_hour where series = ? and hour >= ? and hour < ? order by hour',
    );
    this.#intervals = reader.prepare<[number, number, number], IntervalColumns>(
      'select * from history_interval where series = ? and at >= ? and at < ? order by at',
    );
    // Intervals of a series do not overlap: only the last interval before a time can reach beyond it.
    this.#reaching = reader.prepare<[number, number], IntervalColumns>(
      'select * from history_interval where series = ? and at < ? order by at desc limit 1',
    );
  }

  stored(series: number, hour: number): Stored {
    return { seconds: this.#seconds.get(series, hour), minutes: this.#minutes.get(series, hour) };
  }

  seconds(series: number, hour: number): Uint8Array | undefined {
    return this.#seconds.get(series, hour);
  }

  minutes(series: number, hour: number): Uint8Array | undefined {
    return this.#minutes.get(series, hour);
  }

  hours(series: number, from: number, to: number): HourRecord[] {
    return this.#hours.all(series, from, to).map(hourRecord);
  }

  /** Intervals that share a second with the span, in order. */
  intervals(series: number, from: number, to: number): IntervalRecord[] {
    const before = this.#reaching.get(series, from);
    const within = this.#intervals.all(series, from, to);
    const all = before && before.at + before.duration > from ? [before, ...within] : within;
    return all.map(intervalRecord);
  }
}

export const allSeries = (connection: DatabaseConnection): SeriesRecord[] =>
  connection.prepare<[], SeriesColumns>('select * from history_series order by id').all().map(seriesOfRow);

type Plain = 'journal' | 'cut' | 'seconds' | 'minutes' | 'sum' | 'interval';
interface RowStatements extends Readonly<Record<Plain, Statement>> {
  readonly entries: Statement<[number], { id: number; head: string; rows: Uint8Array }>;
  readonly forget: readonly Statement[];
  /** 1: an interval overlaps another interval of the series. */
  readonly overlap: Statement<number[], number>;
}

/** Statements that write rows of the stream and of readings. The statements of one connection. */
export function statementsOf(writer: DatabaseConnection): RowStatements {
  const rowsOfHour = (table: string) =>
    writer.prepare(
      `insert into ${table} (series, hour, rows) values (?, ?, ?)
       on conflict (series, hour) do update set rows = excluded.rows`,
    );
  const changes = HOUR_COLUMNS.map((column) => `${column} = excluded.${column}`);
  const marks = (columns: readonly string[]) => columns.map(() => '?').join(', ');
  return {
    journal: writer.prepare('insert into history_journal (id, head, rows) values (?, ?, ?)'),
    entries: writer.prepare<[number], { id: number; head: string; rows: Uint8Array }>(
      'select id, head, rows from history_journal where id > ? order by id',
    ),
    cut: writer.prepare(
      'delete from history_journal where id in (select id from history_journal where id < ? order by id limit ?)',
    ),
    seconds: rowsOfHour('history_second_hour'),
    minutes: rowsOfHour('history_minute_hour'),
    sum: writer.prepare(
      `insert into history_hour (series, hour, ${HOUR_COLUMNS.join(', ')}) values (?, ?, ${marks(HOUR_COLUMNS)})
       on conflict (series, hour) do update set ${changes}`,
    ),
    forget: ['history_second_hour', 'history_minute_hour', 'history_hour'].map((table) =>
      writer.prepare(`delete from ${table} where series = ? and hour = ?`),
    ),
    overlap: writer
      .prepare<number[], number>(
        `select exists (select 1 from history_interval where series = ? and at >= ? and at < ?)
         or coalesce((select at + duration from history_interval where series = ? and at < ? order by at desc limit 1), 0) > ?`,
      )
      .pluck(),
    interval: writer.prepare(
      `insert into history_interval (series, ${INTERVAL_COLUMNS.join(', ')}) values (?, ${marks(INTERVAL_COLUMNS)})`,
    ),
  };
}
