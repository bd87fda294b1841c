/**
 * The rows of a database, SQLite or PostgreSQL: tables that are defined by their fields, those of plugins and those of
 * the store itself. The query builder of the ORM makes the statements; entities for all these tables were a quarter of
 * the work of a start.
 */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import type { Clock } from '../clock.ts';
import { type Field, snakeCase, type Table } from '../domain/fields/field.ts';
import type { Log } from '../log.ts';
import type { Commits, StoreWork } from './commits.ts';
import type { Rows, Selection, Store, TableMigration, Where } from './contract.ts';
import {
  CONFIG_TABLE,
  type DeviceConfigRow,
  FACT_TABLE,
  type Fact,
  SNAPSHOT_TABLE,
  type SnapshotRow,
} from './own-tables.ts';
import { StoreError } from './problem.ts';

const MADE = /^\s*create table (\S+)/i;
const ADDED = /^\s*alter table (\S+) add column (.+)$/is;
/** The text after the last column: the rules of the table, or its end. */
const END = /,\s*(?:primary key|unique|foreign key|check|constraint)\b|\)[^)]*$/i;

const INDEX = /^\s*create (?:unique )?index/i;

/**
 * Statements that make the same tables without `add column`: SQLite reads every table of a file again after each
 * `alter table`, which was a fifth of a first start. A table that they create has the column from the beginning. If a
 * statement between the two uses the table, both stay.
 */
export function withColumns(statements: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const statement of statements) {
    const [, table = '', column] = ADDED.exec(statement) ?? [];
    const at = whole.findLastIndex((other) => MADE.exec(other)?.[1] === table);
    const made = whole[at];
    const works = (other: string) => other.includes(table) && !INDEX.test(other);
    if (made === undefined || whole.slice(at + 1).some(works)) whole.push(statement);
    else whole[at] = made.replace(END, (end) => `, ${column}${end}`);
  }
  return whole;
}

/** Statements in the form of one database. */
export interface SqlDialect {
  /** Runs the statements of migrations, in their order. */
  run(em: SqlEntityManager, statements: readonly string[]): Promise<void>;
  /** Makes others who want to change tables wait until the transaction ends. False: there are no others. */
  lockTables(em: SqlEntityManager): Promise<boolean>;
  /** Rows without a value come last by default. */
  readonly nullsLast: boolean;
  readonly offsetNeedsLimit: boolean;
}

export const SQLITE: SqlDialect = {
  // One by one they were a third of a first start.
  run: (em, statements) => em.getConnection().executeDump(withColumns(statements).join(';\n')),
  lockTables: async () => false,
  nullsLast: false,
  offsetNeedsLimit: true,
};

const BATCH_ROWS = 500;

/** Rows by table and column, as the database has them. */
type Records = Record<string, Record<string, unknown>>;

