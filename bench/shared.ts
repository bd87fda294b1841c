/**
 * What instances that share their meters out carry: streamed meters (a frame each 100 ms, recorded) over one, two and four instances of the
 * build on one PostgreSQL. CPU of each process for a meter and second, frames that the history lacks, what `GET status` takes more where it
 * is passed on, and what a frame takes more where another instance than the gateway has its meter. Several instances have more meters than
 * one, by the factor of the bound: they carry so many times the streams where the busiest of them does no more work than the one does. (CPU for
 * a meter says less: the more frames come at once, the less each costs.) Both are held against a fixed piece of work that is done meanwhile, because the speed of a computer changes within minutes. Needs the server of PostgreSQL 15 or newer, and Linux; does nothing
 * without. Exits with 1 beyond a bound. `node bench/shared.ts [meters] [seconds]`, about seven minutes. `node bench/shared.ts 1000 30 500 2,4`: with
 * two and four instances, that many meters, and a frame each 500 ms.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inDatabase, POSTGRES_MISSING, postgresPrograms, startPostgres } from '../test/support/postgres.ts';
import { type FrameTimes, frameTimes, SPANS } from './setting/frame-times.ts';
import { pause, quantile } from './setting/index.ts';
import { BUILD, cpuSeconds, type Program, startProgram } from './setting/program.ts';
import { type StreamingMeter, streamingMeters } from './setting/streaming-meters.ts';
import { workMs } from './setting/work.ts';

const METERS = Number(process.argv[2] ?? 100);
const WINDOW_S = Number(process.argv[3] ?? 30);
const FRAME_MS = Number(process.argv[4] ?? 100);
const INSTANCES = (process.argv[5] ?? '1,2,4').split(',').map(Number);
/** Until the units stay where they are, s. */
const REST_S = 180;
/** Units have been with the same instances for so long, s. */
const SAME_S = 12;
/** The history has what came until then, s; on a computer without a free core a row may come later, and is looked for again. */
const SETTLE_S = 8;
const LATER_S = 30;
const ASKED = 300;
/** Each has a tenth of a second, however often they come. */
const FRAMES_A_SECOND = 10;
/** Units that are made. */
const AT_ONCE = 20;
const BOUND = { ratio: 1.8, statusMs: 1, frameMs: 3 };
const MORE_METERS = INSTANCES.includes(1) ? Math.round(METERS * BOUND.ratio) : METERS;

/** An instance under its name. */
interface Instance extends Program {
  readonly name: string;
}

interface Found {
  readonly meters: number;
  /** Of each instance, the gateway first. */
  readonly cores: readonly number[];
  /** What a fixed piece of work took meanwhile, ms of CPU. */
  readonly workMs: number;
  /** Frames that the history lacks, of those that were sent in the window. */
  readonly lost: number;
  readonly due: number;
  readonly units: readonly number[];
  readonly statusMs: { readonly direct: number; readonly passedOn: number };
  readonly frameMs: FrameTimes;
}

if (postgresPrograms() === undefined || !existsSync('/proc/self/stat')) {
  console.log(existsSync('/proc/self/stat') ? POSTGRES_MISSING : 'This reads /proc, which this system has not.');
  process.exit(0);
}
// What it started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const server = await startPostgres(tmpdir());
const busiest = new Map<number, { readonly core: number; readonly workMs: number }>();
const beyond: string[] = [];
try {
  for (const count of INSTANCES) {
    const found = await measured(count, count === 1 ? METERS : MORE_METERS);
    busiest.set(count, { core: Math.max(...found.cores), workMs: found.workMs });
    show(count, found);
  }
} finally {
  await server.stop();
}
const [one, two] = [busiest.get(1), busiest.get(2)];
if (one && two) {
  const words = ({ core, workMs: ms }: typeof one) =>
    `${(core * 100).toFixed(1)} % of a core (work: ${ms.toFixed(2)} ms)`;
  const ratio = two.core / two.workMs / (one.core / one.workMs);
  console.log(
    `one with ${METERS} meters works ${words(one)}, the busiest of two with ${MORE_METERS} meters ${words(two)}: ${ratio.toFixed(2)} times as much`,
  );
  if (ratio > 1) beyond.push(`two instances do not carry ${BOUND.ratio} times the streams of one`);
}
if (beyond.length > 0) {
  process.exitCode = 1;
  console.log(`BEYOND A BOUND: ${beyond.join('; ')}`);
}
process.exit();

