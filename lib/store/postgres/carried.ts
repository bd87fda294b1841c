/** What was copied from one database to the other, and that it is the same: rows of each table, counted and hashed on both sides. */
import { createHash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type BetterSqlite from 'better-sqlite3';
import type { CopiedColumn, CopiedTable } from './schema.ts';

/** Facts of one database alone: its own id, and when it was written last. */
export const OWN_FACTS: readonly string[] = ['database-id', 'last-write'];
const BATCH_ROWS = 1_000;

type Row = Readonly<Record<string, unknown>>;

/** One table, as it is on both sides. */
export interface Carried {
  readonly table: string;
  readonly rows: number;
  /** Of all rows in the order of their keys. */
  readonly sha256: string;
}

/** Names in quotes, for both databases. */
export const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** All rows of a table of the server, in the order of their keys, JSON as the text that was written. */
export async function* serverRows(em: SqlEntityManager, { name, columns, key }: CopiedTable): AsyncGenerator<Row[]> {
  const read = columns.map((column) => (column.type === 'json' ? `"${column.name}"::text` : `"${column.name}"`));
  for (let offset = 0; ; offset += BATCH_ROWS) {
    const rows = await em.execute<Row[]>(
      `select ${read.join(', ')} from ${quoted([name])} order by ${quoted(key)} limit ${BATCH_ROWS} offset ${offset}`,
    );
    yield rows;
    if (rows.length < BATCH_ROWS) return;
  }
}

/** The same of a file. */
export function* fileRows(native: BetterSqlite.Database, { name, columns, key }: CopiedTable): Generator<Row[]> {
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

/** Reads a table on both sides. Throws where they differ. */
export async function compared(
  em: SqlEntityManager,
  native: BetterSqlite.Database,
  table: CopiedTable,
): Promise<Carried> {
  const [server, file] = [tally(table), tally(table)];
  for await (const rows of serverRows(em, table)) server.take(rows);
  for (const rows of fileRows(native, table)) file.take(rows);
  const [here, there] = [file.end(), server.end()];
  if (here.sha256 === there.sha256) return here;
  throw new Error(
    `the table ${table.name} is not the same on both sides: ${here.rows} rows in the file, ${there.rows} on the server. Nothing was carried over`,
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
