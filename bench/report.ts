/**
 * A PDF of a month of a unit with a row each minute. The gateway has just started, from the sources or as it is built.
 * Measured: its time, the memory of the gateway and of the printing process together, and the wait of others. For the gateway
 * all resident memory counts. For the printing process its proportional set counts (Pss of /proc/PID/smaps_rollup), because
 * both share the pages of the binary. Another process imports the levels, because an import would make this process larger.
 * The same report comes first as data, as often: every reader of the history needs that memory. Exits with 1 above 3 s, 60 MB
 * more than that, or 250 ms. The 60 MB are for the build: from the sources Node needs 17 MB to strip their types. Memory of
 * the second process is known on Linux only. `npm run bench -- report`, about half a minute.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLog } from '../lib/log.ts';
import { deviceConfig } from '../test/support/config.ts';

const MINUTES = 30 * 24 * 60;
const FROM = Date.UTC(2025, 10, 1);
const BOUND = { ms: 3_000, mb: 60, waitMs: 250 };
/** Flags as each of them is started with: `npm start`, and `dist/lib/start.cjs`, which sets the second one itself. */
const FLAGS = { sources: [], build: ['--max-semi-space-size=4', '--heap-growing-percent=20'] } as const;

const [, , given, role] = process.argv;
if (given === undefined) {
  await inProcesses();
  process.exit();
}
const place = role === 'build' ? '../dist/lib/app/gateway.js' : '../lib/app/gateway.ts';
const { startGateway }: typeof import('../lib/app/gateway.ts') = await import(new URL(place, import.meta.url).href);
const places = { data_dir: join(given, 'data'), key_file: join(given, 'key') };
const gateway = await startGateway({ port: 0, ...places }, { log: createLog('silent') });
if (role === undefined) await fill();
else await measure(role);
await gateway.stop();
// Threads and sockets of what was asked end by themselves, but late.
process.exit();

/** One fills the folder, then one for each way in which the gateway runs. */
async function inProcesses(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const run = (flags: readonly string[], ...words: readonly string[]) =>
    spawnSync(process.execPath, [...flags, import.meta.filename, folder, ...words], { stdio: 'inherit' }).status;
  if (run([]) !== 0) throw new Error('the levels could not be imported');
  for (const [way, flags] of Object.entries(FLAGS)) if (run(flags, way) !== 0) process.exitCode = 1;
  await rm(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  await gateway.store.configs.change('unit', () => deviceConfig({ unitId: 'unit', tcpEnabled: false }));
  const lines = Array.from({ length: MINUTES }, (_, n) => {
    const leq = 50 + 10 * Math.sin(n / 230) + ((n * 7_919) % 100) / 25;
    return `${new Date(FROM + n * 60_000).toISOString()},60,${leq.toFixed(1)},${(leq + 12).toFixed(1)}`;
  });
  const imported = await fetch(`${gateway.baseUrl}/unit/history/import`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: ['start,duration_s,leq,lmax', ...lines].join('\n'),
  });
  if (imported.status !== 202) throw new Error(`the import answered ${imported.status} ${await imported.text()}`);
}

function address(format: string): string {
  const span = `from=${new Date(FROM).toISOString()}&to=${new Date(FROM + MINUTES * 60_000).toISOString()}`;
  return `${gateway.baseUrl}/_reports/preview?units=unit&format=${format}&zone=Europe/Berlin&${span}`;
}

/** Sum over the children of this process, bytes; 0 without children. `own`: without pages that other processes map as well. */
function ofChildren(): { readonly pss: number; readonly own: number } {
  let [pss, own] = [0, 0];
  try {
    for (const task of readdirSync('/proc/self/task'))
      for (const pid of readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '))
        if (pid.trim()) {
          const rollup = readFileSync(`/proc/${pid.trim()}/smaps_rollup`, 'utf8');
          const of = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) * 1_024;
          pss += of('Pss');
          own += of('Private_Clean') + of('Private_Dirty');
        }
  } catch {
    // It has just ended, or this is no Linux.
  }
  return { pss, own };
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}

async function made(format: string) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const rss = process.memoryUsage().rss;
  const most = { together: rss, gateway: rss, pss: 0, own: 0 };
  const watch = setInterval(() => {
    const [gateway, { pss, own }] = [process.memoryUsage.rss(), ofChildren()];
    most.together = Math.max(most.together, gateway + pss);
    most.gateway = Math.max(most.gateway, gateway);
    most.pss = Math.max(most.pss, pss);
    most.own = Math.max(most.own, own);
  }, 5);
  const began = performance.now();
  const response = await fetch(address(format));
  const bytes = (await response.arrayBuffer()).byteLength;
  const ms = performance.now() - began;
  clearInterval(watch);
  delay.disable();
  if (response.status !== 200) throw new Error(`the report answered ${response.status}`);
  const waitMs = delay.max / 1e6;
  console.log(
    `a month as ${format}: ${ms.toFixed(0)} ms, ${(bytes / 1e3).toFixed(0)} kB, ${mb(most.together - rss)} more, of the process that prints ${mb(most.pss)} (${mb(most.own)} its own), others wait ${waitMs.toFixed(0)} ms at most`,
  );
  return { ms, waitMs, most };
}

async function measure(way: string): Promise<void> {
  console.log(`the gateway from ${way === 'build' ? 'the build' : 'its sources'}`);
  const read: Awaited<ReturnType<typeof made>>[] = [];
  for (let round = 0; round < 5; round++) read.push(await made('json'));
  const before = Math.max(...read.map(({ most }) => most.gateway));
  const printed: Awaited<ReturnType<typeof made>>[] = [];
  for (let round = 0; round < 5; round++) printed.push(await made('pdf'));
  const mostOf = (name: 'together' | 'gateway') => Math.max(...printed.map(({ most }) => most[name])) - before;
  const grown = mostOf('together') / 2 ** 20;
  const left = process.memoryUsage.rss() - before;
  console.log(
    `five PDFs: ${grown.toFixed(0)} MB more than the report as data (at most ${BOUND.mb}), ${mb(mostOf('gateway'))} of it in the gateway; afterwards ${mb(left)}`,
  );
  const isBeyond =
    printed.some(({ ms, waitMs }) => ms > BOUND.ms || waitMs > BOUND.waitMs) || (way === 'build' && grown > BOUND.mb);
  if (isBeyond) process.exitCode = 1;
}
