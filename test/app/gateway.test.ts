import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { type Extras, startGateway } from '../../lib/app/gateway.ts';
import { GatewayError } from '../../lib/errors.ts';
import { anybody } from '../../lib/http/arrival.ts';
import { createLog } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings/index.ts';
import type { Transport } from '../../lib/transport/contract.ts';
import { deviceConfig } from '../support/config.ts';

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Meters that never answer the call. */
const silence: Transport = {
  dial: (_address, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
};

async function start(t: Test, given: Partial<Settings> = {}, extras: Extras = {}) {
  const folder = t.testdir();
  const lines: string[] = [];
  const gateway = await startGateway(
    { port: 0, data_dir: join(folder, 'data'), key_file: join(folder, 'key'), shutdown_timeout_ms: 400, ...given },
    { log: createLog('info', { write: (line: string) => void lines.push(line) }), transport: silence, ...extras },
  );
  t.teardown(() => gateway.stop());
  return { gateway, lines, folder };
}

const roof = deviceConfig();

t.test('a gateway serves its routes below the base path until it is stopped', async (t) => {
  const { gateway } = await start(t, { base_path: '/meters' });
  t.equal(gateway.baseUrl, `http://127.0.0.1:${gateway.port}/meters`);
  t.equal((await fetch(gateway.baseUrl)).status, 200);
  t.equal((await fetch(new URL('/health', gateway.baseUrl))).status, 200);
  await Promise.all([gateway.stop(), gateway.stop()]);
  await t.rejects(fetch(gateway.baseUrl));
});

t.test('the OpenAPI document has every route of every built-in plugin, each with who may call', async (t) => {
  const { gateway } = await start(t);
  const response = await fetch(`${gateway.baseUrl}/openapi.json`);
  const { paths, components } = (await response.json()) as {
    paths: Record<string, Record<string, { 'x-access'?: string }>>;
    components: object;
  };
  t.ok(Object.keys(paths).length > 25);
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item).filter(([name]) => name !== 'servers')) {
      t.match(operation['x-access'], /^(public|viewer|operator|admin)$/, `${method} ${path}`);
    }
  }
  // Programs that read the document compile patterns without the flag `u`.
  t.notMatch(JSON.stringify([paths, components]), /\\\\p\{/);
  t.ok(paths['/{unit_id}/live']?.get && 'x-websocket' in paths['/{unit_id}/live'].get);
});

t.test('a failing plugin leaves a working gateway that names it', async (t) => {
  const plugins = ['config', own('../plugin/plugins/fails-to-register.ts'), 'status'];
  const { gateway, lines } = await start(t, { plugins });
  t.strictSame(gateway.plugins.names, ['config', 'status']);
  t.equal(gateway.plugins.failures[0]?.step, 'register');
  t.equal((await fetch(gateway.baseUrl)).status, 200);
  t.ok(lines.some((line) => line.includes('fails-to-register') && line.includes('no luck')));
});