/** Must not be used after the work has ended: a late statement would be outside its transaction. */
function rowsIn(
  em: SqlEntityManager,
  signal: AbortSignal,
  known: ReadonlySet<string>,
  { nullsLast, offsetNeedsLimit }: SqlDialect,
  unreadable?: Unreadable,
): Rows {
  const db = em.getKysely<Records>();
  const nameOf = ({ name }: { readonly name: string }): string => {
    signal.throwIfAborted();
    if (!known.has(name)) throw new Error(`the table ${name} is not among those that were opened`);
    return name;
  };
  async function insert<Row>(table: Table<Row>, rows: readonly Row[], replace: boolean) {
    const columns = Object.keys(table.fields).map(snakeCase);
    const keys = table.key.map(snakeCase);
    const others = columns.filter((column) => !keys.includes(column));
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      const values = rows.slice(from, from + BATCH_ROWS).map((row) => kept(table, row as object));
      const query = db.insertInto(nameOf(table)).values(values);
      const put = query.onConflict((conflict) =>
        others.length === 0
          ? conflict.columns(keys).doNothing()
          : conflict
              .columns(keys)
              .doUpdateSet((eb) => Object.fromEntries(others.map((one) => [one, eb.ref(`excluded.${one}`)]))),
      );
      await (replace ? put : query).execute();
    }
  }
  return {
    async find<Row>(table: Table<Row>, { where = {}, order = {}, limit, offset }: Selection<Row> = {}) {
      let query = db.selectFrom(nameOf(table)).selectAll();
      for (const one of conditions(table, where)) query = query.where(...one);
      for (const [name, way] of Object.entries(order)) {
        // Rows without a value come first, and in the other direction last.
        const said = nullsLast && fieldOf(table, name).nullable;
        query = query.orderBy(snakeCase(name), (by) => {
          if (way === 'desc') return said ? by.desc().nullsLast() : by.desc();
          return said ? by.asc().nullsFirst() : by.asc();
        });
      }
      if (limit !== undefined) query = query.limit(limit);
      // A negative limit means no limit.
      else if (offset !== undefined && offsetNeedsLimit) query = query.limit(-1);
      if (offset !== undefined) query = query.offset(offset);
      return (await query.execute()).map((record) => rowOf<Row>(table, record, unreadable));
    },
    async count(table, where = {}) {
      let query = db.selectFrom(nameOf(table)).select(({ fn }) => fn.countAll<number>().as('count'));
      for (const one of conditions(table, where)) query = query.where(...one);
      return (await query.executeTakeFirstOrThrow()).count;
    },
    put: (table, rows) => insert(table, rows, true),
    add: (table, rows) => insert(table, rows, false),
    async change(table, where, values) {
      let query = db.updateTable(nameOf(table)).set(kept(table, values));
      for (const one of conditions(table, where)) query = query.where(...one);
      return Number((await query.executeTakeFirst()).numUpdatedRows);
    },
    async remove(table, where) {
      let query = db.deleteFrom(nameOf(table));
      for (const one of conditions(table, where)) query = query.where(...one);
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },
    async unitsWithoutConfig(table) {
      return (await em.execute<{ id: string }[]>(unitsWithoutConfig(nameOf(table)))).map(({ id }) => id);
    },
  };
}

/** From one unit to the next in the index: a table may have thousands of rows of each. */
const unitsWithoutConfig = (table: string): string => `
  with recursive unit (id) as (
    select min(unit_id) from ${table}
    union all
    select (select min(unit_id) from ${table} where unit_id > unit.id) from unit where unit.id is not null
  )
  select id from unit where id is not null and id not in (select unit_id from device_config)`;

function fieldOf(table: Pick<Table<never>, 'name' | 'fields'>, name: string): Field {
  const field = table.fields[name];
  if (!field) throw new Error(`the table ${table.name} has no field ${name}`);
  return field;
}

/** By column. */
function kept<Row>(table: Table<Row>, values: object): Record<string, unknown> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [snakeCase(name), keptValue(fieldOf(table, name), value)]));
}

function keptValue({ column }: Field, value: unknown): unknown {
  if (value === null) return null;
  if (column === 'boolean') return value ? 1 : 0;
  return column === 'json' ? JSON.stringify(value) : value;
}

type Reading = readonly [name: string, column: string, read: (value: unknown) => unknown];

const readings = new WeakMap<object, readonly Reading[]>();

/** Worked out once for each table: a year of a station is half a million rows. */
function readingsOf({ fields }: Pick<Table<never>, 'fields'>): readonly Reading[] {
  const known = readings.get(fields);
  if (known) return known;
  const made = Object.entries(fields).map(
    ([name, { column }]): Reading => [name, snakeCase(name), READ[column] ?? same],
  );
  readings.set(fields, made);
  return made;
}

const same = (value: unknown): unknown => value;
const READ: Readonly<Record<string, (value: unknown) => unknown>> = {
  // A table of the store on PostgreSQL has columns of truth; those of plugins have 0 and 1.
  boolean: Boolean,
  json: (value) => JSON.parse(String(value)),
};

/** Gets what cannot be read, and the value is null. Without it, such a value is an error. */
type Unreadable = (where: { readonly table: string; readonly column: string; readonly unit_id: unknown }) => void;

function rowOf<Row>(table: Table<Row>, record: Readonly<Record<string, unknown>>, unreadable?: Unreadable): Row {
  const row: Record<string, unknown> = {};
  for (const [name, column, read] of readingsOf(table)) {
    const value = record[column];
    try {
      row[name] = value === null ? null : read(value);
    } catch (error) {
      if (!unreadable) throw error;
      unreadable({ table: table.name, column, unit_id: record.unit_id });
      row[name] = null;
    }
  }
  return row as Row;
}

