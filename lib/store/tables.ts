/** Tables of plugins: defined by their fields, made by the plugin's own migrations, read and written in transactions. */
import type { Table } from '../domain/fields/table.ts';
import type { Commits } from './commits.ts';
import type { TableMigration, Tables } from './contract.ts';
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
export async function openTables(commits: Commits, given: TableSet): Promise<Tables> {
  for (const { name } of given.tables) requireOwn(name, given.owner);
  await migrate(commits, given);
  const names = new Set(given.tables.map(({ name }) => name));
  return {
    read: (work) => commits.withoutTransaction((em, signal) => work(rowsIn(em, signal, names))),
    write: (work) => commits.commit('full', (em, signal) => work(rowsIn(em, signal, names))),
  };
}

function requireOwn(name: string, owner: string): void {
  const prefix = owner.replaceAll('-', '_');
  if (!NAME.test(name) || !(name === prefix || name.startsWith(`${prefix}_`)))
    throw new Error(`the table ${name} of the plugin ${owner} must be named ${prefix} or ${prefix}_...`);
}

/** Each once, all that are missing in one transaction. The names carry the plugin's. */
async function migrate(commits: Commits, { owner, migrations, beforeChange }: TableSet): Promise<void> {
  const named = migrations.map((migration) => ({ ...migration, name: `${owner}/${migration.name}` }));
  const done = await commits.withoutTransaction((em) =>
    em
      .getKysely<{ plugin_migration: { name: string } }>()
      .selectFrom('plugin_migration')
      .select('name')
      .where('name', 'like', `${owner}/%`)
      .execute(),
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
