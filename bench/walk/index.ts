/**
 * Shows the files and functions of the gateway that a request runs through on the main thread, with the number of calls,
 * sorted by file: `npm run walk -- GET /api/nl43/x/live`, `npm run walk -- PUT /api/nl43/x/config '{"name":"Roof"}'`. The
 * unit of the path is a simulated meter. `npm run walk -- alert`: from a frame of a recorded meter to an alert to a webhook.
 *
 * The request is made several times, and a function must run each time to be shown. A function is left out if it runs as
 * often in the same time without a request, as do files that are looked at each second. With `--files` only the files are
 * shown.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { asked, pause, startMeters } from '../setting/index.ts';
import { type Counter, countCalls, type Ran } from './coverage.ts';

/** The first ones load and compile what is used for the first time. */
const WARM = 2;
const RUNS = 3;
/** Of the same meter: it rests between two requests, and what it was asked for is old enough to be asked again. */
const PAUSE_MS = 1_500;
/** The sound of the first run, and by how much each run is louder than the last, dB. */
const QUIETEST_DB = 45;
const STEP_DB = 8;
/** As long as a run: a request with its rest between two commands, and an alert. */
const IDLE_MS = 2_500;
/** A wait that is longer fails: the computer is too busy, or the gateway is broken. */
const LONGEST_MS = 90_000;

const words = process.argv.slice(2).filter((word) => word !== '--files');
const filesOnly = process.argv.includes('--files');
const [method = '', path = '', body] = words;
if (!(method === 'alert' || path.startsWith('/'))) {
  console.error('npm run walk -- METHOD PATH [JSON], or npm run walk -- alert');
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'slm-walk-'));
const { child, ready } = await startMeters(1);
const [meter] = ready.meters;
if (!meter) throw new Error('there is no meter');
const counter = await countCalls();
/** Functions that run without a request. */
let idle: readonly Ran[] = [];
const gateway = await startGateway(
  {
    port: 0,
    data_dir: join(folder, 'data'),
    key_file: join(folder, 'key'),
    allow_loopback_meters: true,
    outbound_allow_networks: ['127.0.0.0/8'],
  },
  { log: createLog('error') },
);
try {
  const runs = method === 'alert' ? await walkAlert() : await walkRequest();
  show(runs);
} finally {
  counter.close();
  await gateway.stop();
  child.kill('SIGTERM');
  await once(child, 'exit');
  await rm(folder, { recursive: true, force: true });
}

async function ask(how: string, where: string, json?: string) {
  const url = new URL(where, gateway.baseUrl);
  const sent = json === undefined ? {} : { body: json, headers: { 'Content-Type': 'application/json' } };
  const answer = await fetch(url, { method: how, ...sent });
  return { status: answer.status, text: await answer.text() };
}

function configOf(more: object): string {
  return JSON.stringify({ host: meter?.host, tcp_port: meter?.tcp_port, poll_enabled: false, ...more });
}

async function walkRequest(): Promise<Ran[][]> {
  const [, unit = 'x'] = /^\/api\/nl43\/([^/_][^/]*)/.exec(path) ?? [];
  const config = `/api/nl43/${unit}/config`;
  await ask('PUT', config, configOf({}));
  const isConfig = method === 'PUT' && path === config && body === undefined;
  idle = await countIdle(IDLE_MS);
  return repeated(async (run, take) => {
    await pause(PAUSE_MS);
    await take();
    // A change each time: one that changes nothing ends early.
    const { status } = await ask(method, path, isConfig ? configOf({ name: `Roof ${run}` }) : body);
    const ran = await take();
    if (run === 0) console.log(`${method} ${path}: ${status}`);
    return ran;
  });
}