const SPANS = { atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const;
type Operator = (typeof SPANS)[keyof typeof SPANS] | '=' | 'in' | 'is' | 'is not';

function conditions<Row>(table: Table<Row>, where: Where<Row>): [column: string, operator: Operator, value: unknown][] {
  return Object.entries(where).flatMap(([name, condition]) => {
    if (condition === undefined) return [];
    const field = fieldOf(table, name);
    return operands(condition).map(([operator, value]): [string, Operator, unknown] => [
      snakeCase(name),
      operator,
      Array.isArray(value) ? value.map((one) => keptValue(field, one)) : keptValue(field, value),
    ]);
  });
}

function operands(condition: unknown): [Operator, unknown][] {
  if (condition === null) return [['is', null]];
  // An empty list matches nothing: the condition is "null and not null".
  if (Array.isArray(condition) && condition.length === 0)
    return [
      ['is', null],
      ['is not', null],
    ];
  if (Array.isArray(condition)) return [['in', condition]];
  if (typeof condition !== 'object') return [['=', condition]];
  return Object.entries(condition as object).map(([word, value]) => [SPANS[word as keyof typeof SPANS], value]);
}

const NAME = /^[a-z][a-z0-9_]*$/;

interface TablesParts {
  readonly commits: Commits;
  readonly dialect: SqlDialect;
  /** Makes a copy of the database before the first change. */
  readonly beforeChange: () => Promise<void>;
}

/**
 * Runs the missing migrations of an owner, then gives access only to its tables. Throws for a table that belongs to
 * another plugin.
 */
export function tableOpener(parts: TablesParts): Store['tables'] {
  const { commits, dialect } = parts;
  let done: Set<string> | undefined;
  return async (owner, tables, migrations) => {
    for (const { name } of tables) requireOwn(name, owner);
    done ??= await commits.withoutTransaction(namesOf);
    const named = migrations.map((migration) => ({ ...migration, name: `${owner}/${migration.name}` }));
    if (missing(owner, named, done).length > 0) await migrate(parts, owner, named, done);
    const names = new Set(tables.map(({ name }) => name));
    return {
      read: (work) => commits.read((em, signal) => work(rowsIn(em, signal, names, dialect))),
      write: (work) => commits.commit('full', (em, signal) => work(rowsIn(em, signal, names, dialect))),
    };
  };
}

function requireOwn(name: string, owner: string): void {
  const prefix = owner.replaceAll('-', '_');
  if (!NAME.test(name) || !(name === prefix || name.startsWith(`${prefix}_`)))
    throw new Error(`the table ${name} of the plugin ${owner} must be named ${prefix} or ${prefix}_...`);
}

async function migrate(
  { commits, dialect, beforeChange }: TablesParts,
  owner: string,
  named: readonly TableMigration[],
  done: Set<string>,
): Promise<void> {
  await beforeChange();
  await commits.commit('full', async (em) => {
    // Others that share the database may have been quicker.
    const present = (await dialect.lockTables(em)) ? await namesOf(em) : done;
    const next = missing(owner, named, present);
    if (next.length === 0) return;
    await dialect.run(
      em,
      next.flatMap(({ statements }) => statements),
    );
    const values = next.map(({ name }) => ({ name }));
    await em.getKysely<Names>().insertInto('plugin_migration').values(values).execute();
  });
  for (const { name } of named) done.add(name);
}

/** Throws StoreError `newer` if migrations have run that this release does not know. */
function missing(
  owner: string,
  named: readonly TableMigration[],
  done: ReadonlySet<string>,
): readonly TableMigration[] {
  const known = new Set(named.map(({ name }) => name));
  const unknown = [...done].find((name) => name.startsWith(`${owner}/`) && !known.has(name));
  if (unknown)
    throw new StoreError(
      'newer',
      `the tables of the plugin ${owner} were made by a newer release (${unknown}): start that release, or restore a backup`,
    );
  return named.filter(({ name }) => !done.has(name));
}

interface Names {
  readonly plugin_migration: { readonly name: string };
}

async function namesOf(em: SqlEntityManager): Promise<Set<string>> {
  const rows = await em.getKysely<Names>().selectFrom('plugin_migration').select('name').execute();
  return new Set(rows.map(({ name }) => name));
}

/** The rows of the store. Errors: STORAGE_FULL, STORAGE_FAILED. */
export interface Database extends ReturnType<typeof keptRows>, Pick<Store, 'tables' | 'close'> {
  /** The database was just created. */
  readonly isNew: boolean;
  backup(file: string): Promise<void>;
}

const nothing = () => {};
/** For the constructor: `init` looks for extensions by name, and would load a second copy of the ORM in the build. */
export const ORM_OPTIONS = {
  entities: [],
  discovery: { warnWhenNoEntities: false },
  ensureDatabase: false,
  metadataCache: { enabled: false },
  loggerFactory: () => ({
    log: nothing,
    error: nothing,
    warn: nothing,
    logQuery: nothing,
    setDebugMode: nothing,
    isEnabled: () => false,
  }),
};

const OWN = new Set([CONFIG_TABLE, SNAPSHOT_TABLE, FACT_TABLE].map(({ name }) => name));

const withRows =
  <T>(dialect: SqlDialect, work: (rows: Rows) => Promise<T>, unreadable?: Unreadable): StoreWork<T> =>
  (em, signal) =>
    work(rowsIn(em, signal, OWN, dialect, unreadable));

/** A small write that shows whether the database can be written. */
export const probeOf = (clock: Clock, dialect: SqlDialect): StoreWork<void> =>
  withRows(dialect, (rows) => rows.put(FACT_TABLE, [{ name: 'last-write', value: String(clock.now()) }]));

/** The rows of the store itself, the same in all databases. A damaged value concerns its unit alone: it counts as missing. */
export function keptRows(commits: Commits, dialect: SqlDialect, log: Log) {
  const unreadable: Unreadable = (where) => log.error(where, 'a stored value cannot be read, and counts as missing');
  const read = <T>(work: (rows: Rows) => Promise<T>) => commits.read(withRows(dialect, work, unreadable));
  /** During the start: an error keeps its own words. */
  const readEarly = <T>(work: (rows: Rows) => Promise<T>) =>
    commits.withoutTransaction(withRows(dialect, work, unreadable));
  const write = (work: (rows: Rows) => Promise<unknown>) =>
    commits.commit<void>(
      'full',
      withRows(dialect, async (rows) => void (await work(rows))),
    );
  const factOf = (name: string) => async (rows: Rows) => (await rows.find(FACT_TABLE, { where: { name } }))[0]?.value;
  return {
    configs: () => readEarly((rows) => rows.find(CONFIG_TABLE, { order: { unitId: 'asc' } })),
    /** While the gateway runs. */
    config: (unitId: string) => read(async (rows) => (await rows.find(CONFIG_TABLE, { where: { unitId } }))[0]),
    snapshots: () => readEarly((rows) => rows.find(SNAPSHOT_TABLE)),
    fact: (name: string) => readEarly(factOf(name)),
    /** The same while the gateway runs. */
    presentFact: (name: string) => read(factOf(name)),
    putFact: (name: string, value: string) => write((rows) => rows.put(FACT_TABLE, [{ name, value }])),
    dropFact: (name: string) => write((rows) => rows.remove(FACT_TABLE, { name })),
    facts: (prefix: string) =>
      readEarly(async (rows) => (await rows.find(FACT_TABLE)).filter(({ name }) => name.startsWith(prefix))),
    putConfig: (row: DeviceConfigRow) => write((rows) => rows.put(CONFIG_TABLE, [row])),
    /** In one commit. The old values do not stay in the file. */
    replace: (configs: readonly DeviceConfigRow[], facts: readonly Fact[]) =>
      write(async (rows) => {
        await rows.put(CONFIG_TABLE, configs);
        await rows.put(FACT_TABLE, facts);
      }),
    dropUnit: (unitId: string) =>
      write(async (rows) => {
        await rows.remove(CONFIG_TABLE, { unitId });
        await rows.remove(SNAPSHOT_TABLE, { unitId });
      }),
    /** Calls `take` at its turn. The next synced commit carries the rows to the disk. */
    putSnapshots: (take: () => SnapshotRow[]) =>
      commits.commit(
        'normal',
        withRows(dialect, (rows) => rows.put(SNAPSHOT_TABLE, take())),
      ),
    trouble: () => commits.trouble,
  };
}
