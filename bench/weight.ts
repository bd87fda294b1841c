/**
 * The cost of a start, and the memory of the process: from the sources and from the build, compared with a bare Node that
 * answers one text. Milliseconds from the start of the process to the first answer. Megabytes resident when it has been idle
 * for a while, and how many of them are no pages of Node's program. Megabytes resident after a minute of `GET status` on 16
 * connections that stay open. Exits with 1 when the build is beyond a bound.
 * `npm run build && npx node bench/weight.ts [seconds of load]`, about three minutes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { pause, quantile } from './setting/index.ts';
import { BUILD, cpuSeconds, ownMb, residentMb } from './setting/program.ts';

const LOAD_S = Number(process.argv[2] ?? 60);
const STARTS = 7;
const IDLE_MS = 5_000;
/** Longer than any start takes. */
const START_LIMIT_MS = 30_000;
const BOUNDS: Partial<Record<string, number>> = { start: 500, idle: 105, own: 52, loaded: 220 };

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BARE = `require('node:http').createServer((q, a) => a.end('{"status":"ok"}')).listen(process.argv[1], '127.0.0.1')`;

/** Words of the command line, for a port and a folder. */
type Program = (port: string, folder: string) => string[];
const gateway =
  (...words: string[]): Program =>
  (port, folder) => [...words, '--port', port, '--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];

const PROGRAMS: Readonly<Record<string, Program>> = {
  'bare Node': (port) => ['-e', BARE, port],
  sources: gateway('-r', join(ROOT, 'lib/node-version.cjs'), join(ROOT, 'lib/app/main.ts')),
  build: gateway('--max-semi-space-size=4', BUILD),
};

interface Running {
  readonly child: ChildProcess;
  readonly base: string;
  /** From the start of the process to its first answer. */
  readonly startMs: number;
  /** CPU time until then, of all its threads. */
  readonly cpuMs: number;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

async function start(program: Program): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-weight-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, program(String(port), folder), {
    env: { PATH: process.env.PATH ?? '' },
    stdio: 'ignore',
  });
  children.add(child);
  while (!(await answers(`${base}/health`))) {
    if (child.exitCode !== null || performance.now() - began > START_LIMIT_MS) throw new Error('it did not start');
    await pause(2);
  }
  const startMs = performance.now() - began;
  const cpuMs = cpuSeconds(child.pid ?? 0) * 1_000;
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
    children.delete(child);
    await rm(folder, { recursive: true, force: true });
  };
  return { child, base, startMs, cpuMs, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

interface Weight {
  /** The middle of several starts, ms. */
  readonly start: number;
  /** Of the same starts, ms. */
  readonly cpu: number;
  /** MB. */
  readonly idle: number;
  /** The part of `idle` that is no page of Node's program. */
  readonly own: number;
  readonly loaded: number;
}

async function weigh(program: Program): Promise<Weight> {
  const starts: number[] = [];
  const cpu: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    const running = await start(program);
    starts.push(running.startMs);
    cpu.push(running.cpuMs);
    await running.stop();
  }
  const running = await start(program);
  await pause(IDLE_MS);
  const idle = residentMb(running.child.pid ?? 0);
  const own = ownMb(running.child.pid ?? 0);
  const url = `${running.base}${await unitOf(running.base)}`;
  await autocannon({ url, connections: 16, duration: LOAD_S });
  const loaded = residentMb(running.child.pid ?? 0);
  await running.stop();
  return { start: quantile(starts, 0.5), cpu: quantile(cpu, 0.5), idle, own, loaded };
}

/** Configures a unit that has no meter, if there is a gateway. */
async function unitOf(base: string): Promise<string> {
  const unit = '/api/nl43/roof';
  const config = { host: '192.0.2.1', tcp_enabled: false, ftp_enabled: false };
  const init = { method: 'PUT', body: JSON.stringify(config), headers: { 'content-type': 'application/json' } };
  const answer = await fetch(`${base}${unit}/config`, init);
  await answer.arrayBuffer();
  return `${unit}/status`;
}

if (!existsSync(BUILD)) throw new Error('there is no build: npm run build makes it');
console.log(`${''.padEnd(12)}  start ms    CPU ms   idle MB    own MB loaded MB`);
for (const [name, program] of Object.entries(PROGRAMS)) {
  const weight = await weigh(program);
  const cells = Object.values(weight).map((value) => value.toFixed(0).padStart(10));
  const beyond = Object.entries(weight).flatMap(([name, value]) => (value > (BOUNDS[name] ?? Infinity) ? [name] : []));
  const isBad = name === 'build' && beyond.length > 0;
  if (isBad) process.exitCode = 1;
  console.log(`${name.padEnd(12)}${cells.join('')}${isBad ? `   BEYOND: ${beyond.join(', ')}` : ''}`);
}
process.exit();
