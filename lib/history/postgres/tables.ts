/**
 * The tables of the history in PostgreSQL. An hour is one row with its sum and its minutes, and one row with its
 * seconds. Both tables have a partition for each month. The rows are compressed already, so PostgreSQL does not
 * compress them again. Levels are hundredths of a dB.
 */
import { HistoryError } from '../problem.ts';
import { HOUR_COLUMNS } from '../stored/columns.ts';
import type { PostgresDatabase, Statements } from './database.ts';

/** For `pg_advisory_xact_lock`: one gateway at a time changes tables. */
const LOCK = 7_301_957;

const SMALL = 'smallint not null';
const WIDE: Readonly<Record<string, string>> = {
  steps: 'integer not null',
  second_bytes: 'integer not null',
  minute_bytes: 'integer not null',
  counts: 'bytea not null',
  spans: 'bytea not null',
  more: 'text',
};
const HOUR_TYPES = HOUR_COLUMNS.map((name) => `${name} ${WIDE[name] ?? SMALL}`);

/** Each change is applied once, in order. A later change only adds: the release before it still works. */
const CHANGES: readonly (readonly string[])[] = [
  [
    `create table history_series (
       id integer generated always as identity primary key,
       unit_id text collate "C" not null, source text not null, frequency text not null, time text not null,
       channel text collate "C" not null default 'main',
       ready boolean not null, intervals_from bigint, intervals_to bigint)`,
    `create unique index history_series_key on history_series (unit_id, channel, source, frequency, time) where source <> 'import'`,
    'create index history_series_unit on history_series (unit_id)',
    `create table history_hour (
       series integer not null, hour integer not null, ${HOUR_TYPES.join(', ')}, minutes bytea not null,
       primary key (series, hour)) partition by range (hour)`,
    'create index history_hour_time on history_hour (hour)',
    `create table history_second_hour (
       series integer not null, hour integer not null, rows bytea not null,
       primary key (series, hour)) partition by range (hour)`,
    'create index history_second_hour_time on history_second_hour (hour)',
    `create table history_interval (
       series integer not null, at bigint not null, duration integer not null,
       leq ${SMALL}, lmax ${SMALL}, lmin ${SMALL}, lpeak ${SMALL}, ln text, line integer, more text,
       primary key (series, at))`,
    'create index history_interval_time on history_interval (at)',
    'create index history_interval_short on history_interval (at) where duration < 60',
  ],
  [
    `create table history_present (
       writer text collate "C" not null, entry bigint not null, last bigint not null, entries bytea not null,
       primary key (writer, entry))`,
    'alter table history_present alter column entries set storage external',
    `create table history_writer (
       is_only boolean primary key default true check (is_only), writer text not null, epoch integer not null)`,
  ],
];

/** Highest `history_version` that this release can use. */
export const HISTORY_TABLES: number = CHANGES.length;

/** Columns that are compressed already. */
const PACKED: Readonly<Record<string, string>> = { history_hour: 'minutes', history_second_hour: 'rows' };

export async function makeTables(database: PostgresDatabase): Promise<void> {
  await database.transaction(async (statements) => {
    await statements.rows('select pg_advisory_xact_lock($1)', [LOCK]);
    await statements.rows('create table if not exists history_version (version integer not null)');
    const [row] = await statements.rows<{ version: number }>('select max(version) as version from history_version');
    const done = row?.version ?? 0;
    if (done > HISTORY_TABLES)
      throw new HistoryError(
        'newer',
        `the history in the database was written by a newer release (its tables have version ${done}): start that release, or restore a backup`,
      );
    for (const [index, change] of CHANGES.entries()) {
      if (index < done) continue;
      for (const statement of change) await statements.rows(statement);
      await statements.rows('insert into history_version (version) values ($1)', [index + 1]);
    }
  });
}

export class Months {
  readonly #database: PostgresDatabase;
  readonly #known = new Set<number>();

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** In a short transaction of its own: it locks the table. `within`: one that has written to the tables already. */
  async make(hours: Iterable<number>, within?: Statements): Promise<void> {
    for (const month of new Set([...hours].map(monthOf))) {
      if (this.#known.has(month)) continue;
      if (within) await makeMonth(month, within);
      else await this.#database.transaction((statements) => makeMonth(month, statements));
      this.#known.add(month);
    }
  }
}

async function makeMonth(month: number, statements: Statements): Promise<void> {
  const name = `${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, '0')}`;
  await statements.rows('select pg_advisory_xact_lock($1)', [LOCK]);
  for (const [table, packed] of Object.entries(PACKED)) {
    const [there] = await statements.rows<{ found: string | null }>('select to_regclass($1)::text as found', [
      `${table}_${name}`,
    ]);
    if (there?.found) continue;
    await statements.rows(
      `create table ${table}_${name} partition of ${table} for values from (${hourOf(month)}) to (${hourOf(month + 1)})`,
    );
    await statements.rows(`alter table ${table}_${name} alter column ${packed} set storage external`);
  }
}

function monthOf(hour: number): number {
  const date = new Date(hour * 3_600_000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const hourOf = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12) / 3_600_000;