function show(count: number, { meters, cores, lost, due, units, statusMs, frameMs }: Found): void {
  const each = cores.map((core, at) => `${((core * 1_000) / meters).toFixed(2)} ms (${units[at] ?? 0} units)`);
  console.log(`${count} of them, ${meters} meters: CPU for a meter and second ${each.join(', ')}`);
  console.log(`  frames that the history lacks: ${lost} of ${due} (none)`);
  if (lost > 0) beyond.push(`frames of ${count}`);
  if (count === 1) return;
  const { direct, passedOn } = statusMs;
  const later = passedOn - direct;
  console.log(
    `  GET status ${direct.toFixed(2)} ms (p50), passed on ${later.toFixed(2)} ms more (at most ${BOUND.statusMs} ms)`,
  );
  if (!(later <= BOUND.statusMs)) beyond.push(`status of ${count}`);
  const { here, later: frameLater } = frameMs;
  if (Number.isNaN(here))
    console.log(`  a frame to a viewer ${frameLater.toFixed(1)} ms (p99); no meter is with the gateway`);
  else {
    const more = `${frameLater.toFixed(1)} ms more where another has it (at most ${BOUND.frameMs} ms)`;
    console.log(
      `  a frame to a viewer ${here.toFixed(1)} ms (p99, median of ${SPANS} spans) where the gateway has its meter, ${more}`,
    );
    if (frameLater > BOUND.frameMs) beyond.push(`frames to viewers of ${count}`);
  }
}

