/**
 * `GET live` beyond what the meter takes: from the request to the first command, over the rest between two commands, and from the last byte of
 * the meter to the first byte of the answer. The build in a process of its own; meters and callers are raw sockets here, so each
 * figure has two ways over loopback in it: compared with a bare relay of Node, which asks the meter at a request and passes its reply on.
 * The last of the three is also counted in the gateway's process. Exits with 1 beyond a bound. `node bench/live.ts [rounds]`
 */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause, quantile } from './setting/index.ts';
import { reply } from './setting/plain-meter.ts';
import { BUILD, type Program, startProgram } from './setting/program.ts';

const ROUNDS = Number(process.argv[2] ?? 12);
const METERS = 10;
/** Requests of one round begin so far apart, ms: they do not disturb each other. */
const APART_MS = 130;
/** A meter takes so long for a reply, ms. */
const REPLY_MS = 20;
/** The rest that the gateway keeps between two commands, ms. */
const REST_MS = 1_000;
/**
 * From the last byte to the answer, p50, ms: in the process, and for the caller. The time of the bare relay, with its two
 * ways over loopback, is subtracted.
 */
const BOUND_MS = 1;

const MAIN = existsSync(BUILD) ? BUILD : 'lib/app/main.ts';
const RELAY = `
  import { createServer } from 'node:http';
  import { connect } from 'node:net';
  const meters = process.argv.slice(-1)[0].split(',').map((port) => connect(Number(port), '127.0.0.1').setNoDelay());
  const server = createServer((request, response) => {
    const meter = meters[Number(/\\d+/.exec(request.url)[0])];
    meter.once('data', (bytes) => response.end(bytes));
    meter.write('DOD?\\r\\n');
  }).listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;

/** When something happened at a meter, on performance.now(). */
interface Meter {
  readonly server: Server;
  readonly port: number;
  readonly commandsAt: number[];
  readonly repliesAt: number[];
}

interface Found {
  readonly first: number[];
  readonly rest: number[];
  readonly last: number[];
}

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const meters = await Promise.all(Array.from({ length: METERS }, startMeter));
const programs: Program[] = [];
try {
  const places = ['--data-dir', join(folder, 'data'), '--key-file', join(folder, 'key')];
  const flags = ['--port', '0', '--log-level', 'error', '--allow-loopback-meters', ...places];
  const gateway = await startProgram(['--import', './bench/setting/answer-probe.ts', MAIN, ...flags]);
  programs.push(gateway);
  for (const [index, { port }] of meters.entries()) await addUnit(`${gateway.base}/m${index}/config`, port);
  // The first reading asks for more.
  await Promise.all(meters.map(async (_, index) => (await fetch(`${gateway.base}/m${index}/live`)).arrayBuffer()));
  await asked(gateway, 2);
  await counted(gateway);
  const ours = await asked(gateway, ROUNDS);
  const within = await counted(gateway);
  await gateway.stop();
  programs.pop();
  const bare = await startProgram(['--input-type=module', '-e', RELAY, meters.map(({ port }) => port).join()]);
  programs.push(bare);
  await asked(bare, 2);
  const base = await asked(bare, ROUNDS);
  show('request to the first command', ours.first, base.first);
  show(`rest between two commands, beyond ${REST_MS} ms`, ours.rest);
  show('last byte to the first of the answer', ours.last, base.last);
  show('the same, counted in the process', within);
  const fromMeter = p50(ours.last) - p50(base.last);
  console.log(
    `beyond the bare relay ${fromMeter.toFixed(2)} ms, in the process ${p50(within).toFixed(2)} ms (each at most ${BOUND_MS} ms)`,
  );
  if (!(fromMeter <= BOUND_MS && p50(within) <= BOUND_MS)) process.exitCode = 1;
} finally {
  for (const program of programs) await program.stop();
  for (const { server } of meters) server.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

function show(what: string, times: readonly number[], base?: readonly number[]): void {
  const than = base ? `; bare relay ${p50(base).toFixed(2)} ms` : '';
  const all = `${p50(times).toFixed(2)} ms (p50), ${quantile(times, 0.9).toFixed(2)} ms (p90) of ${times.length}`;
  console.log(`${what.padEnd(40)} ${all}${than}`);
}

function p50(times: readonly number[]): number {
  return quantile(times, 0.5);
}

/** A meter that answers each command after a while, in one piece. */
async function startMeter(): Promise<Meter> {
  const commandsAt: number[] = [];
  const repliesAt: number[] = [];
  const server = createServer((socket) => {
    socket.setNoDelay();
    socket.on('data', (bytes) => {
      commandsAt.push(performance.now());
      const command = bytes.toString('latin1').trim();
      setTimeout(() => {
        socket.write(reply(command, performance.now()));
        repliesAt.push(performance.now());
      }, REPLY_MS);
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, commandsAt, repliesAt };
}

async function addUnit(url: string, port: number): Promise<void> {
  const config = { host: '127.0.0.1', tcp_port: port, poll_enabled: false, history: 'poll' };
  const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(config) };
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}

/** All meters in turn, so many times each, on raw sockets that stay open. */
async function asked({ base }: Program, rounds: number): Promise<Found> {
  const { hostname, port, pathname } = new URL(base);
  const found: Found = { first: [], rest: [], last: [] };
  const sockets = await Promise.all(
    meters.map(async () => {
      const socket = connect(Number(port), hostname).setNoDelay();
      await once(socket, 'connect');
      return socket;
    }),
  );
  for (let round = 0; round < rounds; round++) {
    const ends = sockets.map(async (socket, index) => {
      const { commandsAt, repliesAt } = meters[index] as Meter;
      await pause(index * APART_MS);
      commandsAt.length = 0;
      repliesAt.length = 0;
      const began = performance.now();
      socket.write(`GET ${pathname === '/' ? '' : pathname}/m${index}/live HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      const [bytes] = await once(socket, 'data');
      const at = performance.now();
      if (!String(bytes).startsWith('HTTP/1.1 200')) throw new Error(String(bytes));
      found.first.push((commandsAt[0] ?? Number.NaN) - began);
      found.last.push(at - (repliesAt.at(-1) ?? Number.NaN));
      for (const [next, sent] of commandsAt.slice(1).entries())
        found.rest.push(sent - (repliesAt[next] ?? Number.NaN) - REST_MS);
    });
    await Promise.all(ends);
    await pause(REST_MS + 200);
  }
  for (const socket of sockets) socket.destroy();
  return found;
}

/** Counts of the gateway since the last question. */
async function counted({ pid, output }: Program): Promise<number[]> {
  process.kill(pid, 'SIGUSR2');
  const [line] = await once(output, 'data');
  return JSON.parse(String(line)) as number[];
}
