/**
 * The cost of recording for the gateway: 200 meters at 10 Hz, with three quarters of an hour already in memory. Compared with
 * the same rows made and thrown away in another process. Then the same while ten people ask for a month in minutes each,
 * again and again. This is compared with a process in which a thread only counts: the delay of its event loop shows how busy
 * this computer is with others. Exits with 1 beyond a bound. `node bench/recording.ts [seconds]`, about three minutes.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { systemClock } from '../lib/clock.ts';
import type { History, SecondRow } from '../lib/history/contract.ts';
import { openHistory } from '../lib/history/index.ts';
import { HOUR_COLUMNS } from '../lib/history/stored/columns.ts';
import { createLog } from '../lib/log.ts';
import { openStore } from '../lib/store/index.ts';
import { pause } from './setting/index.ts';
import { hoursOfSound } from './setting/sound.ts';

const METERS = 200;
const PEOPLE = 10;
const MONTH_DAYS = 30;
const HOUR_S = 3_600;
const FILLED_S = 2_700;
const BOUND = { core: 0.4, mb: 70, lateMs: 20 };
const WINDOW_S = Number(process.argv[3] ?? process.argv[2] ?? 20);

const weighting = { frequency: 'A', time: 'F' } as const;
const unit = (number: number) => `meter-${number}`;

type Kind = 'idle' | 'busy' | 'record';
const KINDS: readonly string[] = ['idle', 'busy', 'record'] satisfies Kind[];

interface Window {
  /** Of one core. */
  readonly core: number;
  readonly mb: number;
  readonly lateMs: number;
  readonly months: number;
}
interface Report {
  readonly calm: Window;
  readonly asked: Window | null;
}

const asked = process.argv[2] ?? '';
if (KINDS.includes(asked)) await child(asked as Kind);
else await parent();

async function parent(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const begin = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S;
  const options = { path: join(folder, 'history.db'), clock: systemClock, log: createLog('error') };
  await fillMonths(options, [...hoursOfSound(0, 1)].flat(), begin);
  const around = { ...process.env, BENCH_FOLDER: folder, BENCH_BEGIN: String(begin) };
  const idle = await report('idle', around);
  const busy = await report('busy', around);
  const recording = await report('record', around);
  await rm(folder, { recursive: true, force: true });
  const show = (name: string, { core, mb, lateMs, months }: Window) =>
    console.log(
      `${name.padEnd(34)}${(core * 100).toFixed(1).padStart(7)} %${mb.toFixed(0).padStart(7)} MB${lateMs.toFixed(1).padStart(8)} ms late (p99)${months > 0 ? `, ${months} months answered` : ''}`,
    );
  show('rows made, nothing recorded', idle.calm);
  show('the same, a thread counts', busy.calm);
  show(`${METERS} meters recorded`, recording.calm);
  if (recording.asked) show(`${PEOPLE} people ask meanwhile`, recording.asked);
  const core = recording.calm.core - idle.calm.core;
  const mb = recording.calm.mb - idle.calm.mb;
  const lateMs = Math.max(recording.calm.lateMs, recording.asked?.lateMs ?? 0);
  console.log(
    `recording: ${(core * 100).toFixed(1)} % of a core, ${mb.toFixed(0)} MB; late by ${lateMs.toFixed(1)} ms (p99)`,
  );
  if (core > BOUND.core || mb > BOUND.mb || lateMs > BOUND.lateMs + busy.calm.lateMs) {
    process.exitCode = 1;
    console.log(`BEYOND ${BOUND.core * 100} %, ${BOUND.mb} MB or ${BOUND.lateMs} ms more than without`);
  }
}

async function report(kind: Kind, env: NodeJS.ProcessEnv): Promise<Report> {
  const started = fork(fileURLToPath(import.meta.url), [kind, String(WINDOW_S)], {
    execArgv: ['--max-semi-space-size=4'],
    env,
  });
  const [told] = await once(started, 'message');
  await once(started, 'exit');
  return told as Report;
}

