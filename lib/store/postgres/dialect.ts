/**
 * Turns the SQL of tables of plugins, written for SQLite, into SQL for PostgreSQL. Types become those that hold the
 * same values: whole numbers have 64 bits, and texts are sorted by their bytes. JSON is text under a type name of its
 * own. A copy back to SQLite finds it by that name.
 */
import type { SqlDialect } from '../dialect.ts';

/** For whole transactions that change tables, in this database. */
const LOCK = 7_310_043;
/** Waits until nobody else changes tables; keeps the lock until the end of the transaction. */
export const LOCK_TABLES = `select pg_advisory_xact_lock(${LOCK})`;
/** JSON as it was written. */
export const JSON_TEXT = 'json_text';
/** Text in the order of its bytes, as SQLite has it. */
export const SORTED_TEXT = 'text collate "C"';

const TYPES: Readonly<Record<string, string>> = {
  integer: 'bigint',
  real: 'double precision',
  text: SORTED_TEXT,
  json: JSON_TEXT,
};
/** A type is after the name of a column, and before its rules, the next column or the end. */
const TYPE = /([\w"]\s+)(integer|real|text|json)(?=\s+(?:not null|null|primary key|default)|\s*[,)]|\s*$)/gi;

/** How SQLite stores rows; it has no meaning here. */
const STORAGE = /\)\s*without rowid\s*$/i;

/** Of `create table` and `alter table ... add column`; every other statement stays as it is. */
export const translated = (sql: string): string =>
  /^\s*(create|alter) table/i.test(sql)
    ? sql
        .replace(TYPE, (_, before: string, type: string) => `${before}${TYPES[type.toLowerCase()]}`)
        .replace(STORAGE, ')')
    : sql;

/** For tables of plugins. */
export const POSTGRES: SqlDialect = {
  async run(em, statements) {
    for (const statement of statements) await em.execute(translated(statement));
  },
  async lockTables(em) {
    await em.execute(LOCK_TABLES);
    return true;
  },
  nullsLast: true,
  offsetNeedsLimit: false,
};
