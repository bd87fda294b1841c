/** Tables of plugins: defined by their fields, made by the plugin's own migrations, read and written in transactions. */
import { EntitySchema, type FilterQuery } from '@mikro-orm/core';
import type { EntityManager, MikroORM } from '@mikro-orm/sqlite';
import type { Table } from '../fields/table.ts';
import type { Commits } from './commits.ts';
import type { Rows, Selection, TableMigration, Tables, Where } from './contract.ts';
import { columnsOf, PluginMigrationEntity } from './entities.ts';
import { StoreError } from './problem.ts';

const NAME = /^[a-z][a-z0-9_]*$/;
const BATCH_ROWS = 500;

interface TableSet {
  readonly owner: string;
  readonly tables: readonly Table<never>[];
  readonly migrations: readonly TableMigration[];
  /** Makes a copy of the database before the first change. */
  readonly beforeChange: () => Promise<void>;
}

export async function openTables(orm: MikroORM, commits: Commits, given: TableSet): Promise<Tables> {
  const entities = new Map<string, EntitySchema>();
  for (const table of given.tables) entities.set(table.name, entityOf(table, given.owner));
  await migrate(commits, given);
  orm.discoverEntity([...entities.values()]);
  const rows = (em: EntityManager, signal: AbortSignal) => rowsOf(em, signal, entities);
  return {
    read: (work) => commits.withoutTransaction((em, signal) => work(rows(em, signal))),
    write: (work) => commits.commit('full', (em, signal) => work(rows(em, signal))),
  };
}

function entityOf({ name, key, fields }: Table<never>, owner: string): EntitySchema {
  const prefix = owner.replaceAll('-', '_');
  if (!NAME.test(name) || !(name === prefix || name.startsWith(`${prefix}_`)))
    throw new Error(`the table ${name} of the plugin ${owner} must be named ${prefix} or ${prefix}_...`);
  const columns = Object.entries(columnsOf(fields));
  const properties = columns.map(([field, column]) => [
    field,
    key.includes(field) ? { ...column, primary: true } : column,
  ]);
  return new EntitySchema({ name: `table ${name}`, tableName: name, properties: Object.fromEntries(properties) });
}

/** Each once, all that are missing in one transaction. The names carry the plugin's. */
async function migrate(commits: Commits, { owner, migrations, beforeChange }: TableSet): Promise<void> {
  const named = migrations.map((migration) => ({ ...migration, name: `${owner}/${migration.name}` }));
  const done = await commits.withoutTransaction((em) =>
    em.find(PluginMigrationEntity, { name: { $like: `${owner}/%` } }),
  );
  const known = new Set(named.map(({ name }) => name));
  const unknown = done.find(({ name }) => !known.has(name));
  if (unknown)
    throw new StoreError(
      'newer',
      `the tables of the plugin ${owner} were made by a newer release (${unknown.name}): start that release, or restore a backup`,
    );
  const missing = named.filter(({ name }) => !done.some((one) => one.name === name));
  if (missing.length === 0) return;
  await beforeChange();
  await commits.commit('full', async (em) => {
    for (const { name, statements } of missing) {
      for (const statement of statements) await em.getConnection().execute(statement);
      await em.insert(PluginMigrationEntity, { name });
    }
  });
}

/** Of no use after the work is over: a statement that comes late would stand outside its transaction. */
function rowsOf(em: EntityManager, signal: AbortSignal, entities: ReadonlyMap<string, EntitySchema>): Rows {
  const entity = ({ name }: { readonly name: string }): EntitySchema => {
    signal.throwIfAborted();
    const found = entities.get(name);
    if (!found) throw new Error(`the table ${name} is not among those that were opened`);
    return found;
  };
  return {
    async find<Row>(table: Table<Row>, { where = {}, order = {}, limit, offset }: Selection<Row> = {}) {
      const options = {
        orderBy: order as Record<string, 'asc' | 'desc'>,
        ...(limit !== undefined && { limit }),
        ...(offset !== undefined && { offset }),
      };
      const found: object[] = await em.find(entity(table), filterOf(where), options);
      em.clear();
      return found.map((row) => plain<Row>(table, row));
    },
    count: (table, where = {}) => em.count(entity(table), filterOf(where)),
    async put(table, rows) {
      if (rows.length > 0)
        await em.upsertMany(entity(table), structuredClone([...rows]) as object[], { batchSize: BATCH_ROWS });
      em.clear();
    },
    async add(table, rows) {
      if (rows.length > 0) await em.insertMany(entity(table), [...rows] as object[]);
    },
    change: (table, where, values) => em.nativeUpdate(entity(table), filterOf(where), structuredClone({ ...values })),
    remove: (table, where) => em.nativeDelete(entity(table), filterOf(where)),
  };
}

const plain = <Row>({ fields }: Table<Row>, row: object): Row =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, (row as Record<string, unknown>)[name]])) as Row;

const OPERATORS = { atLeast: '$gte', above: '$gt', atMost: '$lte', below: '$lt' } as const;

function filterOf<Row>(where: Where<Row>): FilterQuery<object> {
  const conditions = Object.entries(where).filter(([, condition]) => condition !== undefined);
  return Object.fromEntries(conditions.map(([name, condition]) => [name, operand(condition)]));
}

function operand(condition: unknown): unknown {
  if (Array.isArray(condition)) return { $in: condition };
  if (typeof condition !== 'object' || condition === null) return condition;
  return Object.fromEntries(
    Object.entries(condition).map(([word, value]) => [OPERATORS[word as keyof typeof OPERATORS], value]),
  );
}
