/**
 * `GET status` compared with bare Koa with its router that answers a JSON of the same size: requests a second on 16 connections that
 * stay open, in turns, each server in a process of its own. A second of CPU time of the server is counted where the system
 * shows it (Linux), so that other programs on the machine do not matter; else a second of the clock. Exits with 1 when the
 * gateway is below 0.75 of it. `npx node bench/status.ts [seconds of a turn]`
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { BUILD, cpuSeconds, type Program, startProgram } from './setting/program.ts';

/** Many short ones in turn: what else the computer does meets both alike. */
const TURN_S = Number(process.argv[2] ?? 2);
const TURNS = 15;
const LEAST = 0.75;

const MAIN = existsSync(BUILD) ? BUILD : 'lib/app/main.ts';
const BARE = `
  import Koa from 'koa';
  import { Router } from '@koa/router';
  const [body] = process.argv.slice(-1);
  const router = new Router();
  const data = JSON.parse(body);
  router.get('/api/nl43/:unit_id/status', (context) => { context.body = data; });
  const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
    console.log('http://127.0.0.1:' + server.address().port + '/api/nl43');
  });`;

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const programs: Program[] = [];
const start = async (words: readonly string[]) => {
  const program = await startProgram(words);
  programs.push(program);
  return program;
};
try {
  const flags = [
    '--port',
    '0',
    '--log-level',
    'error',
    '--data-dir',
    join(folder, 'data'),
    '--key-file',
    join(folder, 'key'),
  ];
  const gateway = await start([MAIN, ...flags]);
  await fetch(`${gateway.base}/roof/config`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: '{"host":"192.0.2.1","tcp_enabled":false}',
  });
  const body = await (await fetch(`${gateway.base}/roof/status`)).text();
  const bare = await start(['--input-type=module', '-e', BARE, body]);
  const ratios: number[] = [];
  for (let turn = 0; turn <= TURNS; turn++) {
    const [base, ours] = [await rate(bare), await rate(gateway)];
    // The first turn warms both up.
    if (turn === 0) continue;
    ratios.push(ours / base);
    console.log(`bare Koa ${base.toFixed(0)}/s, gateway ${ours.toFixed(0)}/s: ${(ours / base).toFixed(2)}`);
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  console.log(
    `GET status (${body.length} bytes): ${median.toFixed(2)} of bare Koa with its router (at least ${LEAST})`,
  );
  if (median < LEAST) process.exitCode = 1;
} finally {
  for (const program of programs) await program.stop();
  await rm(folder, { recursive: true, force: true });
}

async function rate({ base, pid }: Program): Promise<number> {
  const before = cpuSeconds(pid);
  const { requests } = await autocannon({ url: `${base}/roof/status`, connections: 16, duration: TURN_S });
  const spent = cpuSeconds(pid) - before;
  return requests.total / (spent > 0 ? spent : TURN_S);
}
