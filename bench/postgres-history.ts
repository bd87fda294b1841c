/**
 * The history in PostgreSQL against the same month in SQLite, in the same run: bytes of a meter and day, and how long answers take. The server is
 * started from the installed programs, on a Unix socket, with its usual settings for the disk. The month is one simulated day again and
 * again. Exits with 1 when a bound is broken, and does nothing where there is no PostgreSQL. `node bench/postgres-history.ts`, about two minutes.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { systemClock } from '../lib/clock.ts';
import type { History, Query } from '../lib/history/contract.ts';
import { openHistory } from '../lib/history/index.ts';
import { openSharedStore } from '../lib/history/postgres/shared-units.ts';
import { openFileStore, openFileUnits } from '../lib/history/sqlite/file-units.ts';
import { HOUR_COLUMNS } from '../lib/history/stored/columns.ts';
import { copyStore } from '../lib/history/stored/store-copy.ts';
import { createLog } from '../lib/log.ts';
import { VirtualClock } from '../simulator/clock.ts';
import { inDatabase, POSTGRES_MISSING, postgresPrograms, startPostgres } from '../test/support/postgres.ts';
import { hoursOfSound } from './setting/sound.ts';

const DAY_S = 86_400;
const DAYS = 30;
/** 2025-01-01 UTC. */
const START = Date.UTC(2025, 0, 1) / 1_000;
const END = START + DAYS * DAY_S;
const RUNS = 7;
/** Times as much as SQLite; bytes of the present hour, a meter and second. */
const BOUND = { bytes: 1.4, time: 4, present: 60 };
/** Of the present hour: meters, how much of it, and between two copies. */
const FLEET = 200;
const PRESENT_S = 300;
const TICK_S = 5;
const MB = 1e6;
const weighting = { frequency: 'A', time: 'F' } as const;

if (postgresPrograms() === undefined) {
  console.log(POSTGRES_MISSING);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const path = join(folder, 'history.db');
const around = { clock: systemClock, log: createLog('error') };
const server = await startPostgres(tmpdir(), [
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'shared_buffers=128MB',
]);

await record();
const copied = await copy();
const fileMb = (await stat(path)).size / MB / DAYS;
const databaseMb = (await bytesOfTables()) / MB / DAYS;
console.log(
  `copied and compared: ${copied.hours} hours in ${copied.seconds.toFixed(1)} s, ${(copied.hours / copied.seconds).toFixed(0)} a second`,
);
console.log(
  `${''.padEnd(44)}${'SQLite'.padStart(10)}${'PostgreSQL'.padStart(12)}${'times'.padStart(8)}${'bound'.padStart(7)}`,
);
line('a meter and day, MB', fileMb, databaseMb, BOUND.bytes);
const [file, database] = [
  await openHistory({ path, ...around }),
  await openHistory({ path: join(folder, 'own.db'), database: server.url, ...around }),
];
const span = { from: START, to: END };
const asked: Readonly<Record<string, Omit<Query, 'unitId'>>> = {
  'a day at 1 s, ms': { over: { from: END - DAY_S, to: END, step: 1 } },
  'a month at 1 min, three percentiles, ms': { over: { ...span, step: 60 }, percentiles: [10, 50, 90] },
  'a month at 1 h, three percentiles, ms': { over: { ...span, step: 3_600 }, percentiles: [10, 50, 90] },
};
for (const [name, query] of Object.entries(asked)) {
  const [own, shared]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    own.push(await timed(file, query));
    shared.push(await timed(database, query));
  }
  line(name, Math.min(...own), Math.min(...shared), BOUND.time);
}
await file.close();
await database.close();
await presentHour();
await server.stop();
await rm(folder, { recursive: true, force: true });

function line(name: string, own: number, shared: number, bound: number): void {
  const times = shared / own;
  if (times > bound) process.exitCode = 1;
  const shown = [own, shared, times].map((value) => value.toFixed(2));
  console.log(
    `${name.padEnd(44)}${shown[0]?.padStart(10)}${shown[1]?.padStart(12)}${shown[2]?.padStart(8)}${String(bound).padStart(7)}${times > bound ? '  BEYOND' : ''}`,
  );
}