/** So many instances on a new database, until they are stopped. */
async function measured(count: number, size: number): Promise<Found> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const { meters, stop } = await streamingMeters(size, FRAME_MS);
  const programs: Instance[] = [];
  try {
    const name = `shared_${count}`;
    await inDatabase(server.url, `create database ${name}`);
    process.env.SLM_DATABASE_URL = server.url.replace(/\/postgres$/, `/${name}`);
    // One more, which gets the units and leaves: what it had is shared out at once, and units that move would take a second each.
    const names = Array.from({ length: count === 1 ? 1 : count + 1 }, (_, index) => `instance-${index}`);
    for (const each of names) programs.push(await startInstance(folder, each));
    const [first] = programs;
    if (!first) throw new Error('there is no instance');
    await pause(5_000);
    await addUnits(first.base, meters);
    if (count > 1) await programs.shift()?.stop();
    const { gateway, others, units } = await atRest(programs, meters);
    const found = await window([gateway, ...others], meters);
    const statusMs = {
      direct: await statusTime(gateway.base, size),
      passedOn: await statusTime(others.at(-1)?.base ?? gateway.base, size),
    };
    const frameMs = await frameTimes(gateway, meters);
    return { ...found, meters: size, units, statusMs, frameMs };
  } finally {
    for (const program of programs.toReversed()) await program.stop();
    stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first one of a database becomes the gateway. */
async function startInstance(folder: string, name: string): Promise<Instance> {
  const port = await freePort();
  const own = ['--instance-name', name, '--instance-address', `http://127.0.0.1:${port}`];
  const places = ['--data-dir', join(folder, name), '--key-file', join(folder, 'key')];
  const flags = ['--port', String(port), '--log-level', 'error', '--allow-loopback-meters', '--share-meters'];
  return { name, ...(await startProgram(['--max-semi-space-size=4', BUILD, ...flags, ...own, ...places])) };
}

/** Other instances must know the port before this one listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function addUnits(base: string, meters: readonly StreamingMeter[]): Promise<void> {
  const add = async ({ port }: StreamingMeter, index: number) => {
    const config = { host: '127.0.0.1', tcp_port: port, poll_enabled: false, history: 'stream' };
    const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(config) };
    const answer = await fetch(`${base}/m${index}/config`, init);
    if (!answer.ok) throw new Error(`m${index}: ${answer.status} ${await answer.text()}`);
  };
  const waiting = [...meters.entries()];
  const one = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await add(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Which instance is the gateway, and how many units each one has, the gateway first, once that stays so and all meters stream. */
async function atRest(instances: readonly Instance[], meters: readonly StreamingMeter[]) {
  let before = '';
  let same = 0;
  for (let second = 0; second < REST_S; second += 1) {
    const rows = await members(instances.at(-1)?.base ?? '');
    const owner = rows.find(({ state }) => state === 'has the meters')?.name;
    const gateway = instances.find(({ name }) => name === owner);
    const others = instances.filter((each) => each !== gateway);
    const units = [...(gateway ? [gateway] : []), ...others].map(
      ({ name }) => rows.find((row) => row.name === name)?.units ?? 0,
    );
    const total = units.reduce((sum, each) => sum + each, 0);
    const streaming = meters.filter(({ far }) => far !== undefined).length;
    const now = `${units} units, ${streaming} streams`;
    same = total === meters.length && streaming === meters.length && now === before ? same + 1 : 0;
    before = now;
    if (gateway && same >= SAME_S) return { gateway, others, units };
    await pause(1_000);
  }
  throw new Error(`the units did not come to rest: ${before}`);
}

/** As an instance tells them; none while nobody is the gateway, or while the one that is asked becomes it. */
async function members(base: string) {
  try {
    const { data } = (await (await fetch(`${base}/_cluster`)).json()) as {
      data?: { name: string; state: string; units: number }[];
    };
    return data ?? [];
  } catch {
    return [];
  }
}

/** CPU of each process, and what the history lacks. */
async function window(programs: readonly Program[], meters: readonly StreamingMeter[]) {
  const from = Math.ceil(Date.now() / 1_000) + 1;
  await pause(from * 1_000 - Date.now());
  const sent = meters.map((meter) => meter.sent);
  const cpu = programs.map(({ pid }) => cpuSeconds(pid));
  const works: number[] = [];
  for (let at = from; at < from + WINDOW_S; at += 1) {
    works.push(workMs());
    await pause(Math.max(0, (at + 1) * 1_000 - Date.now()));
  }
  const cores = programs.map(({ pid }, at) => (cpuSeconds(pid) - (cpu[at] ?? 0)) / WINDOW_S);
  const wanted = (WINDOW_S * 1_000) / FRAME_MS;
  // One at the edge of the window is placed before or after it.
  const due = meters.map((meter, at) => Math.min(wanted, meter.sent - (sent[at] ?? 0)));
  const all = due.reduce((sum, frames) => sum + frames, 0);
  if (all < meters.length * wanted * 0.99) console.log(`  the meters sent ${all} frames: this computer is too busy`);
  await pause(SETTLE_S * 1_000);
  const lacking = async (index: number) =>
    Math.max(0, (due[index] ?? 0) - (await framesOf(programs[0]?.base ?? '', index, from)));
  const late: number[] = [];
  for (const index of due.keys()) if ((await lacking(index)) > 0) late.push(index);
  if (late.length > 0) {
    console.log(`  ${late.length} meters lack frames after ${SETTLE_S} s`);
    await pause(LATER_S * 1_000);
  }
  let lost = 0;
  for (const index of late) {
    const frames = await lacking(index);
    if (frames > 0)
      console.log(`  m${index} lacks ${frames}: ${await secondsOf(programs[0]?.base ?? '', index, from)}`);
    lost += frames;
  }
  return { cores, workMs: quantile(works, 0.5), lost, due: all };
}

/** How many frames of the window the history has. */
async function framesOf(base: string, index: number, from: number): Promise<number> {
  return (await secondsOf(base, index, from)).reduce((sum, frames) => sum + frames, 0);
}

/** How many frames each second has that has any. */
async function secondsOf(base: string, index: number, from: number): Promise<number[]> {
  const at = (second: number) => new Date(second * 1_000).toISOString();
  const query = new URLSearchParams({ step: '1s', from: at(from), to: at(from + WINDOW_S) });
  const answer = await fetch(`${base}/m${index}/history?${query}`);
  const { data } = (await answer.json()) as { data: { columns: string[]; rows: (number | string | null)[][] } };
  const column = data.columns.indexOf('coverage');
  return data.rows.map((row) => Math.round(Number(row[column] ?? 0) * FRAMES_A_SECOND));
}

/** p50, ms. */
async function statusTime(base: string, meters: number): Promise<number> {
  const times: number[] = [];
  for (let asked = 0; asked < ASKED; asked += 1) {
    const began = performance.now();
    await (await fetch(`${base}/m${asked % meters}/status`)).arrayBuffer();
    times.push(performance.now() - began);
  }
  return quantile(times, 0.5);
}
