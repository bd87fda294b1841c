import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open as openFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { snakeCase } from '../../lib/domain/fields/field.ts';
import { CONFIG_TABLE, FACT_TABLE, SNAPSHOT_TABLE } from '../../lib/store/own-tables.ts';
import { openDatabase } from '../../lib/store/sqlite.ts';
import { CANARY_PASSWORD, config, folder } from './setup.ts';

const child = fileURLToPath(new URL('./changes-and-prints.ts', import.meta.url));

t.test('an acknowledged change survives kill -9, and the lock of the dead does not stay', async (t) => {
  const { open, dataDir, keyFile } = folder(t);
  const gateway = spawn(process.execPath, [child, dataDir, keyFile], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => gateway.kill('SIGKILL'));
  const [said] = await once(gateway.stdout, 'data');
  t.equal(String(said), 'acknowledged 5\n');

  await t.rejects(open(), { name: 'StoreError', problem: 'in-use', message: /in use by another process/ });

  gateway.kill('SIGKILL');
  await once(gateway, 'exit');
  const store = await open();
  t.equal(store.configs.get('roof')?.tcpPort, 5);
  t.equal(store.configs.get('roof')?.ftpPassword, CANARY_PASSWORD);
});

t.test('a commit of a config is synced, in a write-ahead log', async (t) => {
  const { open, dataDir, clock, log } = folder(t);
  await (await open()).close();
  const said: string[] = [];
  const database = await openDatabase(dataDir, { clock, log, onQuery: (sql) => said.push(sql) });
  t.teardown(() => database.close());
  said.length = 0;
  await database.putSnapshots(() => []);
  await database.putConfig(config('roof'));
  await database.putSnapshots(() => []);
  const order = said.filter((text) => /^(pragma synchronous|insert into .?device_config)/.test(text));
  t.match(order, [/= normal/, /= full/, /insert/, /= normal/]);
});

t.test('a second opener in the same process is refused, and the first goes on', async (t) => {
  const { open } = folder(t);
  const store = await open();
  await t.rejects(open(), { message: /in use/ });
  await store.configs.change('roof', () => config('roof'));
  t.ok(store.configs.get('roof'));
});

t.test('a file that is no database, or a damaged one, is named and left alone', async (t) => {
  const { open, database } = folder(t);
  const store = await open();
  for (let i = 0; i < 300; i += 1) await store.configs.change(`unit-${i}`, () => config(`unit-${i}`));
  await store.close();
  const file = await openFile(database, 'r+');
  await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, 8192);
  await file.close();
  const damaged = await readFile(database);
  await t.rejects(open(), { problem: 'corrupt', message: /damaged.*restore a backup/ });
  t.ok(damaged.equals(await readFile(database)));

  await writeFile(database, 'these are notes of last summer, and no database at all'.repeat(100));
  await t.rejects(open(), { problem: 'corrupt', message: /damaged/ });
});

t.test('a database of a newer release is refused unchanged', async (t) => {
  const { open, database } = folder(t);
  await (await open()).close();
  const raw = new DatabaseSync(database);
  raw.prepare('insert into mikro_orm_migrations (name) values (?)').run('9999-from-the-future');
  raw.close();
  await t.rejects(open(), { problem: 'newer', message: /newer release.*9999-from-the-future/ });
});

t.test('a database of an older release is brought up to date by itself, and nobody is polled for it', async (t) => {
  const { open, database, dataDir, keyFile } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof', { tcpPort: 2256 }));
  store.snapshots.record('roof', { lp: '51.2', lastSeen: 7 });
  await store.close();
  downgrade(database);

  const again = await open({ dataDir, keyFile });
  const kept = {
    tcpPort: 2256,
    pollEnabled: false,
    pollIntervalSeconds: 60,
    history: 'off',
    timezone: 'Europe/Berlin',
  };
  t.match(again.configs.get('roof'), { ...config('roof'), ...kept, name: null, tags: [], mirror: { enabled: false } });
  const copies = await readdir(`${dataDir}/copies`);
  t.match(copies, [/^gateway-.*\.db$/], 'a copy from before is kept');
  const copy = new DatabaseSync(`${dataDir}/copies/${copies[0]}`);
  t.throws(() => copy.prepare('select history from device_config'), 'with the tables as they were');
  t.equal(copy.prepare('select tcp_port from device_config').get()?.tcp_port, 2256);
  copy.close();
  t.match(again.snapshots.get('roof'), { lp: '51.2', lastSeen: 7, lpAt: null, unchangedSince: null, meter: null });
  await again.configs.change('roof', () => config('roof', { pollEnabled: true, pollIntervalSeconds: 5 }));
  await again.close();
  t.match((await open()).configs.get('roof'), { pollEnabled: true, pollIntervalSeconds: 5 });
});

/** The tables as the first release made them. */
function downgrade(file: string): void {
  const raw = new DatabaseSync(file);
  raw.exec('drop table plugin_migration');
  const ofPeople = ['name', 'place', 'latitude', 'longitude', 'timezone', 'tags'];
  for (const name of [
    'family',
    ...ofPeople,
    'history',
    'mirror',
    'history_channels',
    'verified_until',
    'sim_valid_until',
  ])
    raw.exec(`alter table device_config drop column ${name}`);
  const moments = ['state_at', 'lp_at', 'levels_at', 'battery_at', 'power_at', 'card_at', 'unchanged_since'];
  for (const name of [...moments, 'meter', 'measurement_start_source', 'levels'])
    raw.exec(`alter table snapshot drop column ${name}`);
  for (const name of ['poll_enabled', 'poll_interval_seconds'])
    raw.exec(`alter table device_config drop column ${name}`);
  raw.exec("delete from mikro_orm_migrations where name <> '0001-first-tables'");
  raw.close();
}

