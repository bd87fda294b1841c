/**
 * Reads the database of SLMM. The file may hold anything. Only plain tables are read, only known columns,
 * and a limited number of rows and of characters in each; values of the wrong type are not used.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { GatewayError, messageOf } from '../../../lib/index.ts';

const MAGIC = 'SQLite format 3\0';
/** A line of the meter has about 400 characters; longer values are not used. */
const LONGEST = 4_096;

/** A row of a table of SLMM, as SQLite gives it. */
export type ImportedRow = Readonly<Record<string, unknown>>;

/** Open until `close`. Errors: INVALID for what is no database of SLMM. */
export class SlmmDatabase {
  readonly #database: Database.Database;
  readonly #columns = new Map<string, readonly string[]>();

  /** Throws GatewayError INVALID with what is wrong with the file. */
  constructor(path: string) {
    if (!isSqlite(path)) throw wrong('The file is not an SQLite database.');
    this.#database = new Database(path, { fileMustExist: true });
    try {
      this.#database.pragma('query_only = on');
      this.#database.pragma('trusted_schema = off');
      this.#database.pragma('cell_size_check = on');
      const tables = this.#tables();
      if (!tables.includes('nl43_config')) throw wrong(notSlmm(tables));
      for (const table of tables) this.#columns.set(table, this.#columnsOf(table));
      if (!this.#columns.get('nl43_config')?.includes('unit_id'))
        throw wrong('The table nl43_config has no column unit_id: this is not a database of SLMM.');
    } catch (error) {
      this.close();
      throw error instanceof GatewayError ? error : unreadable(error);
    }
  }

  has(table: string): boolean {
    return this.#columns.has(table);
  }

  /** At most `limit` rows; columns that are not there are absent, values that are too long are null. */
  *rows(table: string, wanted: readonly string[], limit: number): Generator<ImportedRow> {
    const there = wanted.filter((name) => this.#columns.get(table)?.includes(name));
    if (there.length === 0) return;
    const columns = there.map((name) => `case when length("${name}") <= ${LONGEST} then "${name}" end as "${name}"`);
    try {
      const statement = this.#database.prepare(`select ${columns.join(', ')} from "${table}" limit ${limit}`);
      for (const row of statement.iterate()) yield row as ImportedRow;
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** Rows of a table, or 0 where it is not there. */
  count(table: string): number {
    if (!this.has(table)) return 0;
    try {
      return Number(this.#database.prepare(`select count(*) from "${table}"`).pluck().get());
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** Rows of a table that have a value in any of these columns; 0 where it is not there. */
  countWith(table: string, wanted: readonly string[]): number {
    const there = wanted.filter((name) => this.#columns.get(table)?.includes(name));
    if (there.length === 0) return 0;
    const has = there.map((name) => `coalesce("${name}", '') <> ''`).join(' or ');
    try {
      return Number(this.#database.prepare(`select count(*) from "${table}" where ${has}`).pluck().get());
    } catch (error) {
      throw unreadable(error);
    }
  }

  close(): void {
    this.#database.close();
  }

  /** A view or a virtual table could work without end. */
  #tables(): string[] {
    const found = this.#database.prepare(
      "select name from sqlite_schema where type = 'table' and sql like 'create table%' and length(name) < 100 limit 200",
    );
    return found.pluck().all() as string[];
  }

  /** Only stored columns; a computed one could take any time. */
  #columnsOf(table: string): string[] {
    const found = this.#database.prepare('select name from pragma_table_xinfo(?) where hidden = 0 limit 200');
    return found.pluck().all(table) as string[];
  }
}

function isSqlite(path: string): boolean {
  const begin = Buffer.alloc(MAGIC.length);
  const file = openSync(path, 'r');
  try {
    return readSync(file, begin) === MAGIC.length && begin.toString('latin1') === MAGIC;
  } finally {
    closeSync(file);
  }
}

const notSlmm = (tables: readonly string[]): string => {
  const there = tables.slice(0, 10).map((name) => JSON.stringify(name));
  return `This is not a database of SLMM: it has no table nl43_config${there.length > 0 ? `, but ${there.join(', ')}` : ''}.`;
};

const wrong = (words: string) => new GatewayError('INVALID', words, { errors: [{ path: '', message: words }] });
const unreadable = (error: unknown) => wrong(`The database cannot be read: ${messageOf(error)}.`);