/** Each run raises the sound over the limit of a new rule. So the measured part begins with a frame. */
async function walkAlert(): Promise<Ran[][]> {
  let heard = (_message: string) => {};
  const hook = createServer((request, response) => {
    text(request).then((message) => {
      response.end();
      heard(message);
    }, console.error);
  }).listen(0, '127.0.0.1');
  await once(hook, 'listening');
  const { port } = hook.address() as AddressInfo;
  const secret = `whsec_${Buffer.from('a secret of a webhook, 32 bytes!').toString('base64')}`;
  const target = { name: 'hook', kind: 'webhook', url: `http://127.0.0.1:${port}/`, secret };
  const { id } = await made('POST', '_alerts/targets', target);
  await play(QUIETEST_DB);
  idle = await countIdle(IDLE_MS);
  await made('PUT', 'x/config', JSON.parse(configOf({ history: 'stream' })));
  const runs = await repeated(async (run, take) => {
    const name = `Limit ${run}`;
    const db = QUIETEST_DB + (run + 1) * STEP_DB;
    const came = new Promise<void>((resolve) => {
      heard = (message) => message.includes(name) && resolve();
    });
    const level = { kind: 'level', quantity: 'lmax', window: '1m', limit_db: db - STEP_DB / 2 };
    const rule = await made('POST', '_alerts/rules', { name, units: ['x'], ...level, targets: [id] });
    await recorded(run);
    await take();
    await play(db);
    await within(came, 'no message came to the webhook');
    const ran = await take();
    if (run === 0) console.log('from a frame to an alert to a webhook');
    await made('DELETE', `_alerts/rules/${rule.id}`);
    return ran;
  });
  hook.closeAllConnections();
  hook.close();
  return runs;
}

/** The data of an answer. */
async function made(how: string, where: string, json?: object) {
  const { status, text: answer } = await ask(how, `/api/nl43/${where}`, json && JSON.stringify(json));
  if (status >= 300) throw new Error(`${how} ${where}: ${answer}`);
  return JSON.parse(answer).data ?? {};
}

async function play(db: number): Promise<void> {
  const body = JSON.stringify({ steady_db: db });
  await asked(`${ready.control_url}/meters/${meter?.unit_id}/sound`, { method: 'PUT', body });
}

/** Until a rule would hear a frame: rows of the sound of this run have come. */
async function recorded(run: number): Promise<void> {
  const wanted = QUIETEST_DB + run * STEP_DB;
  const isThere = async () => {
    const now = Date.now();
    const span = `from=${new Date(now - 60_000).toISOString()}&to=${new Date(now).toISOString()}`;
    const { rows, columns } = await made('GET', `x/history?step=1s&quantities=lmax&${span}`);
    const levels: unknown[] = rows.map((row: unknown[]) => row[columns.indexOf('lmax')]);
    const last = levels.findLast((level) => typeof level === 'number');
    return last !== undefined && Math.abs(last - wanted) < STEP_DB / 4;
  };
  const until = Date.now() + LONGEST_MS;
  while (!(await isThere())) {
    if (Date.now() > until) throw new Error(`no row of ${wanted} dB was recorded`);
    await pause(500);
  }
}

async function within(wait: Promise<void>, trouble: string): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(() => limit.reject(new Error(trouble)), LONGEST_MS);
  await Promise.race([wait, limit.promise]).finally(() => clearTimeout(timer));
}

async function repeated(walk: (run: number, take: Counter['take']) => Promise<Ran[]>): Promise<Ran[][]> {
  const runs: Ran[][] = [];
  for (let run = 0; run < WARM + RUNS; run++) runs.push(await walk(run, () => counter.take()));
  return runs.slice(WARM);
}

/** Waits, and counts what runs meanwhile. */
async function countIdle(ms: number): Promise<Ran[]> {
  await counter.take();
  await pause(ms);
  return counter.take();
}

function show(runs: readonly Ran[][]): void {
  const keyOf = ({ file, line, name }: Ran) => `${file}:${line}:${name}`;
  const [last = []] = runs.slice(-1);
  const byItself = new Map(idle.map((ran) => [keyOf(ran), ran.count]));
  const always = runs.map(
    (run) => new Set(run.filter((ran) => ran.count > (byItself.get(keyOf(ran)) ?? 0)).map(keyOf)),
  );
  const shown = last.filter((ran) => always.every((keys) => keys.has(keyOf(ran))));
  const files = Map.groupBy(shown, ({ file }) => file);
  for (const [file, functions] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(file);
    if (filesOnly) continue;
    for (const { line, name, count } of functions.sort((one, other) => one.line - other.line))
      console.log(`${String(line).padStart(6)}  ${name || '(no name)'}${count > 1 ? `  ${count} times` : ''}`);
  }
  console.log(`${files.size} files, ${shown.length} functions`);
}
