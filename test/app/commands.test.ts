/** The commands beside the gateway, as a person runs them: a new key for the secrets, the check of the audit log. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { deviceConfig } from '../support/config.ts';

const script = (name: string) => fileURLToPath(new URL(`../../lib/app/${name}`, import.meta.url));

async function run(file: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [script(file), ...args], { env: { ...childEnvironment(), ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, said };
}

const config = deviceConfig({ tcpEnabled: false, ftpEnabled: true, ftpUsername: 'USER', ftpPassword: 'canary-4f' });

/** A gateway that ran once, and the environment in which its commands are run. */
async function place(t: Test) {
  const folder = t.testdir();
  const data_dir = join(folder, 'data');
  const key_file = join(folder, 'secret.key');
  const start = async () => {
    const gateway = await startGateway({ port: 0, data_dir, key_file }, { log: createLog('silent') });
    t.teardown(() => gateway.stop());
    return gateway;
  };
  const first = await start();
  await first.store.configs.change('roof', () => config);
  await fetch(`${first.baseUrl}/roof/config`, { method: 'DELETE', headers: { 'X-Request-Id': 'gone' } });
  await first.store.configs.change('roof', () => config);
  return { start, first, data_dir, key_file, env: { HOME: folder, SLM_DATA_DIR: data_dir, SLM_KEY_FILE: key_file } };
}

t.test('keys rotate-secrets: refused while a gateway runs, then a new key that opens the stored secrets', async (t) => {
  const { start, first, key_file, env } = await place(t);
  const before = await readFile(key_file, 'utf8');
  const early = await run('keys.ts', ['rotate-secrets'], env);
  t.match(early, { code: 1, said: /in use by another process/ });
  t.equal(await readFile(key_file, 'utf8'), before);
  await first.stop();
  const done = await run('keys.ts', ['rotate-secrets'], env);
  t.match(done, { code: 0, said: /2 stored credentials are encrypted with the new key/ });
  const after = await readFile(key_file, 'utf8');
  t.not(after, before);
  t.notOk(done.said.includes(after.trim()) || done.said.includes('canary'), 'and shows no secret');
  const again = await start();
  t.equal(again.store.configs.get('roof')?.ftpPassword, 'canary-4f');
});

t.test('keys rotate-secrets: the key file is named on the command line as for the gateway', async (t) => {
  const { start, first, data_dir, key_file } = await place(t);
  await first.stop();
  const env = { HOME: join(data_dir, '..', 'nowhere') };
  const lost = await run('keys.ts', ['rotate-secrets', '--data-dir', data_dir], env);
  t.match(lost, { code: 1, said: /is missing .* by --key-file or SLM_KEY_FILE/ });
  const done = await run('keys.ts', ['rotate-secrets', '--data-dir', data_dir, '--key-file', key_file], env);
  t.match(done, { code: 0, said: /Backups made before open only with the old key/ });
  const again = await start();
  t.equal(again.store.configs.get('roof')?.ftpPassword, 'canary-4f');
});

t.test('audit verify: 0 for a whole log, 1 with the first broken record, 2 for wrong words', async (t) => {
  const { first, data_dir, env } = await place(t);
  await first.stop();
  const whole = await run('audit-check.ts', ['verify'], env);
  t.match(whole, { code: 0, said: /^whole: 1 record in .*data.audit, the last is 1 with hash [0-9a-f]{64}/ });
  const head = /hash ([0-9a-f]{64})/.exec(whole.said)?.[1] ?? '';
  t.match(await run('audit-check.ts', ['verify', '--head', head], env), { code: 0 });
  t.match(await run('audit-check.ts', ['verify', '--head', '0'.repeat(64)], env), { code: 1, said: /not in it/ });
  const file = join(data_dir, 'audit', `${new Date().toISOString().slice(0, 7)}.jsonl`);
  await appendFile(file, `${JSON.stringify({ n: 2, prev: head, hash: head })}\n`);
  t.match(await run('audit-check.ts', ['verify'], env), {
    code: 1,
    said: /^broken: .* line 2, record 2: it was changed/,
  });
  const elsewhere = join(data_dir, 'elsewhere');
  t.match(await run('audit-check.ts', ['verify', '--data-dir', elsewhere], env), {
    code: 1,
    said: `there is no audit log in ${join(elsewhere, 'audit')}: name the data folder with --data-dir`,
  });
  t.match(await run('audit-check.ts', ['mend'], env), { code: 2, said: /the only command is verify/ });
});

t.test(
  'keys evidence rotate: refused while a gateway runs, then another key signs and the old one is still listed',
  async (t) => {
    const { start, first, env } = await place(t);
    const keyOf = async (baseUrl: string) => JSON.parse(await (await fetch(`${baseUrl}/_evidence/key`)).text());
    const before = await keyOf(first.baseUrl);
    t.match(await run('keys.ts', ['evidence', 'rotate'], env), { code: 1, said: /in use by another process/ });
    t.match(await run('keys.ts', ['evidence'], env), { code: 2, said: /takes one word/ });
    await first.stop();
    const done = await run('keys.ts', ['evidence', 'rotate'], env);
    t.equal(done.code, 0, done.said);
    t.match(
      await run('keys.ts', ['rotate-secrets'], env),
      { code: 0, said: /3 stored credentials/ },
      'it is sealed again with the others',
    );
    const after = await keyOf((await start()).baseUrl);
    t.ok(done.said.includes(after.data.fingerprint) && done.said.includes(before.data.fingerprint));
    t.notMatch(done.said, /PRIVATE/);
    t.match(after.retired, [{ fingerprint: before.data.fingerprint, reason: 'rotated' }]);
    t.match(await run('audit-check.ts', ['verify'], env), { code: 0 });
  },
);
