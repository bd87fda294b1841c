/** An instance starts while its database is away: it waits where it helps, and says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { childEnvironment } from '../support/child-environment.ts';
import { freshDatabase } from '../support/postgres.ts';
import { openRelay } from './support/relay.ts';

const MAIN = fileURLToPath(new URL('../../lib/app/main.ts', import.meta.url));
const KEY = Buffer.alloc(32, 7).toString('base64');

/** A gateway on this database; its log is what it says. */
function begin(t: Test, url: string) {
  const folder = t.testdir();
  const words = ['--port', '0', '--data-dir', join(folder, 'data'), '--log-format', 'json', '--log-stream', 'stdout'];
  const env = { ...childEnvironment(), SLM_DATABASE_URL: url, SLM_SECRET_KEY: KEY };
  const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    said += part;
  });
  /** In real time: the deadline is that of the test. */
  const until = async (words: RegExp) => {
    for (;;) {
      const found = words.exec(said);
      if (found) return found;
      await wait(50);
    }
  };
  return { child, ended, until, complained: text(child.stderr) };
}

t.test('it listens, is not ready, and goes on when the database is there', async (t) => {
  const relay = await openRelay(t, await freshDatabase(t));
  relay.takeNoMore();
  const { child, ended, until } = begin(t, relay.url);
  const [, port] = await until(/"port":(\d+).*waits until the database can be reached/);
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, retry: answer.headers.get('retry-after'), json: await answer.json() };
  };
  t.equal((await ask('/livez')).status, 200);
  t.match(await ask('/readyz'), {
    status: 503,
    json: { detail: /The database cannot be reached: this instance waits/ },
  });
  t.match(await ask('/health'), { json: { status: 'degraded', problems: [{ part: 'database' }] } });
  t.match(await ask('/api/nl43/_status'), { status: 503, retry: '5', json: { code: 'OWNER_CHANGING' } });
  relay.takeAgain();
  await until(/the gateway is ready/);
  t.equal((await ask('/readyz')).status, 200, 'at the same port');
  child.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
});

t.test('stopped while it waits it ends at once and cleanly', async (t) => {
  const relay = await openRelay(t, await freshDatabase(t));
  relay.takeNoMore();
  const { child, ended, until } = begin(t, relay.url);
  await until(/waits until the database can be reached/);
  child.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
});

t.test('a wrong password and a database that is not there end the start, with what to do', async (t) => {
  const url = new URL(await freshDatabase(t));
  const [wrong, unknown] = [new URL(url), new URL(url)];
  wrong.password = 'canary-0417';
  unknown.pathname = '/nothing_of_this_name';
  for (const [address, words] of [
    [wrong, /does not let the user postgres in .*: check user and password in database_url/],
    [unknown, /there is no database nothing_of_this_name.*createdb/],
  ] as const) {
    const { ended, complained } = begin(t, address.href);
    t.strictSame(await ended, [1, null]);
    t.match(await complained, words);
    t.notMatch(await complained, 'canary-0417');
  }
});