async function child(kind: Kind): Promise<void> {
  const folder = process.env.BENCH_FOLDER ?? '';
  const path = join(folder, 'history.db');
  const hour = [...hoursOfSound(0, 1)].flat();
  const begin = Number(process.env.BENCH_BEGIN);
  const log = createLog('error');
  // As in every gateway: its store is open.
  const own = { dataDir: join(folder, kind), keyFile: join(folder, `${kind}.key`), timezone: () => 'UTC' };
  const store = await openStore({ ...own, clock: systemClock, log });
  const history = kind === 'record' ? await openHistory({ path, clock: systemClock, log }) : null;
  if (kind === 'busy') new Worker('for (;;);', { eval: true }).unref();
  // The begin of the hour, as it would lie in memory by now.
  for (let second = 0; second < FILLED_S; second++) {
    recordSecond(history, hour, begin, second);
    await history?.flush();
  }
  await history?.flush();
  await pause(2_000);
  const calm = await measure(history, hour, begin, FILLED_S, false);
  const asked = history ? await measure(history, hour, begin, FILLED_S + WINDOW_S, true) : null;
  process.send?.({ calm, asked } satisfies Report);
  await history?.close();
  await store.close();
  process.disconnect();
}

/** A month of minutes for each of those who ask, from one hour of sound, copied. */
async function fillMonths(
  options: Parameters<typeof openHistory>[0],
  hour: readonly SecondRow[],
  begin: number,
): Promise<void> {
  const history = await openHistory(options);
  for (let number = 0; number < PEOPLE; number++) {
    const seconds = hour.map((row) => ({ ...row, at: begin - HOUR_S + row.at }));
    history.append({ unitId: unit(number), source: 'stream', weighting, seconds });
    await history.flush();
  }
  const isFolded = () => {
    const database = new Database(options.path, { readonly: true });
    const count = database.prepare('select count(*) from history_hour').pluck().get();
    database.close();
    return count === PEOPLE;
  };
  while (!isFolded()) await pause(1_000);
  await history.close();
  const database = new Database(options.path);
  database.pragma('synchronous = off');
  const sums = HOUR_COLUMNS.join(', ');
  for (const [table, columns] of [
    ['history_minute_hour', 'rows'],
    ['history_hour', sums],
  ]) {
    const copy = database.prepare(
      `insert into ${table} (series, hour, ${columns}) select series, hour - ?, ${columns} from ${table} where hour = ?`,
    );
    database.transaction(() => {
      for (let hours = 1; hours < MONTH_DAYS * 24; hours++) copy.run(hours, begin / HOUR_S - 1);
    })();
  }
  database.close();
}

/** One second of all meters as a recorder writes it: rows of the bench's own making. */
function recordSecond(history: History | null, hour: readonly SecondRow[], begin: number, second: number): number {
  let made = 0;
  for (let number = 0; number < METERS; number++) {
    const sound = hour[(second + number * 17) % HOUR_S];
    if (!sound) continue;
    const row = { ...sound, at: begin + second, lp: [...(sound.lp ?? [])] };
    made += row.lp.length;
    history?.append({ unitId: unit(number), source: 'stream', weighting, seconds: [row] });
  }
  return made;
}

async function measure(
  history: History | null,
  hour: readonly SecondRow[],
  begin: number,
  first: number,
  isAsked: boolean,
): Promise<Window> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const leaving = new AbortController();
  let months = 0;
  const people = Array.from({ length: isAsked ? PEOPLE : 0 }, async (_, number) => {
    while (history && !leaving.signal.aborted) {
      await month(history, number, begin, leaving.signal).then(
        () => months++,
        () => {},
      );
    }
  });
  const cpu = process.cpuUsage();
  const began = performance.now();
  delay.enable();
  for (let second = 0; second < WINDOW_S; second++) {
    recordSecond(history, hour, begin, first + second);
    await pause(Math.max(0, (second + 1) * 1_000 - (performance.now() - began)));
  }
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  leaving.abort();
  await Promise.all(people);
  const core = (user + system) / 1_000 / (performance.now() - began);
  const lateMs = delay.percentile(99) / 1e6 - 1;
  return { core, mb: process.memoryUsage().rss / 1e6, lateMs, months };
}

async function month(history: History, number: number, begin: number, signal: AbortSignal): Promise<void> {
  const over = { from: begin - (MONTH_DAYS * 24 - 1) * HOUR_S, to: begin, step: 60 };
  const { rows } = await history.query({ unitId: unit(number), over, percentiles: [10, 50, 90] }, signal);
  for await (const page of rows) if (page.length === 0) throw new Error('an empty page');
}