t.test('a plugin that throws in every call takes nothing else with it', async (t) => {
  const plugins = ['config', own('../plugin/plugins/throws-everywhere.ts'), 'status', 'jobs'];
  const { gateway, lines } = await start(t, { plugins });
  const { baseUrl } = gateway;
  t.strictSame(gateway.plugins.failures, []);
  await gateway.store.configs.change('roof', () => roof);
  t.match(await (await fetch(`${baseUrl}/throws`)).json(), { code: 'INTERNAL' });
  const stream = (path: string) => new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`);
  const [code] = await once(stream('/throws-when-open'), 'close');
  t.equal(code, 1011);
  const [error] = await once(stream('/throws-before'), 'error');
  t.match(error.message, '500');
  t.equal((await fetch(`${baseUrl}/roof/status`)).status, 200, 'the others go on');
  await gateway.stop();
  for (const where of ['by a listener', 'by a handler', 'by an open stream', 'before a stream', 'by the end'])
    t.ok(
      lines.some((line) => line.includes(`thrown ${where}`)),
      `the log says what was thrown ${where}`,
    );
});

t.test('a start that fails leaves nothing open', async (t) => {
  const { gateway, folder } = await start(t);
  const other = { port: gateway.port, data_dir: join(folder, 'other'), key_file: join(folder, 'other-key') };
  await t.rejects(startGateway(other, { log: createLog('silent') }), {
    message: /^cannot listen on 127\.0\.0\.1 port/,
  });
  const again = await startGateway({ ...other, port: 0 }, { log: createLog('silent') });
  t.equal((await fetch(again.baseUrl)).status, 200, 'the same folder can be used again');
  await again.stop();
});

t.test('wrong settings are refused before anything is opened', async (t) => {
  await t.rejects(startGateway({ port: -1 }), {
    name: 'SettingsError',
    message: 'port: -1 (from the caller) must be >= 0',
  });
});

t.test('a stop answers the requests that wait, and then nobody listens', async (t) => {
  const { gateway } = await start(t);
  await gateway.store.configs.change('roof', () => roof);
  const waiting = ['battery', 'clock', 'results'].map(async (name) => {
    const response = await fetch(`${gateway.baseUrl}/roof/${name}`);
    const body = (await response.json()) as { code: string };
    return `${response.status} ${body.code} ${response.headers.get('retry-after')}`;
  });
  // One more request, answered from memory, shows that those before it have arrived.
  await fetch(`${gateway.baseUrl}/roof/status`);
  await gateway.stop();
  for (const answer of await Promise.all(waiting)) t.match(answer, /^503 STOPPING 5$|^50[24] /);
});

t.test('a stop does not wait for a plugin that hangs, and says which part it was', async (t) => {
  const { gateway, lines } = await start(t, { plugins: [own('never-stops.ts')], shutdown_timeout_ms: 600 });
  const watcher = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}/stream`);
  await once(watcher, 'open');
  const closed = once(watcher, 'close');
  await gateway.stop();
  t.equal((await closed)[0], 1001);
  const late = lines.filter((line) => line.includes('did not stop cleanly'));
  t.match(late, [/the plugins/], 'the parts after it had time');
  t.equal(late.length, 1);
});

t.test('a stop does not wait for a caller who is not admitted or refused yet', async (t) => {
  const asked = new EventEmitter();
  const authenticator = ({ upgrade }: { upgrade: boolean }) => {
    asked.emit(upgrade ? 'handshake' : 'request');
    return new Promise<never>(() => {});
  };
  const { gateway, folder, lines } = await start(t, { shutdown_timeout_ms: 200 }, { authenticator });
  const arrived = Promise.all([once(asked, 'request'), once(asked, 'handshake')]);
  const request = t.rejects(fetch(gateway.baseUrl));
  const watcher = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}/roof/live`);
  watcher.on('error', () => {});
  await arrived;
  await gateway.stop();
  await request;
  watcher.terminate();
  t.same(
    lines.filter((line) => line.includes('did not stop cleanly')),
    [],
    'their connections are dropped, and the folder can be used again',
  );
  const again = await startGateway(
    { port: 0, data_dir: join(folder, 'data'), key_file: join(folder, 'key') },
    { log: createLog('silent') },
  );
  await again.stop();
});

t.test('an address beyond this machine is warned about', async (t) => {
  const near = await start(t);
  const far = await start(t, { host: '0.0.0.0', insecure_no_auth: true });
  const warning = (line: string) => line.includes('everybody who reaches this address');
  t.notOk(near.lines.some(warning));
  t.ok(far.lines.some(warning));
  t.equal((await fetch(far.gateway.baseUrl)).status, 200);
});

t.test('a program that embeds the gateway decides about its callers', async (t) => {
  const authenticator = ({ access, address }: { access: string; address: string }) => {
    if (access !== 'public') throw new GatewayError('NOT_FOUND', 'nothing for you');
    return anybody(address);
  };
  const { gateway } = await start(t, {}, { authenticator });
  t.equal((await fetch(gateway.baseUrl)).status, 404);
  const refused = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}/roof/live`);
  refused.on('error', () => {});
  const [, response] = await once(refused, 'unexpected-response');
  t.equal(response.statusCode, 404);
});
