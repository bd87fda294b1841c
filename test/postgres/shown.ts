/** The password of the database is in no answer, log line or file, also while the database is away. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { childEnvironment } from '../support/child-environment.ts';
import { freshDatabase, inDatabase } from '../support/postgres.ts';
import { openWorld } from '../support/world.ts';
import { openRelay } from './support/relay.ts';

const PASSWORD = 'canary-5d1e';
const MAIN = fileURLToPath(new URL('../../lib/app/main.ts', import.meta.url));

t.test('answers, log, files, printed settings', async (t) => {
  const made = await freshDatabase(t);
  const name = new URL(made).pathname.slice(1);
  const user = `owner_${name.slice(-12)}`;
  await inDatabase(made, `create role ${user} login password '${PASSWORD}'`);
  t.teardown(() =>
    inDatabase(made, `reassign owned by ${user} to current_user; drop owned by ${user}; drop role ${user}`),
  );
  await inDatabase(made, `alter database ${name} owner to ${user}`);
  const relay = await openRelay(t, made);
  const url = new URL(relay.url);
  url.username = user;
  url.password = PASSWORD;
  const settings = { secret_key: 'a text of sixteen letters and more', database_url: url.href };
  const world = await openWorld(t, { settings });
  const seen: unknown[] = [];
  for (const path of ['/_about', '/_settings', '/_status', '/_plugins', '/_audit', '/openapi.json', '/_doctor'])
    seen.push((await world.get(path)).body);
  relay.takeNoMore();
  relay.breakOff();
  const refused = await world.put('/sim-1/config', { tcp_port: 9 });
  t.match(refused, { status: 503, body: { code: 'STORAGE_FAILED' } });
  const unread = await world.get('/sim-1/schedule');
  t.match(unread, { status: 503, body: { code: 'STORAGE_FAILED', detail: /cannot be read now/ } });
  for (const path of ['/health', '/readyz', '/metrics'])
    seen.push(await (await fetch(new URL(path, world.base))).text());
  t.match(String(seen.at(-2)), /The database cannot be written/, '/readyz says it');
  relay.takeAgain();
  await world.until('it is written again', () => world.gateway.store.trouble() === undefined);
  t.notMatch(JSON.stringify([seen, refused.body, world.answers, world.log]), PASSWORD);
  const folder = join(world.dataDir, 'data');
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      t.notMatch(readFileSync(join(file.parentPath, file.name)).toString('latin1'), PASSWORD, file.name);
  const env = { ...childEnvironment(), SLM_DATABASE_URL: url.href };
  const printed = spawnSync(process.execPath, [MAIN, '--print-settings'], { env, encoding: 'utf8' });
  t.match(printed.stdout, '"database_url": "***"');
  t.notMatch(printed.stdout + printed.stderr, PASSWORD);
  const wrong = spawnSync(process.execPath, [MAIN], {
    env: { ...env, SLM_DATABASE_URL: `${url.href}?x=1` },
    encoding: 'utf8',
  });
  t.match(wrong, { status: 2, stderr: /database_url: \*\*\* .*nothing else/ });
  t.notMatch(wrong.stderr, PASSWORD);
});
