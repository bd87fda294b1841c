import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { childEnvironment } from '../support/child-environment.ts';
import { programOf } from '../support/program.ts';

/** A plugin that hangs when it is asked to stop. */
const NEVER_STOPS = fileURLToPath(new URL('never-stops.ts', import.meta.url));

const SETTINGS = t.testdir({ 'settings.json': '{"log_format":"text"}' });

interface Run {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly exited: Promise<unknown[]>;
}

function run(t: Test, args: readonly string[], env: Record<string, string> = {}): Run {
  const folder = t.testdir();
  const own = { HOME: folder, SLM_DATA_DIR: join(folder, 'data') };
  const main = programOf('gateway', { ...childEnvironment(), ...own, ...env });
  const child = spawn(process.execPath, [main.path, ...args], { env: main.env });
  t.teardown(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return { child, out: () => out, err: () => err, exited: once(child, 'close') };
}

/** The address that the gateway prints once it accepts connections. */
async function address({ child, out, err, exited }: Run): Promise<string> {
  for (;;) {
    const found = /listens on (\S+)/.exec(out())?.[1];
    if (found) return found;
    const ended = await Promise.race([once(child.stdout ?? child, 'data').then(() => false), exited.then(() => true)]);
    if (ended) throw new Error(`the gateway ended: ${err()}`);
  }
}

t.test('--help, --version and --print-settings answer on standard output and exit 0', async (t) => {
  const help = run(t, ['--help']);
  const version = run(t, ['--version']);
  const print = run(t, ['--print-settings', '--port', '9'], { SLM_SECRET_KEY: 'hunter2 hunter2 hunter2' });
  for (const { exited } of [help, version, print]) t.strictSame(await exited, [0, null]);
  t.match(help.out(), '--config FILE');
  t.match(version.out(), /^\d+\.\d+\.\d+\n$/);
  t.match(JSON.parse(print.out()), { port: 9, secret_key: '***' });
  t.notMatch(print.out() + print.err(), 'hunter2');
});

t.test('a reader of the output that goes away ends nothing', async (t) => {
  const gateway = run(t, ['--port', '0', '--log-level', 'debug']);
  const base = await address(gateway);
  gateway.child.stdout?.destroy();
  gateway.child.stderr?.destroy();
  for (let count = 0; count < 20; count++) t.equal((await fetch(`${base}/nowhere`)).status, 404);
  t.equal(gateway.child.exitCode, null);
});

t.test('a variable that only looks like a setting is a warning in the log', async (t) => {
  const ofClients = { SLM_URL: 'http://192.0.2.1', SLM_API_KEY: 'x' };
  const gateway = run(t, ['--port', '0'], { SLM_GATEWAY_SERVICE_HOST: '192.0.2.1', ...ofClients });
  await address(gateway);
  t.notMatch(gateway.err(), /SLM_URL|SLM_API_KEY/, 'those of the command line slm are known');
  t.match(gateway.err(), /"level":"warn",.*SLM_GATEWAY_SERVICE_HOST is not a setting and is ignored/);
});

t.test('SIGHUP has the settings read again, and the log can be lines for a person', async (t) => {
  const file = join(SETTINGS, 'settings.json');
  const gateway = run(t, ['--port', '0', '--config', file]);
  await address(gateway);
  writeFileSync(file, '{"log_format":"text","log_levels":{"http":"debug"},"queue_limit":9}');
  gateway.child.kill('SIGHUP');
  while (!gateway.err().includes('read again')) await once(gateway.child.stderr ?? gateway.child, 'data');
  t.match(
    gateway.err(),
    /\d info {2}the settings were read again changed=\["log_levels"\] restart_needed=\["queue_limit"\]/,
  );
  gateway.child.kill('SIGTERM');
  t.strictSame(await gateway.exited, [0, null]);
});

t.test('a wrong setting is one clear line and exit code 2', async (t) => {
  const wrong = run(t, ['--port', '70000']);
  t.strictSame(await wrong.exited, [2, null]);
  t.equal(wrong.err(), 'slm-gateway: port: 70000 (from command line --port) must be <= 65535\n');
  t.equal(wrong.out(), '');
});

t.test(
  'an address beyond this machine without a key starts closed, and a certificate that is none is a wrong setting',
  async (t) => {
    const open = run(t, ['--host', '0.0.0.0', '--port', '0']);
    const half = run(t, ['--tls-cert-file', 'none.pem', '--port', '0']);
    const none = run(t, ['--tls-cert-file', 'none.pem', '--tls-key-file', 'none.key', '--port', '0']);
    const port = new URL(await address(open)).port;
    t.equal((await fetch(`http://127.0.0.1:${port}/api/nl43/_status`)).status, 401);
    open.child.kill('SIGTERM');
    t.strictSame(await open.exited, [0, null]);
    // The two would have one data folder: one after the other.
    const meant = run(t, ['--host', '0.0.0.0', '--port', '0', '--insecure-no-auth']);
    t.strictSame(await half.exited, [2, null]);
    t.match(half.err(), /^slm-gateway: tls_cert_file: "none\.pem" .* needs tls_key_file\n$/);
    t.strictSame(await none.exited, [2, null]);
    t.match(none.err(), /^slm-gateway: tls_cert_file, tls_key_file: the certificate file none\.pem cannot be read/);
    t.match(await address(meant), /^http:/);
  },
);

t.test('a start that fails is one clear line and exit code 1', async (t) => {
  const first = run(t, ['--port', '0', '--log-level', 'silent']);
  const { port } = new URL(await address(first));
  const second = run(t, ['--port', port], { SLM_DATA_DIR: join(t.testdir(), 'other') });
  t.strictSame(await second.exited, [1, null]);
  t.match(second.err(), new RegExp(`slm-gateway: cannot listen on 127\\.0\\.0\\.1 port ${port}: another program`));
  t.notMatch(second.err(), /^\s+at /m, 'no stack');
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} stops the gateway with exit code 0`, async (t) => {
    const gateway = run(t, ['--port', '0']);
    const base = await address(gateway);
    t.equal((await fetch(base)).status, 200);
    gateway.child.kill(signal);
    t.strictSame(await gateway.exited, [0, null]);
    const last = JSON.parse(gateway.err().trim().split('\n').at(-1) ?? '');
    t.match(last, { level: 'info', time: /^20.*T.*Z$/, msg: 'the gateway has stopped' });
  });
}

t.test('all that it says is one stream of JSON where this is wanted, in the form of pino, too', async (t) => {
  const gateway = run(t, ['--port', '0', '--log-stream', 'stdout', '--log-format', 'pino']);
  while (!gateway.out().includes('is ready')) await once(gateway.child.stdout ?? gateway.child, 'data');
  gateway.child.kill('SIGTERM');
  await gateway.exited;
  const lines = gateway.out().trim().split('\n');
  for (const line of lines) t.match(JSON.parse(line), { level: Number, time: Number, msg: String });
  t.match(lines.join(), /"address":"http:/);
  t.equal(gateway.err(), '');
});

t.test('a stop that was not clean has exit code 1', async (t) => {
  const gateway = run(t, ['--port', '0', '--shutdown-timeout-ms', '500'], { SLM_PLUGINS: NEVER_STOPS });
  await address(gateway);
  gateway.child.kill('SIGTERM');
  t.strictSame(await gateway.exited, [1, null]);
  t.match(gateway.err(), /did not stop cleanly/);
});

t.test('a second signal ends it at once', async (t) => {
  const gateway = run(t, ['--port', '0'], { SLM_PLUGINS: NEVER_STOPS });
  const base = await address(gateway);
  const watcher = new WebSocket(`${base.replace('http', 'ws')}/stream`);
  await once(watcher, 'open');
  gateway.child.kill('SIGTERM');
  const [code] = await once(watcher, 'close');
  t.equal(code, 1001, 'the first one has begun to stop it');
  gateway.child.kill('SIGTERM');
  t.strictSame(await gateway.exited, [143, null]);
});
