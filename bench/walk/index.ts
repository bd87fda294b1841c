/**
 * Shows the files and functions of the gateway that one request runs through on the main thread, in the order of the files, with the
 * number of calls: `npm run walk -- GET /api/nl43/x/live`, `npm run walk -- PUT /api/nl43/x/config '{"name":"Roof"}'`. The unit of the
 * path is a simulated meter. `npm run walk -- alert`: from a frame of a recorded meter to an alert to a webhook.
 *
 * It is done several times, and what ran each time is shown: timers that fire in between are no part of it. With `--files` only the
 * files are shown.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../lib/app/gateway.ts';
import { createLog } from '../../lib/log.ts';
import { pause, startMeters } from '../setting/index.ts';
import { type Counter, countCalls, type Ran } from './coverage.ts';

/** The first ones load and compile what is used for the first time. */
const WARM = 2;
const RUNS = 3;
/** Of the same meter: it rests between two requests, and what it was asked for is old enough to be asked again. */
const PAUSE_MS = 1_500;

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

async function walkAlert(): Promise<Ran[][]> {
  let arrived = () => {};
  const hook = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
    arrived();
  }).listen(0, '127.0.0.1');
  await once(hook, 'listening');
  const { port } = hook.address() as AddressInfo;
  const api = '/api/nl43';
  await ask('PUT', `${api}/x/config`, configOf({ history: 'stream' }));
  const secret = `whsec_${Buffer.from('a secret of a webhook, 32 bytes!').toString('base64')}`;
  const target = { name: 'hook', kind: 'webhook', url: `http://127.0.0.1:${port}/`, secret };
  const created = await ask('POST', `${api}/_alerts/targets`, JSON.stringify(target));
  const { id } = JSON.parse(created.text).data;
  const rule = {
    name: 'Limit',
    units: ['x'],
    kind: 'level',
    quantity: 'leq',
    window: '1m',
    limit_db: 10,
    targets: [id],
  };
  await pause(5_000);
  const runs = await repeated(async (run, take) => {
    const came = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    // Its first row of a second breaks the limit.
    const made = JSON.parse((await ask('POST', `${api}/_alerts/rules`, JSON.stringify(rule))).text);
    await take();
    await Promise.race([came, pause(90_000)]);
    const ran = await take();
    if (run === 0) console.log('from a frame to an alert to a webhook');
    await ask('DELETE', `${api}/_alerts/rules/${made.data.id}`);
    await pause(PAUSE_MS);
    return ran;
  });
  hook.close();
  return runs;
}

async function repeated(walk: (run: number, take: Counter['take']) => Promise<Ran[]>): Promise<Ran[][]> {
  const runs: Ran[][] = [];
  for (let run = 0; run < WARM + RUNS; run++) runs.push(await walk(run, () => counter.take()));
  return runs.slice(WARM);
}

function show(runs: readonly Ran[][]): void {
  const keyOf = ({ file, line, name }: Ran) => `${file}:${line}:${name}`;
  const [last = []] = runs.slice(-1);
  const always = runs.map((run) => new Set(run.map(keyOf)));
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
