/** A new database has the tables that its migrations would have made one after the other. */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import t from 'tap';
import type { TableMigration } from '../../lib/store/contract.ts';
import { storeMigrations } from '../../lib/store/migrations.ts';
import { withColumns } from '../../lib/store/rows.ts';
import { folder } from './setup.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** All tables and indexes with their texts, and the migrations that have run. */
function tablesIn(path: string) {
  const database = new Database(path, { readonly: true });
  try {
    return {
      schema: database.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').all(),
      ran: database.prepare('select id, name, typeof(executed_at) as time from mikro_orm_migrations').all(),
      ofPlugins: database.prepare('select name from plugin_migration order by name').pluck().all(),
      version: database.pragma('user_version', { simple: true }),
    };
  } finally {
    database.close();
  }
}

t.test("a new database has the store's tables as its migrations make them one after the other", async (t) => {
  const { database, open } = folder(t);
  await (await open()).close();
  const steps = new Database(':memory:');
  for (const statement of storeMigrations.flatMap(({ statements }) => statements)) steps.exec(statement);
  const text =
    "select sql from sqlite_schema where sql is not null and name not in ('mikro_orm_migrations', 'sqlite_sequence') order by name";
  const present = new Database(database, { readonly: true });
  t.strictSame(present.prepare(text).all(), steps.prepare(text).all());
  for (const one of [steps, present]) one.close();
  t.strictSame(
    tablesIn(database).ran,
    storeMigrations.map(({ name }, index) => ({ id: index + 1, name, time: 'integer' })),
  );
});

t.test('the tables of each plugin are the same, all migrations at once or one after the other', async (t) => {
  const [once, steps] = [folder(t), folder(t, 'steps')];
  const [atOnce, oneByOne] = [await once.open(), await steps.open()];
  const owners = await migrationsOfOwners();
  t.ok(owners.size > 10, `${owners.size} owners`);
  for (const [owner, migrations] of owners) {
    await atOnce.tables(owner, [], migrations);
    for (const [index] of migrations.entries()) await oneByOne.tables(owner, [], migrations.slice(0, index + 1));
  }
  await atOnce.close();
  await oneByOne.close();
  const tables = tablesIn(steps.database);
  t.ok(tables.ofPlugins.length > 30, `${tables.ofPlugins.length} migrations`);
  t.strictSame(tablesIn(once.database), tables);
});

t.test('a column comes when it came, where a statement before it works with the table', async (t) => {
  const made = 'create table own_a (id integer not null primary key)';
  const statements = [
    made,
    'alter table own_a add column x text null',
    'create index own_a_x on own_a (x)',
    'alter table own_a add column y integer null',
    'create table own_b as select * from own_a',
    'alter table own_a rename column y to z',
    'alter table own_a add column y integer null',
    'alter table own_c add column x text null',
  ];
  t.strictSame(withColumns(statements), [
    made.replace(/\)$/, ', x text null, y integer null)'),
    statements[2],
    ...statements.slice(4),
  ]);
});

/** By their folder, in the order in which they run: a folder inside builds on the one around it. */
async function migrationsOfOwners(): Promise<Map<string, readonly TableMigration[]>> {
  const files = globSync('{lib,plugins}/**/*.ts', {
    cwd: ROOT,
    exclude: ['lib/**/postgres', 'lib/store/migrations.ts'],
  }).filter((file) => /: readonly TableMigration\[\] = \[/.test(readFileSync(join(ROOT, file), 'utf8')));
  const owners = new Map<string, readonly TableMigration[]>();
  for (const file of files.toSorted((a, b) => a.split(sep).length - b.split(sep).length)) {
    const exported: Record<string, readonly TableMigration[]> = await import(pathToFileURL(join(ROOT, file)).href);
    const owner = file.split(sep)[1] ?? '';
    const own = Object.keys(exported).filter((name) => /migrations$/i.test(name));
    owners.set(owner, [...(owners.get(owner) ?? []), ...own.flatMap((name) => exported[name] ?? [])]);
  }
  return owners;
}
