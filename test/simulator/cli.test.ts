import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { readCommandLine, WrongCommandLine } from '../../simulator/command-line.ts';
import { programOf } from '../support/program.ts';
import { Client } from './rig.ts';

const KEYS = new URL('../../lib/app/keys.ts', import.meta.url).pathname;

const simulate = (t: Test, ...words: string[]): ChildProcess => simulateIn(t, {}, ...words);

function simulateIn(t: Test, variables: Readonly<Record<string, string>>, ...words: string[]): ChildProcess {
  const { path, env } = programOf('simulator', { ...process.env, ...variables });
  const child = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

async function outcome(child: ChildProcess) {
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (bytes) => {
    printed.out += bytes;
  });
  child.stderr?.on('data', (bytes) => {
    printed.err += bytes;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...printed };
}

/** Its first line once it runs; `end` stops it in order and gives its outcome. */
async function ready(t: Test, words: readonly string[], variables = {}) {
  const child = simulateIn(t, variables, ...words);
  const ended = outcome(child);
  if (!child.stdout) throw new Error('no standard output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { ...JSON.parse(line), line, end };
}

const KNOWN = { profiles: ['default', 'lte'], scenarios: ['office', 'night'] };

t.test('without flags: five meters and the gateway on port 8100', async (t) => {
  t.same(readCommandLine([], KNOWN), {
    meters: 5,
    httpPort: 8100,
    host: '127.0.0.1',
    gatewayWords: [],
    gateway: true,
    seed: 1,
    speed: 1,
    profile: 'default',
    readyJson: false,
    pastDays: 7,
    help: false,
    version: false,
  });
});

t.test('flags of the gateway are taken and handed on; what neither knows is named', async (t) => {
  const known = {
    ...KNOWN,
    gatewayFlags: new Map([
      ['allowed-origins', 'string'],
      ['trace', 'boolean'],
      ['host', 'string'],
    ] as const),
  };
  const words = ['--allowed-origins', 'http://localhost:3000', '--meters', '3', '--no-trace', '--host=::1'];
  const { gatewayWords, host, meters } = readCommandLine(words, known);
  t.same(gatewayWords, ['--allowed-origins', 'http://localhost:3000', '--no-trace', '--host', '::1']);
  t.same({ host, meters }, { host: '::1', meters: 3 });
  t.throws(() => readCommandLine(['--allowed-origin', 'x'], known), /'--allowed-origin'/);
  t.throws(() => readCommandLine(['--no-gateway', '--trace'], known), /--no-gateway starts none/);
});

t.test('every flag is taken', async (t) => {
  const words =
    '--meters 5 --http-port 0 --host ::1 --insecure-no-auth --no-gateway --seed 7 --speed 0.5 --profile lte --scenario night --past 3';
  t.same(readCommandLine([...words.split(' '), '--data-dir', '/tmp/x', '--ready-json', '--control-port', '0'], KNOWN), {
    meters: 5,
    httpPort: 0,
    host: '::1',
    gatewayWords: ['--host', '::1', '--port', '0', '--insecure-no-auth'],
    gateway: false,
    seed: 7,
    speed: 0.5,
    profile: 'lte',
    scenario: 'night',
    pastDays: 3,
    dataDir: '/tmp/x',
    controlPort: 0,
    readyJson: true,
    help: false,
    version: false,
  });
});

t.test('a wrong flag is named with what it takes', async (t) => {
  for (const [words, complaint] of [
    [['--metres', '3'], /'--metres'/],
    [['stray'], /stray/],
    [['--meters'], /--meters/],
    [['--meters', '0'], /--meters takes a whole number from 1 to 1000, not "0"/],
    [['--meters', '1.5'], /--meters takes/],
    [['--http-port', '65536'], /0 to 65535/],
    [['--speed', '0'], /--speed takes a number above 0/],
    [['--speed', 'fast'], /--speed takes/],
    [['--profile', 'nobody'], /--profile takes default, lte; there is no "nobody"/],
    [['--scenario', '../x'], /--scenario takes office, night/],
    [['--control-port', 'x'], /--control-port takes a whole number/],
  ] as const) {
    const error = t.throws(() => readCommandLine(words, KNOWN), { message: complaint }, words.join(' '));
    t.ok(error instanceof WrongCommandLine);
  }
});

t.test('help goes to standard output; a wrong word is exit code 2, what cannot be had 1', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const taken = `cannot listen on 127.0.0.1 port ${port}: another program listens there; choose another one with --http-port`;
  for (const [words, code, out, err] of [
    ['--help', 0, /record --to HOST:PORT --out FILE .*replay FILE .*--control-port P.*--ready-json/s, /^$/],
    ['record --help', 0, /--ready-json/, /^$/],
    ['--meters many', 2, /^$/, /^--meters takes a whole number[^\n]*\n[^\n]*--help/],
    ['replay', 2, /^$/, /replay takes the FILE/],
    ['replay /nonexistent/transcript', 1, /^$/, /ENOENT/],
    [`--meters 1 --http-port ${port}`, 1, /^$/, taken],
    [
      '--http-port 0 --meters 1 --host 0.0.0.0',
      1,
      /^$/,
      /^--host 0\.0\.0\.0 lets other machines call: add --insecure-no-auth .* or .* --data-dir\n$/,
    ],
  ] as const)
    t.match(await outcome(simulate(t, ...words.split(' '))), { code, out, err }, words);
});

t.test('--ready-json: one line with addresses that accept connections; SIGTERM ends with 0', async (t) => {
  const words = '--no-gateway --ready-json --meters 3 --seed 5 --control-port 0 --speed 10'.split(' ');
  const { line, end, ...addresses } = await ready(t, words);
  const meter = { unit_id: 'sim-1', host: '127.0.0.1', tcp_port: Number, ftp_port: Number };
  t.match(addresses, { ready: true, base_url: null, meters: [meter, {}, { unit_id: 'sim-3' }] });
  t.match(addresses.control_url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const state = (await (await fetch(`${addresses.control_url}/meters`)).json()) as object[];
  t.match(state, addresses.meters, 'the control API has the same meters');
  t.match(await (await fetch(`${addresses.control_url}/time`)).json(), { speed: 10 });
  const measuring = await Client.open(addresses.meters[0].tcp_port);
  t.teardown(() => measuring.close());
  t.equal(await measuring.ask('Measure?'), 'R+0000\r\nStart\r\n$', 'one meter measures already');
  const { code, out } = await end('SIGTERM');
  t.equal(code, 0);
  t.equal(out.trim(), line, 'nothing else on standard output');
});

t.test('with the gateway: its units are the meters, its settings are taken, and it is gone at the end', async (t) => {
  const variables = { SLM_ALLOWED_ORIGINS: 'http://localhost:3000', SLM_ALLOWED_ORIGIN: 'x' };
  const words = ['--meters', '2', '--ready-json', '--past', '7', '--http-port', '0', '--base-path', '/meters'];
  const { base_url, meters, end } = await ready(t, words, variables);
  t.match(base_url, /\/meters$/, 'from the command line');
  const configFor = (origin: string) => fetch(`${base_url}/sim-2/config`, { headers: { origin } });
  const config = await configFor('http://localhost:3000').then((answer) => answer.json());
  t.match(config, { status: 'ok', data: { tcp_port: meters[1].tcp_port, ftp_port: meters[1].ftp_port } });
  t.equal((await configFor('http://localhost:3001')).status, 403, 'from the environment');
  const { data } = (await fetch(`${base_url}/_alerts/rules`).then((answer) => answer.json())) as { data: unknown };
  t.match(data, [{ kind: 'level', units: ['sim-1'] }, { units: ['sim-1', 'sim-2'] }], 'with a past there are rules');
  const events = `${base_url}/_alerts/events?open=false`;
  let past: readonly object[] = [];
  while (past.length === 0)
    ({ data: past } = (await fetch(events).then((answer) => answer.json())) as { data: object[] });
  t.match(past, [{ kind: 'level', what: 'leq', limit: 76, cause: 'Concrete breaker' }], 'and a time that was too loud');
  const { code, err } = await end('SIGINT');
  t.equal(code, 0);
  t.match(err, /SLM_ALLOWED_ORIGIN is not a setting and is ignored; did you mean SLM_ALLOWED_ORIGINS\?/);
  await t.rejects(fetch(`${base_url}/sim-2/config`));
});

t.test('on every interface the gateway reaches its meters by loopback', async (t) => {
  const words = ['--ready-json', '--http-port', '0', '--meters', '1', '--host', '0.0.0.0', '--insecure-no-auth'];
  const { base_url, end } = await ready(t, words);
  const config = await fetch(`${base_url}/sim-1/config`).then((answer) => answer.json());
  t.match(config, { data: { host: '127.0.0.1' } });
  t.equal((await end('SIGTERM')).code, 0);
});

t.test('with an API key in the data folder the demo starts, and asks callers for it', async (t) => {
  const dataDir = join(t.testdir(), 'data');
  const child = spawn(process.execPath, [KEYS, 'create', '--name', 'me', '--role', 'viewer', '--data-dir', dataDir]);
  const { out: key } = await outcome(child);
  const words = ['--ready-json', '--http-port', '0', '--meters', '1', '--data-dir', dataDir];
  const { base_url, meters, end } = await ready(t, words);
  t.equal((await fetch(`${base_url}/sim-1/config`)).status, 401);
  const config = await fetch(`${base_url}/sim-1/config`, { headers: { Authorization: `Bearer ${key.trim()}` } });
  t.match(await config.json(), { data: { tcp_port: meters[0].tcp_port, poll_enabled: true } });
  t.equal((await end('SIGTERM')).code, 0);
});

t.test('a meter of the demo shows the time of its place, whichever zone that is', async (t) => {
  const words = ['--ready-json', '--http-port', '0', '--meters', '1', '--timezone', 'Asia/Kathmandu'];
  const { base_url, end } = await ready(t, words);
  const answer = await fetch(`${base_url}/sim-1/clock`);
  const { clock } = (await answer.json()) as { readonly clock: string };
  const local = new Date().toLocaleString('sv-SE', { timeZone: 'Asia/Kathmandu' });
  const off =
    Date.parse(`${clock.replaceAll('/', '-').replace(/[ ,]/, 'T')}Z`) - Date.parse(`${local.replace(' ', 'T')}Z`);
  t.ok(Math.abs(off) < 10_000, `it shows ${clock}, and there it is ${local}`);
  t.equal((await end('SIGTERM')).code, 0);
});