t.test('no file of the folder can be read by other users, not even for a moment', async (t) => {
  const { open, dataDir } = folder(t);
  const before = process.umask(0);
  t.teardown(() => process.umask(before));
  const store = await open();
  for (const name of await readdir(dataDir)) t.equal((await stat(`${dataDir}/${name}`)).mode & 0o77, 0, name);
  await store.close();
});

t.test('a database that is new or up to date is not copied', async (t) => {
  const { open, dataDir } = folder(t);
  await (await open()).close();
  await (await open()).close();
  await t.rejects(readdir(`${dataDir}/copies`), { code: 'ENOENT' });
});

t.test('while the gateway runs, others can read the database and it can be copied whole', async (t) => {
  const { open, database, dataDir } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof'));
  const units = (file: string) => {
    const raw = new DatabaseSync(file, { readOnly: true });
    const rows = raw.prepare('select unit_id from device_config order by unit_id').all();
    raw.close();
    return rows.map(({ unit_id }) => unit_id);
  };
  const changes = Array.from({ length: 20 }, (_, index) =>
    store.configs.change(`unit-${index}`, () => config(`unit-${index}`)),
  );
  await store.backup(`${dataDir}/today.db`);
  await Promise.all(changes);
  await store.backup(`${dataDir}/today.db`);
  t.equal(units(`${dataDir}/today.db`).length, 21);
  t.equal((await stat(`${dataDir}/today.db`)).mode & 0o777, 0o600);
  t.equal(units(database).length, 21);
  await store.configs.change('gate', () => config('gate'));
  t.ok(units(database).includes('gate'), 'and the gateway goes on');
});

t.test('a data folder that everybody can change is refused, with the cure', async (t) => {
  const { open, dataDir } = folder(t);
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o777);
  await t.rejects(open(), { problem: 'folder', message: /changed by everybody: run chmod o-w/ });
  await chmod(dataDir, 0o770);
  t.ok(await open());
});

t.test('a database that is gone beside an audit log with records is made again only on demand', async (t) => {
  const { open, dataDir, database, lines } = folder(t);
  await mkdir(`${dataDir}/audit`, { recursive: true });
  await (await open()).close();
  await writeFile(`${dataDir}/audit/2026-11.jsonl`, '{}\n');
  await (await open()).close();
  t.notMatch(lines.join(''), /"level":"error"/, 'a database that was there before is no loss');
  await rm(database);
  await t.rejects(open(), { problem: 'lost', message: /restore gateway\.db from a backup.*--accept-loss/ });
  await (await open({ acceptLoss: true })).close();
  t.match(lines.at(-1), /"level":"error".*it begins empty/);
});

t.test('a data folder that cannot be made is named', async (t) => {
  const { open, home } = folder(t);
  await writeFile(`${home}/file`, '');
  await t.rejects(open({ dataDir: `${home}/file/data` }), { problem: 'folder', message: `${home}/file/data` });
});

t.test('one damaged credential costs one unit its login, not the others their gateway', async (t) => {
  const { open, database, lines } = folder(t);
  const store = await open();
  for (const unit of ['roof', 'gate']) await store.configs.change(unit, () => config(unit));
  await store.close();
  const raw = new DatabaseSync(database);
  raw.exec(`update device_config set ftp_password = (select ftp_password from device_config where unit_id = 'gate')`);
  raw.close();
  const again = await open();
  t.equal(again.configs.get('gate')?.ftpPassword, CANARY_PASSWORD);
  t.equal(again.configs.get('roof')?.ftpPassword, null, 'a value moved from another unit does not open');
  t.match(lines.join(''), /roof.*cannot be opened/);
  t.notMatch(lines.join(''), CANARY_PASSWORD);
});

t.test('the tables made by the migrations have the columns of their fields', async (t) => {
  const types = { text: 'text', integer: 'integer', real: 'double', boolean: 'integer', json: 'json' };
  const { open, database } = folder(t);
  await (await open()).close();
  const raw = new DatabaseSync(database);
  for (const { name, fields } of [CONFIG_TABLE, SNAPSHOT_TABLE, FACT_TABLE]) {
    const made = raw
      .prepare('select name, lower(type) as type, "notnull" as needed from pragma_table_info(?)')
      .all(name);
    const wanted = Object.entries(fields).map(([name, { column, nullable }]) => ({
      name: snakeCase(name),
      type: types[column],
      needed: nullable ? 0 : 1,
    }));
    const byName = (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other));
    t.same(made.sort(byName), wanted.sort(byName), name);
  }
  raw.close();
});

t.test('a stored value that cannot be read is missing for its unit, and the log names it', async (t) => {
  const { open, database, lines } = folder(t);
  const store = await open();
  await store.configs.change('roof', () => config('roof', { tags: ['north'] }));
  await store.configs.change('yard', () => config('yard', { tags: ['south'] }));
  await store.close();
  const file = new DatabaseSync(database);
  file.exec(`update device_config set tags = 'x{' where unit_id = 'roof'`);
  file.close();
  const again = await open();
  t.same(again.configs.get('roof')?.tags, []);
  t.same(again.configs.get('yard')?.tags, ['south']);
  const said = lines.filter((line) => line.includes('cannot be read')).map((line) => JSON.parse(line));
  t.match(said, [{ level: 'error', unit_id: 'roof', table: 'device_config', column: 'tags' }]);
});
