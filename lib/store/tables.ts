/** Tables of plugins: defined by their fields, made by the plugin's own migrations, read and written in transactions. */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import type { Table } from '../domain/fields/table.ts';
import type { Commits } from './commits.ts';
import type { TableMigration, Tables } from './contract.ts';
import type { SqlDialect } from './dialect.ts';
import { PluginMigrationEntity } from './entities.ts';
import { StoreError } from './problem.ts';
import { rowsIn } from './rows.ts';

const NAME = /^[a-z][a-z0-9_]*$/;

interface TableSet {
  readonly owner: string;
  readonly tables: readonly Table<never>[];
  readonly migrations: readonly TableMigration[];
  /** Makes a copy of the database before the first change. */
  readonly beforeChange: () => Promise<void>;
}

/**
 * Runs the migrations that have not run, then gives access to these tables alone. Throws for a name that belongs to
 * another plugin.
 */
export async function openTables(commits: Commits, dialect: SqlDialect, given: TableSet): Promise<Tables> {
  for (const { name } of given.tables) requireOwn(name, given.owner);
  await migrate(commits, dialect, given);
  const names = new Set(given.tables.map(({ name }) => name));
  return {
    read: (work) => commits.withoutTransaction((em, signal) => work(rowsIn(em, signal, names, dialect))),
    write: (work) => commits.commit('full', (em, signal) => work(rowsIn(em, signal, names, dialect))),
  };
}

function requireOwn(name: string, owner: string): void {
  const prefix = owner.replaceAll('-', '_');
  if (!NAME.test(name) || !(name === prefix || name.startsWith(`${prefix}_`)))
    throw new Error(`the table ${name} of the plugin ${owner} must be named ${prefix} or ${prefix}_...`);
}

/** Each once, all that are missing in one transaction. The names carry the plugin's. */
async function migrate(
  commits: Commits,
  dialect: SqlDialect,
  { owner, migrations, beforeChange }: TableSet,
): Promise<void> {
  const named = migrations.map((migration) => ({ ...migration, name: `${owner}/${migration.name}` }));
  const missing = async (em: SqlEntityManager) => {
    const done = await namesOf(em, owner);
    requireKnown(owner, done, new Set(named.map(({ name }) => name)));
    return named.filter(({ name }) => !done.includes(name));
  };
  if ((await commits.withoutTransaction(missing)).length === 0) return;
  await beforeChange();
  await commits.commit('full', async (em) => {
    await dialect.lockTables(em);
    for (const { name, statements } of await missing(em)) {
      for (const statement of statements) await em.execute(dialect.statement(statement));
      await em.insert(PluginMigrationEntity, { name });
    }
  });
}

async function namesOf(em: SqlEntityManager, owner: string): Promise<string[]> {
  const query = em.getKysely<{ plugin_migration: { name: string } }>().selectFrom('plugin_migration').select('name');
  return (await query.where('name', 'like', `${owner}/%`).execute()).map(({ name }) => name);
}

function requireKnown(owner: string, done: readonly string[], known: ReadonlySet<string>): void {
  const unknown = done.find((name) => !known.has(name));
  if (unknown)
    throw new StoreError(
      'newer',
      `the tables of the plugin ${owner} were made by a newer release (${unknown}): start that release, or restore a backup`,
    );
}