/** A day of sound, recorded, and then the same on each day. */
async function record(): Promise<void> {
  const history = await openHistory({ path, ...around });
  for (const seconds of hoursOfSound(START, 24)) {
    history.append({ unitId: 'roof', source: 'stream', weighting, seconds });
    await history.flush();
  }
  await history.close();
  // Stores what is still open.
  await (await openFileUnits(path)).close();
  const sqlite = new Database(path);
  const tables = { history_minute_hour: 'rows', history_second_hour: 'rows', history_hour: HOUR_COLUMNS.join(', ') };
  for (const [table, columns] of Object.entries(tables)) {
    const again = sqlite.prepare(
      `insert into ${table} (series, hour, ${columns}) select series, hour + ?, ${columns} from ${table}
       where hour < ${START / 3_600 + 24}`,
    );
    sqlite.transaction(() => {
      for (let days = 1; days < DAYS; days++) again.run(days * 24);
    })();
  }
  sqlite.exec('delete from history_journal');
  sqlite.exec('vacuum');
  sqlite.close();
}

async function copy(): Promise<{ hours: number; seconds: number }> {
  const began = performance.now();
  const from = await openFileStore(path);
  const into = await openSharedStore(server.url, join(folder, 'none.db'));
  const { hours } = await copyStore(from, into);
  await from.close();
  await into.close();
  return { hours, seconds: (performance.now() - began) / 1_000 };
}

async function bytesOfTables(): Promise<number> {
  await inDatabase(server.url, 'checkpoint');
  const [row] = await inDatabase<{ bytes: string }>(
    server.url,
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relname like 'history\\_%' and relkind = 'r'`,
  );
  return Number(row?.bytes);
}

/** The present hour of a fleet: what its copy costs the database, and how long another computer needs to take it. */
async function presentHour(): Promise<void> {
  const now = END + DAY_S;
  const clock = new VirtualClock(now * 1_000);
  const open = (name: string) =>
    openHistory({ path: join(folder, name), database: server.url, clock, log: createLog('error') });
  const owner = await open('owner.db');
  const [seconds = []] = hoursOfSound(now, 1);
  const began = await written();
  let took = 0;
  for (let at = 0; at < PRESENT_S; at += TICK_S) {
    for (let unit = 0; unit < FLEET; unit++) {
      // Each has another part of the hour: what is alike is packed too well.
      const first = (at + unit * 13) % (3_600 - TICK_S);
      const own = seconds.slice(first, first + TICK_S).map((row, index) => ({ ...row, at: now + at + index }));
      owner.append({ unitId: `unit-${unit}`, source: 'stream', weighting, seconds: own });
    }
    await owner.flush();
    const from = performance.now();
    await clock.advance(TICK_S * 1_000);
    await owner.units();
    took += performance.now() - from;
  }
  const log = (await written()) - began;
  const [size] = await inDatabase<{ bytes: string; pieces: string }>(
    server.url,
    'select sum(length(entries)) as bytes, count(*) as pieces from history_present',
  );
  const rows = FLEET * PRESENT_S;
  const from = performance.now();
  const other = await open('other.db');
  const taken = performance.now() - from;
  console.log(
    [
      `the present hour of ${FLEET} streamed meters, copied every ${TICK_S} s:`,
      `${(Number(size?.bytes) / rows).toFixed(1)} bytes a meter and second, ${(log / rows).toFixed(1)} in the log of the server,`,
      `${(took / (PRESENT_S / TICK_S)).toFixed(1)} ms a time with all that is done then;`,
      `taken over with ${(rows / taken).toFixed(0)} rows a ms`,
    ].join(' '),
  );
  if (Number(size?.bytes) / rows > BOUND.present) process.exitCode = 1;
  await other.close();
  await owner.close();
}

/** Bytes of the log of the server so far. */
async function written(): Promise<number> {
  const [row] = await inDatabase<{ bytes: string }>(server.url, "select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes");
  return Number(row?.bytes);
}

/** From the question to the last row, on the main thread. */
async function timed(history: History, query: Omit<Query, 'unitId'>): Promise<number> {
  const began = performance.now();
  for await (const rows of (await history.query({ ...query, unitId: 'roof' })).rows)
    if (rows.some(({ measured }) => measured === 0)) throw new Error('a row without data');
  return performance.now() - began;
}
