/** Work of a gateway on its whole PostgreSQL database: another key, a backup, and the tables of its plugins. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { databaseAddress } from '../../lib/domain/database-address.ts';
import { defineTable, field, snakeCase } from '../../lib/domain/fields/field.ts';
import { rotateKeyFile } from '../../lib/store/index.ts';
import { CONFIG_TABLE, SNAPSHOT_TABLE } from '../../lib/store/own-tables.ts';
import { CANARY_PASSWORD, config } from '../store/setup.ts';
import { inDatabase } from '../support/postgres.ts';
import { serverFolder } from './support/server-folder.ts';

const MARKS = defineTable('plan_mark', ['id', 'at'], {
  id: field<string>({ column: 'text', fresh: '', schema: {} }),
  at: field<number>({ column: 'integer', fresh: 0, schema: {} }),
  x: field<number | null>({ column: 'real', nullable: true, fresh: null, schema: {} }),
  seen: field<boolean>({ column: 'boolean', fresh: false, schema: {} }),
  body: field<unknown>({ column: 'json', fresh: [], schema: {} }),
});
const MIGRATIONS = [
  {
    name: '0001-marks',
    statements: [
      'create table plan_mark (id text not null, at integer not null, x real null, seen integer not null default 0, primary key (id, at))',
      'create index plan_mark_at on plan_mark (at, id)',
      "alter table plan_mark add column body json not null default '[]'",
    ],
  },
];
const ROWS = [
  { id: 'ä', at: 1_766_500_060_123, x: 0.1, seen: true, body: { b: [1, null], a: 'x\u0000' } },
  { id: 'b', at: -1, x: null, seen: false, body: 7 },
];

t.test('a new key file: every credential opens with it, and the old one is of no use', async (t) => {
  const place = serverFolder(t);
  const store = await place.open();
  await store.configs.change('roof', () => config('roof'));
  await store.secrets('alerts').put('mail', 'pass-1');
  await store.close();
  const server = databaseAddress(await place.url());
  t.same(await rotateKeyFile({ dataDir: place.dataDir, keyFile: place.keyFile, server }), { resealed: 3, damaged: 0 });
  const again = await place.open();
  t.equal(again.configs.get('roof')?.ftpPassword, CANARY_PASSWORD);
  t.equal(await again.secrets('alerts').get('mail'), 'pass-1');
});

t.test('a backup is a database that a gateway on SQLite goes on with', async (t) => {
  const place = serverFolder(t);
  const store = await place.open();
  for (const unit of ['roof', 'gate'])
    await store.configs.change(unit, () => config(unit, { tags: ['a', 'ü'], latitude: 50.9 }));
  store.snapshots.record('roof', { lp: '51.2', overRange: true, lastSeen: 1_766_500_060_123 });
  const tables = await store.tables('plan', [MARKS], MIGRATIONS);
  await tables.write((own) => own.put(MARKS, ROWS));
  const [configs, roof] = [store.configs.list(), store.snapshots.get('roof')];
  await store.backup(join(place.home, 'early.db'));
  await store.close();
  const last = await place.open();
  await last.backup(join(place.dataDir, 'gateway.db'));
  await last.close();
  const file = await place.open({ server: undefined });
  t.same(file.configs.list(), configs);
  t.same(file.snapshots.get('roof'), roof);
  const copied = await file.tables('plan', [MARKS], MIGRATIONS);
  t.same(await copied.read((own) => own.find(MARKS, { order: { id: 'desc' } })), ROWS);
  t.equal(await copied.write((own) => own.change(MARKS, { id: 'b' }, { seen: true })), 1);
  const plan = new DatabaseSync(join(place.dataDir, 'gateway.db'), { readOnly: true });
  t.teardown(() => plan.close());
  t.match(plan.prepare('explain query plan select * from plan_mark where at = 1').get(), {
    detail: /INDEX plan_mark_at/,
  });
});

t.test('the tables made on the server have the columns of their fields', async (t) => {
  const place = serverFolder(t);
  await (await place.open()).close();
  for (const { name, fields } of [CONFIG_TABLE, SNAPSHOT_TABLE]) {
    const found = await inDatabase<{ name: string }>(
      await place.url(),
      'select column_name as name from information_schema.columns where table_name = $1',
      [name],
    );
    t.same(found.map(({ name }) => name).sort(), Object.keys(fields).map(snakeCase).sort());
  }
});

t.test('the password of the database is in no line of the log, whatever happens', async (t) => {
  const place = serverFolder(t);
  const store = await place.open();
  await inDatabase(
    await place.url(),
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
  await store.configs.change('roof', () => config('roof')).catch(() => {});
  const { password } = databaseAddress(await place.url());
  t.ok(password);
  t.notMatch(place.lines.join(), password);
});
