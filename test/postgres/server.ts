import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import t from 'tap';
import { freshDatabase, inDatabase, startPostgres } from '../support/postgres.ts';

const folderOf = (url: string) => decodeURIComponent(new URL(url).hostname);

t.test('each test has a database of its own, which goes with it', async (t) => {
  let first = '';
  await t.test('two databases of one test are not the same', async (t) => {
    first = await freshDatabase(t);
    const second = await freshDatabase(t);
    await inDatabase(first, 'create table mine (x int)');
    t.same(await inDatabase(second, "select to_regclass('mine') as there"), [{ there: null }]);
  });
  await t.rejects(inDatabase(first, 'select 1'), { code: '3D000' });
});

t.test('a server that a test starts leaves neither process nor folder', async (t) => {
  const server = await startPostgres();
  t.match(await inDatabase(server.url, 'show server_version_num'), [{ server_version_num: /^\d{6}$/ }]);
  await server.stop();
  await t.rejects(inDatabase(server.url, 'select 1'));
  t.notOk(existsSync(folderOf(server.url)));
});

t.test('so it is when the process that started it is killed', async (t) => {
  const support = new URL('../support/postgres.ts', import.meta.url).href;
  const program = `const { startPostgres } = await import('${support}'); console.log((await startPostgres()).url); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  await inDatabase(url, 'select 1');
  child.kill('SIGKILL');
  while (existsSync(folderOf(url))) await new Promise(setImmediate);
  await t.rejects(inDatabase(url, 'select 1'));
});
