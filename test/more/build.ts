/** The build (`npm run build`) is the gateway: every plugin, a user's own as well, the commands beside it, types and maps. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { openIssuer, signInByIssuer } from '../support/fake-issuer.ts';
import { noPoppler, poppler } from '../support/reports.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'dist');
const START = join(DIST, 'lib/start.cjs');

const places = (folder: string) => ['--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];

/** Address of a gateway that runs from the build until the test ends. */
async function started(t: Test, folder: string, words: readonly string[]): Promise<string> {
  const child = spawn(START, [...places(folder), '--port', '0', ...words], {
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => (said += String(bytes)));
  t.teardown(async () => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`the build stopped with code ${code}: ${said}`);
    if (said.includes('DeprecationWarning')) throw new Error(`warned of what only its authors care about: ${said}`);
  });
  const [line] = await once(child.stdout, 'data');
  return /(http\S+)/.exec(String(line))?.[1] ?? '';
}

async function ask(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { headers: { 'content-type': 'application/json' }, ...init });
  return { status: answer.status, body: (await answer.json()) as Record<string, Record<string, unknown>> };
}

t.test('every built-in plugin is there, and takes and answers JSON', async (t) => {
  const base = await started(t, t.testdir(), []);
  const { body } = await ask(`${base}/openapi.json`);
  for (const path of ['/{unit_id}/status', '/{unit_id}/live', '/{unit_id}/ftp/files']) t.ok(body.paths?.[path], path);
  const config = { host: '192.0.2.1', tcp_enabled: false };
  t.match(await ask(`${base}/roof/config`, { method: 'PUT', body: JSON.stringify(config) }), {
    status: 200,
    body: { data: { host: '192.0.2.1' } },
  });
  t.match(await ask(`${base}/roof/config`, { method: 'PUT', body: '{' }), { status: 400 });
  t.match(await ask(`${base}/roof/live`), { status: 403, body: { code: 'TCP_DISABLED' } });
  const socket = new WebSocket(`${base.replace('http', 'ws')}/_live`);
  await once(socket, 'message');
  socket.close();
});

t.test('alerts go to a broker of MQTT, whose client is loaded only then', async (t) => {
  const broker = await openBroker(t);
  const base = await started(t, t.testdir(), ['--outbound-allow-networks', '127.0.0.0/8']);
  const target = { name: 'Control room', kind: 'mqtt', url: broker.url, topic: 'site/alarms' };
  await ask(`${base}/_alerts/targets`, { method: 'POST', body: JSON.stringify(target) });
  t.match(await ask(`${base}/_alerts/targets/1/test`, { method: 'POST' }), { body: { delivered: true } });
});

t.test('people sign in by an issuer, whose client is loaded only then', async (t) => {
  const issuer = await openIssuer(t);
  const people = { issuer: issuer.url, client_id: 'gateway', role_claim: 'groups', roles: { viewer: ['acoustics'] } };
  const words = ['--outbound-allow-networks', '127.0.0.0/8', '--plugin-settings', JSON.stringify({ people })];
  const { origin } = new URL(await started(t, t.testdir(), words));
  t.match(await signInByIssuer(origin, issuer, issuer.claims), /^slm_session=/);
});

t.test('plugins in a folder of a user run on the modules of the build', async (t) => {
  const folder = t.testdir();
  copyFileSync(join(ROOT, 'test/plugin/plugins/by-package.ts'), join(folder, 'by-package.ts'));
  const example = join(ROOT, 'docs/examples/hello-plugin.ts');
  const base = await started(t, folder, ['--plugins', `config,${join(folder, 'by-package.ts')},${example}`]);
  t.match(await ask(`${base}/refusal`), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });
  t.match(await ask(`${base}/nowhere/hello`), { status: 404, body: { code: 'UNIT_NOT_FOUND' } });
});

t.test('the commands beside the gateway run', async (t) => {
  const run = (...args: string[]) => execFileSync(process.execPath, args, { encoding: 'utf8' });
  t.match(run(START, '--version'), /^\d+\.\d+\.\d+\n$/);
  const made = ['create', '--name', 'me', '--role', 'viewer', '--data-dir', join(t.testdir(), 'data')];
  t.match(run(join(DIST, 'lib/keys.js'), ...made), /^slm_\w+/);
});

t.test('every entry has its types, every file of JavaScript its source map', async (t) => {
  for (const entry of ['lib', 'client', 'simulator']) t.ok(existsSync(join(DIST, entry, 'index.d.ts')), entry);
  const scripts = globSync('{lib,plugins}/**/*.js', { cwd: DIST });
  t.ok(scripts.length > 10);
  // A file that only leads to a plugin has no code of its own.
  const leads = (file: string) =>
    /^import \{ p\d+ \} from '[^']*';\nexport default p\d+\(\);\s*$/.test(readFileSync(join(DIST, file), 'utf8'));
  for (const file of scripts) t.ok(existsSync(join(DIST, `${file}.map`)) || leads(file), file);
  t.ok(readdirSync(join(DIST, 'cache')).length > 0, 'and Node need not compile it again');
});

t.test('a report in Japanese is printed, with the packed fonts of the build', noPoppler, async (t) => {
  const base = await started(t, t.testdir(), []);
  const config = { host: '192.0.2.1', tcp_enabled: false, name: '髙橋 澤 廣 嶋 ①' };
  await ask(`${base}/roof/config`, { method: 'PUT', body: JSON.stringify(config) });
  const span = 'from=2025-11-03T00:00:00Z&to=2025-11-10T00:00:00Z';
  const answer = await fetch(`${base}/_reports/preview?units=roof&${span}&lang=ja&format=pdf`);
  const text = poppler(t, 'pdftotext', Buffer.from(await answer.arrayBuffer()), '-');
  t.match(text, /騒音測定報告書：髙橋 澤 廣 嶋 ①/);
  t.match(text, '基準値');
  t.notMatch(text, 'フォントにない', 'no character is lacking');
});
