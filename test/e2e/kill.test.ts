/** A gateway that dies: what it has acknowledged is there when the next one starts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const MAIN = fileURLToPath(new URL('../../lib/main.ts', import.meta.url));

async function start(t: Test, folder: string): Promise<{ child: ChildProcess; base: string }> {
  const child = spawn(process.execPath, [
    MAIN,
    '--port',
    '0',
    '--data-dir',
    `${folder}/data`,
    '--key-file',
    `${folder}/key`,
    '--allow-loopback-meters',
  ]);
  t.teardown(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const base = /listens on (\S+)/.exec(line)?.[1];
    if (base) return { child, base };
  }
  throw new Error('the gateway did not start');
}

t.test('a config survives kill -9 right after its 200, credentials included', async (t) => {
  const folder = t.testdir();
  const first = await start(t, folder);
  const config = { host: '127.0.0.1', tcp_enabled: false, ftp_username: 'USER', ftp_password: '0000' };
  const answer = await fetch(`${first.base}/roof/config`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(config),
  });
  t.equal(answer.status, 200);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const second = await start(t, folder);
  const { data } = (await (await fetch(`${second.base}/roof/config`)).json()) as { data: object };
  t.match(data, { unit_id: 'roof', host: '127.0.0.1', ftp_credentials_set: true });
});
