/**
 * A `gateway.db` carried over into the database of a server, and the way back: all of it, or nothing.
 * Rows of each table are counted and hashed on both sides. A backup holds such a file, too.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { IsolationLevel } from '@mikro-orm/core';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import BetterSqlite from 'better-sqlite3';
import { systemClock } from '../../clock.ts';
import { countOf } from '../../domain/figures.ts';
import { messageOf } from '../../errors.ts';
import { createLog } from '../../log.ts';
import { moveOver } from '../../system.ts';
import { StoreError } from '../problem.ts';
import { openDatabase } from '../sqlite.ts';
import { type CopiedColumn, type CopiedTable, OWN_TABLES, POSTGRES, sqliteStatements, tablesOf } from './schema.ts';

/** Facts of one database alone: its own id, and when it was written last. */
const OWN_FACTS: readonly string[] = ['database-id', 'last-write'];
const BATCH_ROWS = 1_000;

type Row = Readonly<Record<string, unknown>>;

/** One table on both sides. */
export interface Carried {
  readonly table: string;
  readonly rows: number;
  /** Hash of all rows in the order of their keys. */
  readonly sha256: string;
}

/** Names in quotes, for both databases. */
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** By their keys. JSON is the text that was written. */
async function* serverRows(em: SqlEntityManager, { name, columns, key }: CopiedTable): AsyncGenerator<Row[]> {
  const read = columns.map((column) => (column.type === 'json' ? `"${column.name}"::text` : `"${column.name}"`));
  for (let offset = 0; ; offset += BATCH_ROWS) {
    const rows = await em.execute<Row[]>(
      `select ${read.join(', ')} from ${quoted([name])} order by ${quoted(key)} limit ${BATCH_ROWS} offset ${offset}`,
    );
    yield rows;
    if (rows.length < BATCH_ROWS) return;
  }
}

