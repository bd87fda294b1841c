/** Statements that write rows of the stream and of readings. */
import type { Statement } from 'better-sqlite3';
import { HOUR_COLUMNS, INTERVAL_COLUMNS } from '../stored/columns.ts';
import type { DatabaseConnection } from './tables.ts';

/** Prepared once; parameters in the order of the columns. */
export interface RowStatements {
  readonly journal: Statement;
  /** Entries after a number, in order. */
  readonly entries: Statement<[number], { id: number; head: string; rows: Uint8Array }>;
  /** Removes entries before a number, up to a limit. */
  readonly cut: Statement;
  readonly seconds: Statement;
  readonly minutes: Statement;
  readonly sum: Statement;
  /** Removes an empty hour. */
  readonly forget: readonly Statement[];
  /** 1: an interval overlaps another interval of the series. */
  readonly overlap: Statement<number[], number>;
  readonly interval: Statement;
}

/** The statements of one connection. */
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
