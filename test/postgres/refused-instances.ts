/**
 * A standby must be able to take over: otherwise its start is refused. An instance that finds it out later gives the lease
 * back.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { childEnvironment } from '../support/child-environment.ts';
import { gatewayProcess } from '../support/gateway-process.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';

const MAIN = fileURLToPath(new URL('../../lib/app/main.ts', import.meta.url));
const CANARY = 'canary text of sixteen letters and more';

/** One with the meters, with a key file of its own; `refused` starts another one and expects its end. */
async function openPlace(t: Test) {
  const url = await freshDatabase(t);
  const home = t.testdir();
  const folder = join(home, 'north');
  const env = { ...childEnvironment(), SLM_DATABASE_URL: url };
  const north = await gatewayProcess(t, folder, ['--instance-name', 'north'], env);
  const refused = async (words: RegExp, more: { readonly key?: string; readonly env?: NodeJS.ProcessEnv } = {}) => {
    const { key = join(folder, 'key') } = more;
    const own = ['--port', '0', '--data-dir', join(home, 'south'), '--key-file', key, '--instance-name', 'south'];
    const child = spawn(process.execPath, [MAIN, ...own], {
      env: { ...env, ...more.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const complained = text(child.stderr);
    t.strictSame(await once(child, 'exit'), [1, null], 'it ends, so that a supervisor sees it');
    t.match(await complained, words);
    t.notMatch(await complained, CANARY);
    const { data } = (await north.ask('GET', '/_cluster')).json;
    t.match(data, [{ name: 'north', state: 'active' }]);
    t.equal(data.length, 1, 'it is no member: nobody counts on it');
  };
  return { url, home, env, north, refused };
}

t.test('another key for the credentials', { timeout: 300_000 }, async (t) => {
  const { home, refused } = await openPlace(t);
  await refused(/was written with another key than SLM_SECRET_KEY: start with the key it was written with/, {
    env: { SLM_SECRET_KEY: CANARY },
  });
  const key = join(home, 'own', 'key');
  await refused(/the key file .* is missing and the database holds credentials sealed with it: put the file back/, {
    key,
  });
  t.notOk(existsSync(key), 'and none is made in its place');
});

t.test('a data folder of another cluster', { timeout: 300_000 }, async (t) => {
  const { home, refused } = await openPlace(t);
  const folder = join(home, 'south');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'instance.json'), JSON.stringify({ member: 'south', database: 'of another cluster' }));
  await refused(/holds the data of another gateway.*name that database in database_url.*remove instance\.json/);
});

t.test('tables of a newer release, and a database that can only be read', { timeout: 300_000 }, async (t) => {
  const { url, refused } = await openPlace(t);
  await inDatabase(url, "insert into store_migration (name) values ('9999-later')");
  await refused(/written by a newer release \(9999-later\): start that release/);
  await inDatabase(url, "delete from store_migration where name = '9999-later'");
  await inDatabase(url, 'insert into history_version (version) values (999)');
  await refused(/history .*written by a newer release \(its tables have version 999\): start that release/);
  await inDatabase(url, 'delete from history_version where version = 999');
  const name = new URL(url).pathname.slice(1);
  await inDatabase(url, `alter database ${name} set default_transaction_read_only = on`);
  await refused(/can only be read: set default_transaction_read_only to off/);
});

t.test('a standby of an older release than the tables does not take over', { timeout: 300_000 }, async (t) => {
  const { url, home, env, north } = await openPlace(t);
  const key = ['--key-file', join(home, 'north', 'key')];
  const { child: south } = await gatewayProcess(t, join(home, 'south'), ['--instance-name', 'south', ...key], env);
  await inDatabase(url, "insert into store_migration (name) values ('9999-later')");
  const ended = once(south, 'exit');
  north.child.kill('SIGTERM');
  t.strictSame(await ended, [1, null], 'its process ends, so that a supervisor sees it');
  const [lease] = await inDatabase<{ beat: string | null }>(url, 'select beat from store_owner');
  t.equal(lease?.beat, null, 'it has given the lease back: no standby waits a minute for it');
});
