/** Tables of plugins: defined by their fields, made by the plugin's own migrations, read and written in transactions. */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import type { Commits } from './commits.ts';
import type { TableMigration } from './contract.ts';
import type { Database } from './database.ts';
import type { SqlDialect } from './dialect.ts';
import { StoreError } from './problem.ts';
import { rowsIn } from './rows.ts';

const NAME = /^[a-z][a-z0-9_]*$/;

/** Common parts of all owners. */
export interface TablesParts {
  readonly commits: Commits;
  readonly dialect: SqlDialect;
  /** Makes a copy of the database before the first change. */
  readonly beforeChange: () => Promise<void>;
}

/**
 * Runs the missing migrations of an owner, then gives access only to its tables. Throws for a name that belongs to
 * another plugin.
 */
export function tableOpener(parts: TablesParts): Database['tables'] {
  const { commits, dialect } = parts;
  // Read once for all owners.
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

/** Each migration once, all missing ones in one transaction. The names begin with the name of the plugin. */
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
