/** A `gateway.db` carried over into the database of a server: all of it, compared, or nothing. */
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import BetterSqlite from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { StoreError } from '../problem.ts';
import { type Carried, compared, fileRows, OWN_FACTS } from './carried.ts';
import { POSTGRES } from './dialect.ts';
import { type CopiedColumn, type CopiedTable, OWN_TABLES, tablesOf } from './schema.ts';

/** Most values in one statement (PostgreSQL: 65,535). */
const MOST_VALUES = 30_000;
const NOT_COPIED = ['mikro_orm_migrations', 'sqlite_sequence'];

/**
 * One transaction of `orm`. `file` is a database of this release that nobody has open. `where`: the server's database in words.
 * Throws StoreError `other` where that holds something already.
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
        await fillTable(em, native, table);
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

/** What makes the tables of plugins and their indexes, tables first. */
function statementsOf(native: BetterSqlite.Database): readonly { readonly sql: string }[] {
  const not = [...OWN_TABLES, ...NOT_COPIED].map((name) => `'${name}'`).join(', ');
  const found = native.prepare(
    `select sql from sqlite_schema where sql is not null and tbl_name not in (${not}) order by type = 'index', rowid`,
  );
  return found.all() as { readonly sql: string }[];
}

async function fillTable(em: SqlEntityManager, native: BetterSqlite.Database, table: CopiedTable): Promise<void> {
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