function* fileRows(native: BetterSqlite.Database, { name, columns, key }: CopiedTable): Generator<Row[]> {
  const statement = native.prepare(
    `select ${quoted(columns.map((column) => column.name))} from ${quoted([name])} order by ${quoted(key)}`,
  );
  let batch: Row[] = [];
  for (const row of statement.iterate() as IterableIterator<Row>) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Throws if the two sides differ. */
async function compared(em: SqlEntityManager, native: BetterSqlite.Database, table: CopiedTable): Promise<Carried> {
  const [server, file] = [tally(table), tally(table)];
  for await (const rows of serverRows(em, table)) server.take(rows);
  for (const rows of fileRows(native, table)) file.take(rows);
  const [here, there] = [file.end(), server.end()];
  if (here.sha256 === there.sha256) return here;
  throw new Error(
    `the table ${table.name} is not the same on both sides: ${countOf(here.rows, 'row')} in the file, ${there.rows} on the server. Nothing was carried over`,
  );
}

function tally({ name, columns }: CopiedTable) {
  const hash = createHash('sha256');
  let count = 0;
  return {
    take(rows: readonly Row[]): void {
      for (const row of rows) {
        if (name === 'store_fact' && OWN_FACTS.includes(String(row.name))) continue;
        hash.update(JSON.stringify(columns.map((column) => plain(column, row[column.name]))));
        count += 1;
      }
    },
    end: (): Carried => ({ table: name, rows: count, sha256: hash.digest('hex') }),
  };
}

function plain({ type }: CopiedColumn, value: unknown): unknown {
  if (value === null) return null;
  if (type === 'boolean') return Number(value);
  return type === 'json' ? String(value) : value;
}

/** Most values in one statement (PostgreSQL: 65,535). */
const MOST_VALUES = 30_000;
const NOT_COPIED = ['mikro_orm_migrations', 'sqlite_sequence'];

/**
 * One transaction of `orm`. `file` is a database of this release that no process uses. `where`: the server's database
 * in words. Throws StoreError `other` if the server already has data.
 */
export async function copyFromFile(orm: MikroORM, file: string, where: string): Promise<readonly Carried[]> {
  const native = new BetterSqlite(file, { readonly: true });
  try {
    return await orm.em.fork().transactional(async (em) => {
      await requireEmpty(em, where);
      await POSTGRES.run(
        em,
        statementsOf(native).map(({ sql }) => sql),
      );
      const carried: Carried[] = [];
      for (const table of await tablesOf(em)) {
        await fillServerTable(em, native, table);
        carried.push(await compared(em, native, table));
      }
      return carried;
    });
  } finally {
    native.close();
  }
}

async function requireEmpty(em: SqlEntityManager, where: string): Promise<void> {
  for (const table of ['device_config', 'plugin_migration']) {
    const [first] = await em.execute<object[]>(`select 1 from ${table} limit 1`);
    if (first)
      throw new StoreError(
        'other',
        `the database ${where} holds data of a gateway already: carry over into an empty one`,
      );
  }
}

/** The statements that make the tables of plugins and their indexes, tables first. */
function statementsOf(native: BetterSqlite.Database): readonly { readonly sql: string }[] {
  const not = [...OWN_TABLES, ...NOT_COPIED].map((name) => `'${name}'`).join(', ');
  const found = native.prepare(
    `select sql from sqlite_schema where sql is not null and tbl_name not in (${not}) order by type = 'index', rowid`,
  );
  return found.all() as { readonly sql: string }[];
}

async function fillServerTable(em: SqlEntityManager, native: BetterSqlite.Database, table: CopiedTable): Promise<void> {
  const most = Math.floor(MOST_VALUES / table.columns.length);
  const db = em.getKysely<Record<string, Record<string, unknown>>>();
  for (const rows of fileRows(native, table)) {
    const own = rows.filter(({ name }) => table.name !== 'store_fact' || !OWN_FACTS.includes(String(name)));
    const values = own.map((row) =>
      Object.fromEntries(table.columns.map((column) => [column.name, serverValue(table, column, row[column.name])])),
    );
    for (let from = 0; from < values.length; from += most)
      await db
        .insertInto(table.name)
        .values(values.slice(from, from + most))
        .execute()
        .catch((error) => {
          throw new Error(`rows of the table ${table.name} cannot be carried over: ${messageOf(error)}`, {
            cause: error,
          });
        });
  }
}

function serverValue({ name }: CopiedTable, column: CopiedColumn, value: unknown): unknown {
  if (value === null) return null;
  if (column.type === 'boolean') return value !== 0;
  if (column.type === 'json' || column.type === 'text') return String(value);
  if (typeof value === 'number') return value;
  throw new Error(
    `the column ${column.name} of the table ${name} has ${typeof value} ${JSON.stringify(value)} in the place of a number`,
  );
}

/** Everything as it is at one moment. `file` is replaced when the copy is whole. */
export async function copyToFile(orm: MikroORM, file: string): Promise<readonly Carried[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(dirname(file), '.copy-'));
  try {
    await (await openDatabase(folder, { clock: systemClock, log: createLog('silent') })).close();
    const draft = join(folder, 'gateway.db');
    const carried = await orm.em
      .fork()
      .transactional((em) => fillFile(draft, em), { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
    await chmod(draft, 0o600);
    await moveOver(draft, file);
    return carried;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillFile(path: string, em: SqlEntityManager): Promise<readonly Carried[]> {
  const native = new BetterSqlite(path);
  try {
    native.exec('begin');
    const carried: Carried[] = [];
    for (const table of await tablesOf(em)) {
      if (OWN_TABLES.includes(table.name)) native.exec(`delete from "${table.name}"`);
      else for (const statement of sqliteStatements(table)) native.exec(statement);
      await fillFileTable(native, em, table);
      carried.push(await compared(em, native, table));
    }
    native.exec(`delete from store_fact where name in (${OWN_FACTS.map((name) => `'${name}'`).join(', ')})`);
    native.exec('commit');
    native.pragma('wal_checkpoint(truncate)');
    return carried;
  } finally {
    native.close();
  }
}

async function fillFileTable(native: BetterSqlite.Database, em: SqlEntityManager, table: CopiedTable): Promise<void> {
  const names = table.columns.map(({ name }) => name);
  const marks = names.map(() => '?').join(', ');
  const insert = native.prepare(`insert into "${table.name}" (${quoted(names)}) values (${marks})`);
  for await (const rows of serverRows(em, table))
    for (const row of rows) insert.run(names.map((name) => sqliteValue(row[name])));
}

const sqliteValue = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);
