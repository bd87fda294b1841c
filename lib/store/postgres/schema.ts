/** Tables with their columns, on a server and in a file: the basis of a copy from one to the other. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { SqlDialect } from '../rows.ts';

/** For whole transactions that change tables, in this database. */
const LOCK = 7_310_043;
// Turns the SQL of tables of plugins, written for SQLite, into SQL for PostgreSQL. Types become those that hold the
// same values: whole numbers have 64 bits, and texts are sorted by their bytes. JSON is text under a type name of its
// own. A copy back to SQLite finds it by that name.

/** Waits until nobody else changes tables; keeps the lock until the end of the transaction. */
export const LOCK_TABLES = `select pg_advisory_xact_lock(${LOCK})`;
/** JSON as it was written. */
export const JSON_TEXT = 'json_text';
/** Text in the order of its bytes, as SQLite has it. */
export const SORTED_TEXT = 'text collate "C"';

const OTHER_TYPES: Readonly<Record<string, string>> = {
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
        .replace(TYPE, (_, before: string, type: string) => `${before}${OTHER_TYPES[type.toLowerCase()]}`)
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

/** One column, as SQLite names its type. */
export interface CopiedColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real' | 'boolean' | 'json';
  readonly nullable: boolean;
  /** As SQL. */
  readonly usual: string | null;
}

/** One table of the server. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The primary key. */
  readonly key: readonly string[];
  readonly indexes: readonly { readonly name: string; readonly columns: string }[];
}

/** Tables of the server alone: a file has others for its migrations. */
const NOT_COPIED = ['store_migration'];

/** The store's own: its migrations make them, on both. */
export const OWN_TABLES: readonly string[] = ['device_config', 'snapshot', 'store_fact', 'plugin_migration'];

const TYPES: Readonly<Record<string, CopiedColumn['type']>> = {
  bigint: 'integer',
  'double precision': 'real',
  text: 'text',
  boolean: 'boolean',
  json: 'json',
};

interface FoundColumn {
  readonly relation: string;
  readonly name: string;
  readonly type: string;
  readonly domain: string | null;
  readonly nullable: boolean;
  readonly usual: string | null;
}
interface FoundIndex {
  readonly relation: string;
  readonly name: string;
  readonly columns: string;
  readonly primary: boolean;
}

const COLUMNS = `select table_name as relation, column_name as name, data_type as type, domain_name as domain,
  is_nullable = 'YES' as nullable, column_default as usual
  from information_schema.columns where table_schema = current_schema() order by table_name collate "C", ordinal_position`;
const INDEXES = `select r.relname as relation, i.relname as name, x.indisprimary as primary,
  (select string_agg(quote_ident(a.attname), ', ' order by k.at)
    from unnest(x.indkey) with ordinality as k(number, at) join pg_attribute a on a.attrelid = r.oid and a.attnum = k.number) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class r on r.oid = x.indrelid
  join pg_namespace n on n.oid = r.relnamespace where n.nspname = current_schema()`;

/** Tables of levels, which `lib/history/postgres` makes, reads and copies, and of the lease (`lease-store.ts`). */
export const APART = /^((history|cluster)_|store_owner$)/;

/** All tables with data, by name; without those of levels. */
export async function tablesOf(em: SqlEntityManager): Promise<readonly CopiedTable[]> {
  const columns = await em.execute<FoundColumn[]>(COLUMNS);
  const indexes = await em.execute<FoundIndex[]>(INDEXES);
  const names = [...new Set(columns.map(({ relation }) => relation))].filter(
    (name) => !NOT_COPIED.includes(name) && !APART.test(name),
  );
  return names.map((name) => {
    const own = indexes.filter(({ relation }) => relation === name);
    return {
      name,
      columns: columns.filter(({ relation }) => relation === name).map(copiedColumn),
      key: (own.find(({ primary }) => primary)?.columns ?? '').split(', ').map((one) => one.replace(/^"(.*)"$/, '$1')),
      indexes: own.filter(({ primary }) => !primary),
    };
  });
}

function copiedColumn({ name, type, domain, nullable, usual }: FoundColumn): CopiedColumn {
  const found = domain === JSON_TEXT ? 'json' : TYPES[type];
  if (!found) throw new Error(`the column ${name} has the type ${type}, which is not known here`);
  return { name, type: found, nullable, usual: usual?.replace(/::[\w ]+$/, '') ?? null };
}

/** The statements that make such a table in a file. */
export function sqliteStatements({ name, columns, key, indexes }: CopiedTable): readonly string[] {
  const lines = columns.map(
    (column) =>
      `"${column.name}" ${column.type === 'boolean' ? 'integer' : column.type} ${column.nullable ? 'null' : 'not null'}${column.usual === null ? '' : ` default ${column.usual}`}`,
  );
  const made = `create table "${name}" (${lines.join(', ')}, primary key (${key.map((one) => `"${one}"`).join(', ')}))`;
  return [made, ...indexes.map((index) => `create index "${index.name}" on "${name}" (${index.columns})`)];
}
