/**
 * Two sites on one PostgreSQL, each with meters of its own that are recorded at 10 Hz: how many streams both carry for each
 * second of CPU, as a multiple of what one site alone carries in the same run, and what one site notices of the sudden death
 * of the other. Meters are sockets of this process. Exits with 1 beyond a bound, and does nothing where there is no
 * PostgreSQL. `node bench/sites.ts [meters of a site] [seconds]`, about three minutes.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_MISSING, postgresPrograms, startPostgres } from '../test/support/postgres.ts';
import { pause, quantile } from './setting/index.ts';
import { BUILD, cpuSeconds, type Program, startProgram } from './setting/program.ts';
import { type StreamingMeter, streamingMeters } from './setting/streaming-meters.ts';

const METERS = Number(process.argv[2] ?? 60);
const WINDOW_S = Number(process.argv[3] ?? 15);
/** Windows of each kind: alone, then beside the other site. */
const WINDOWS = 3;
const WARM_MS = 20_000;
/** Times the streams of one site; frames of its meters that a site records after the death of the other. */
const BOUND = { times: 1.9, recorded: 1 };
const MAIN = existsSync(BUILD) ? BUILD : 'lib/app/main.ts';

if (postgresPrograms() === undefined) {
  console.log(POSTGRES_MISSING);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const server = await startPostgres(tmpdir(), ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on']);
// A secret is no word of a command line.
process.env.SLM_DATABASE_URL = server.url;
const programs: Program[] = [];
const crowds = [await streamingMeters(METERS), await streamingMeters(METERS)];
try {
  const north = await openSite('north', crowds[0]?.meters ?? []);
  await pause(WARM_MS);
  const alone = await windows([north]);
  const south = await openSite('south', crowds[1]?.meters ?? []);
  await pause(WARM_MS);
  const both = await windows([north, south]);
  const times = 2 * (middle(alone) / middle(both));
  const ways = north.meters.map(({ far }) => far);
  const from = Math.ceil(Date.now() / 1_000);
  programs.pop();
  process.kill(south.pid, 'SIGKILL');
  await pause(WINDOW_S * 1_000);
  const to = Math.floor(Date.now() / 1_000);
  const cut = north.meters.filter(({ far }, index) => far !== ways[index]).length;
  await pause(3_000);
  const recorded = await recordedShare(north, from, to);
  console.log(`${METERS} meters a site at 10 Hz, ${WINDOWS} windows of ${WINDOW_S} s each`);
  console.log(`one site        ${shown(alone)} ms of CPU for 100 frames`);
  console.log(`two sites, each ${shown(both)} ms of CPU for 100 frames`);
  console.log(`two sites carry ${times.toFixed(2)} times the streams of one (at least ${BOUND.times})`);
  console.log(
    `after the death of one site the other has lost ${cut} connections and recorded ${(recorded * 100).toFixed(1)} % of its frames (100 %)`,
  );
  if (!(times >= BOUND.times && cut === 0 && recorded >= BOUND.recorded)) process.exitCode = 1;
} finally {
  for (const program of programs) await program.stop();
  for (const crowd of crowds) crowd.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

interface Site extends Program {
  readonly meters: readonly StreamingMeter[];
}

async function openSite(name: string, meters: readonly StreamingMeter[]): Promise<Site> {
  const places = ['--data-dir', join(folder, name), '--key-file', join(folder, 'key')];
  const database = ['--database-schema', name, '--instance-name', name];
  const flags = ['--port', '0', '--log-level', 'error', '--allow-loopback-meters'];
  const program = await startProgram([MAIN, ...flags, ...places, ...database]);
  programs.push(program);
  const add = async ({ port }: StreamingMeter, index: number) => {
    const body = JSON.stringify({ host: '127.0.0.1', tcp_port: port, history: 'stream' });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${program.base}/m${index}/config`, { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  await Promise.all(meters.map(add));
  return { ...program, meters };
}

/** ms of CPU of all these sites for 100 frames of their meters, window by window. */
async function windows(sites: readonly Site[]): Promise<number[]> {
  const costs: number[] = [];
  const cpu = () => sites.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const frames = () => sites.flatMap(({ meters }) => meters).reduce((sum, { sent }) => sum + sent, 0);
  for (let window = 0; window < WINDOWS; window++) {
    const [cpuBefore, framesBefore] = [cpu(), frames()];
    await pause(WINDOW_S * 1_000);
    costs.push(((cpu() - cpuBefore) * 1e5) / (frames() - framesBefore));
  }
  return costs;
}

/** Of the seconds of this time at all meters of a site: how much of them was recorded. */
async function recordedShare(site: Site, from: number, to: number): Promise<number> {
  const time = (seconds: number) => encodeURIComponent(new Date(seconds * 1_000).toISOString());
  let seconds = 0;
  for (const index of site.meters.keys()) {
    const way = `${site.base}/m${index}/history?from=${time(from)}&to=${time(to)}&step=1s`;
    const { data } = (await answered(way)) as { data: { columns: string[]; rows: number[][] } };
    const column = data.columns.indexOf('coverage');
    for (const row of data.rows) seconds += row[column] ?? 0;
  }
  return seconds / ((to - from) * site.meters.length);
}

async function answered(address: string): Promise<unknown> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${await answer.text()}`);
  return answer.json();
}

function middle(costs: readonly number[]): number {
  return quantile(costs, 0.5);
}

function shown(costs: readonly number[]): string {
  return costs.map((cost) => cost.toFixed(1)).join(', ');
}
