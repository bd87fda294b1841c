/**
 * Room of the history on the disk, and time of its answers. Compared with the same day as plain rows of a table in the same
 * run. The day is simulated sound of a road at 10 Hz; a month and a year repeat that day. Exits with 1 beyond a bound.
 * `node bench/history.ts`, about two minutes.
 */
import { statSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { localDays, PRESETS } from '../lib/domain/indices/periods.ts';
import type { Query, Range, SecondRow } from '../lib/history/contract.ts';
import { openFile, recordDay, repeatDay } from './setting/recorded.ts';
import { hoursOfSound } from './setting/sound.ts';

const DAY_S = 86_400;
/** The first day of the year that is filled: 2025-01-01 UTC. */
const START = Date.UTC(2025, 0, 1) / 1_000;
const YEAR_DAYS = 365;
const SECONDS_DAYS = 30;
const RUNS = 7;
const BOUND = { mbADay: 1.2, dayMs: 150, monthMs: 300, yearMs: 1_000 };

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const path = join(folder, 'history.db');

console.log('simulating a day of sound ...');
const day = [...hoursOfSound(START, 24)];
await recordDay(path, 'roof', day);
const packedMb = (await sizeAfterVacuum(path)) / 1e6;
// A year of minutes, the last month of it with seconds.
repeatDay(path, START / 3_600, YEAR_DAYS, SECONDS_DAYS);
const plain = plainRows(day);

interface Line {
  readonly name: string;
  readonly packed: number;
  readonly plain: number | null;
  readonly bound: number;
  readonly unit: string;
}
const lines: Line[] = [
  { name: 'a meter and day on the disk', packed: packedMb, plain: plain.mb, bound: BOUND.mbADay, unit: 'MB' },
  ...(await answers()),
];
console.log(`${''.padEnd(38)}${'packed'.padStart(12)}${'plain rows'.padStart(14)}${'bound'.padStart(10)}`);
for (const { name, packed, plain: other, bound, unit } of lines) {
  const beyond = packed > bound;
  if (beyond) process.exitCode = 1;
  const shown = [packed, other, bound].map((value, place) =>
    value === null ? '-' : value.toFixed(unit === 'MB' && place < 2 ? 2 : 1),
  );
  console.log(
    `${name.padEnd(38)}${`${shown[0]} ${unit}`.padStart(12)}${`${shown[1]} ${unit}`.padStart(14)}${shown[2]?.padStart(10)}${beyond ? '  BEYOND' : ''}`,
  );
}
writing();
await rm(folder, { recursive: true, force: true });

async function sizeAfterVacuum(file: string): Promise<number> {
  const database = new Database(file);
  database.exec('vacuum');
  database.close();
  return (await stat(file)).size;
}

/** The same values as rows of whole numbers, `(unit, at)` as their key: what one would write down first. */
function plainRows(rows: readonly (readonly SecondRow[])[]) {
  const file = join(folder, 'plain.db');
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = off');
  database.exec(`create table second (
    unit integer not null, at integer not null, leq integer, lmax integer, lmin integer, lpeak integer,
    steps integer, flags integer, primary key (unit, at)) without rowid`);
  const insert = database.prepare('insert into second values (1, ?, ?, ?, ?, ?, ?, 0)');
  const centi = (level: number | null | undefined) => Math.round((level ?? 0) * 100);
  const all = rows.flat();
  const write = database.transaction((days: number) => {
    for (const { at, leq, lmax, lmin, lpeak, steps } of all) {
      insert.run(at + days * DAY_S, centi(leq), centi(lmax), centi(lmin), centi(lpeak), steps);
    }
  });
  write(0);
  database.pragma('wal_checkpoint(truncate)');
  const pages = Number(database.pragma('page_count', { simple: true }));
  const mb = (pages * Number(database.pragma('page_size', { simple: true }))) / 1e6;
  for (let days = 1; days < 30; days++) write(days);
  const dayRows = database
    .prepare('select at, leq, lmax, lmin, lpeak, steps from second where unit = 1 and at >= ? and at < ?')
    .raw();
  const monthRows = database
    .prepare(
      `select at / 60, 10 * log10(sum(steps * pow(10, leq / 1000.0)) / sum(steps)), max(lmax), min(lmin), max(lpeak), sum(steps)
       from second where unit = 1 and at >= ? and at < ? group by at / 60`,
    )
    .raw();
  const time = (work: () => unknown) => Math.min(...Array.from({ length: 3 }, () => timed(work)));
  const dayMs = time(() => dayRows.all(START, START + DAY_S));
  const monthMs = time(() => monthRows.all(START, START + 30 * DAY_S));
  database.close();
  return { mb, dayMs, monthMs };
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** From the question to the last row, on the main thread. The shortest of some runs: the one least disturbed by others. */
async function answers(): Promise<Line[]> {
  const end = START + YEAR_DAYS * DAY_S;
  const days = localDays(
    'Asia/Kolkata',
    { from: (START + DAY_S) * 1_000, to: (end - DAY_S) * 1_000 },
    PRESETS.eu.periods,
  );
  const inSeconds = ({ from, to }: Range): Range => ({ from: from / 1_000, to: to / 1_000 });
  const percentiles = [10, 50, 90, 95];
  const asked: Readonly<Record<string, readonly Omit<Query, 'unitId'>[]>> = {
    'a day at 1 s': [{ over: { from: end - DAY_S, to: end, step: 1 } }],
    'a month at 1 min, three percentiles': [
      { over: { from: end - 30 * DAY_S, to: end, step: 60 }, percentiles: [10, 50, 90] },
    ],
    'a year of days, Lden and percentiles': [
      { over: { ranges: days.flatMap(({ pieces }) => pieces.map(inSeconds)) } },
      { over: { ranges: days.map(inSeconds) }, percentiles },
    ],
  };
  const plainMs: Partial<Record<string, number>> = {
    'a day at 1 s': plain.dayMs,
    'a month at 1 min, three percentiles': plain.monthMs,
  };
  const bounds = [BOUND.dayMs, BOUND.monthMs, BOUND.yearMs];
  const lines: Line[] = [];
  const history = await openFile(path);
  for (const [index, [name, queries]] of Object.entries(asked).entries()) {
    const times: number[] = [];
    const cpu = process.cpuUsage();
    for (let run = 0; run < RUNS; run++) {
      const began = performance.now();
      for (const query of queries) {
        for await (const rows of (await history.query({ ...query, unitId: 'roof' })).rows) {
          if (rows.some(({ measured }) => measured === 0)) throw new Error(`${name}: a row without data`);
        }
      }
      times.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(cpu);
    const used = (user + system) / 1_000 / RUNS;
    console.log(`${name}: first ${times[0]?.toFixed(0)} ms, CPU of a run ${used.toFixed(0)} ms of all threads`);
    const line = { name, packed: Math.min(...times), plain: plainMs[name] ?? null, bound: bounds[index] ?? 0 };
    lines.push({ ...line, unit: 'ms' });
  }
  await history.close();
  return lines;
}

/** One commit a second with a row of each of 200 meters: CPU of a commit, and what it adds to the write-ahead log. */
function writing(): void {
  const seconds = day[12]?.slice(0, 300) ?? [];
  const row =
    'unit integer not null, at integer not null, leq integer, lmax integer, lmin integer, lpeak integer, steps integer';
  const layouts: Readonly<Record<string, string>> = {
    'rows by (unit, at)': `create table t (${row}, primary key (unit, at)) without rowid`,
    'rows by (at, unit)': `create table t (${row}, primary key (at, unit)) without rowid`,
    'one blob of the fleet': 'create table t (at integer primary key, rows blob not null)',
  };
  for (const [name, table] of Object.entries(layouts)) {
    const file = join(folder, `${name.replaceAll(/\W/g, '')}.db`);
    const database = new Database(file);
    database.pragma('journal_mode = wal');
    database.pragma('synchronous = normal');
    database.pragma('wal_autocheckpoint = 0');
    database.exec(table);
    const insert = database.prepare(
      `insert into t values (${table.includes('blob') ? '?, ?' : '?, ?, ?, ?, ?, ?, ?'})`,
    );
    const write = database.transaction(({ at, leq, lmax, lmin, lpeak, steps }: SecondRow) => {
      if (table.includes('blob')) insert.run(at, Buffer.alloc(200 * 37, at));
      else for (let unit = 0; unit < 200; unit++) insert.run(unit, at, leq, lmax, lmin, lpeak, steps);
    });
    const cpu = process.cpuUsage();
    for (const second of seconds) write(second);
    const { user, system } = process.cpuUsage(cpu);
    const { size } = statSync(`${file}-wal`);
    const each = ((user + system) / 1_000 / seconds.length).toFixed(2);
    console.log(
      `a second of 200 meters, ${name}: ${each} ms CPU, ${(size / 1_024 / seconds.length).toFixed(0)} KiB to the disk`,
    );
    database.close();
  }
}
