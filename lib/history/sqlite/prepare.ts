/**
 * Makes the file and updates its tables with the ORM, before the thread that works on it starts. After that the ORM is
 * not used: the thread has few statements that run often, and the ORM in a thread costs 24 MB. An up-to-date file needs
 * no ORM, and a new file gets its tables only at the first use: most starts need neither.
 */
import { chmod, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineEntity, p } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { HistoryError } from '../problem.ts';
import { historyMigrations } from './migrations.ts';

/** 4 KB each: a step takes about a millisecond. */
const PAGES_A_STEP = 100;

/**
 * Copies the present content of the disk; `file` must not exist. It uses a connection of its own that keeps its view
 * until the end. Otherwise SQLite starts the copy again with every row that is written meanwhile (SQLite, "Online
 * Backup API").
 */
export async function copyHistory(path: string, file: string): Promise<void> {
  await (await open(file, 'wx', 0o600)).close();
  const source = new Database(path, { readonly: true });
  try {
    source.exec('begin');
    source.prepare('select count(*) from sqlite_master').get();
    await source.backup(file, { progress: () => PAGES_A_STEP });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** Free space on the disk that a copy must leave, bytes. */
const SPARE = 100_000_000;

/**
 * Copies the file into `copies` before its tables change, in place of an earlier copy of the history. Without space for
 * it, no copy is made: a change of the tables is complete or undone. The copy is only for a return to an older release.
 */
export async function keepBeforeChange(path: string, change: string): Promise<void> {
  const { size } = await stat(path);
  const folder = join(dirname(path), 'copies');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder))
    if (/^history-.*\.db$/.test(name)) await rm(join(folder, name), { force: true });
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < size + SPARE) return;
  await copyHistory(path, join(folder, `history-before-${change}.db`));
}

// The tables of the history for the ORM. The tables themselves are made by `migrations/`; a test compares the two.
// Levels are hundredths of a dB, `hour` counts hours since 1970 UTC, blobs have the formats of `../rows`.

/** A source of a unit with its weighting. */
const SeriesEntity = defineEntity({
  name: 'HistorySeries',
  tableName: 'history_series',
  properties: {
    id: p.integer().primary().autoincrement(false),
    unitId: p.text(),
    source: p.text().$type<'card' | 'stream' | 'import' | 'poll'>(),
    frequency: p.text(),
    time: p.text(),
    /** Null: the main channel. */
    channel: p.text().nullable(),
    /** 0 during an import: its rows are invisible. */
    ready: p.integer(),
    /** Bounds of its intervals, if it has any. */
    intervalsFrom: p.integer().nullable(),
    intervalsTo: p.integer().nullable(),
  },
});

/** The packed seconds of an hour. */
const SecondHourEntity = defineEntity({
  name: 'HistorySecondHour',
  tableName: 'history_second_hour',
  properties: { series: p.integer().primary(), hour: p.integer().primary(), rows: p.blob() },
});

/** The packed minutes of an hour. */
const MinuteHourEntity = defineEntity({
  name: 'HistoryMinuteHour',
  tableName: 'history_minute_hour',
  properties: { series: p.integer().primary(), hour: p.integer().primary(), rows: p.blob() },
});

/** The sum of an hour. */
const HourEntity = defineEntity({
  name: 'HistoryHour',
  tableName: 'history_hour',
  properties: {
    series: p.integer().primary(),
    hour: p.integer().primary(),
    leq: p.integer(),
    lmax: p.integer(),
    lmaxAt: p.integer(),
    lmin: p.integer(),
    lpeak: p.integer(),
    lp: p.integer(),
    steps: p.integer(),
    readings: p.integer(),
    over: p.integer(),
    under: p.integer(),
    frozen: p.integer(),
    implausible: p.integer(),
    /** Bytes of its seconds and of its minutes; 0 when they are no longer kept. */
    secondBytes: p.integer(),
    minuteBytes: p.integer(),
    counts: p.blob(),
    spans: p.blob(),
    /** Levels and flags that have no column: JSON by name. */
    more: p.text().nullable(),
  },
});

/** Rows of other lengths than a second. */
const IntervalEntity = defineEntity({
  name: 'HistoryInterval',
  tableName: 'history_interval',
  properties: {
    series: p.integer().primary(),
    at: p.integer().primary(),
    duration: p.integer(),
    leq: p.integer(),
    lmax: p.integer(),
    lmin: p.integer(),
    lpeak: p.integer(),
    /** Percentiles of the source, as JSON. */
    ln: p.text().nullable(),
    line: p.integer().nullable(),
    more: p.text().nullable(),
  },
});

/** Batches that are not yet in their hours. */
const JournalEntity = defineEntity({
  name: 'HistoryJournal',
  tableName: 'history_journal',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** The series that the rows refer to by index, as JSON; for a removal its series and span. */
    head: p.text(),
    rows: p.blob(),
  },
});

/** All tables of the history. */
export const historyEntities = [
  SeriesEntity,
  SecondHourEntity,
  MinuteHourEntity,
  HourEntity,
  IntervalEntity,
  JournalEntity,
];

/** A file that only this process works on. */
export interface HistoryFile {
  /** It has no tables yet. */
  readonly isNew: boolean;
  /** It never had levels. */
  readonly isEmpty: boolean;
  /** Call it before the first use. Does nothing if the tables exist. Rejects with the error of SQLite or of the ORM. */
  makeTables(): Promise<void>;
  /** Call it when the first levels of an empty file are in the main file. */
  firstLevels(): Promise<void>;
  /** Releases the file for another process, like the end of this process. */
  release(): void;
}

const TABLE_NAME = 'history_migrations';

/** Throws HistoryError. */
export async function prepareFile(path: string): Promise<HistoryFile> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its side files (-wal, -shm) the mode of the database. So these are made first, for the owner only.
    for (const own of [path, `${path}.lock`]) {
      const file = await open(own, 'a', 0o600);
      await file.close();
      await chmod(own, 0o600);
    }
  } catch (error) {
    throw new HistoryError('folder', `the history ${path} cannot be used: ${messageOf(error)}`, error);
  }
  const lock = lockOf(path);
  try {
    const { done, isEmpty } = look(path);
    const stranger = done.find((name) => !historyMigrations.some((known) => known.name === name));
    if (stranger) throw new HistoryError('newer', stranger);
    const isNew = done.length === 0;
    const next = historyMigrations.find(({ name }) => !done.includes(name));
    if (!isNew && next) {
      await keepBeforeChange(path, next.name);
      await migrate(path);
    }
    const makeTables = isNew ? () => migrate(path) : async () => {};
    return { isNew, isEmpty, makeTables, firstLevels: async () => {}, release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw explain(error, path);
  }
}

/**
 * A separate lock file, so that the history stays open to readers. The lock file is a database: SQLite handles locks of
 * the same process correctly, and frees the lock when the process ends, also after a crash.
 */
function lockOf(path: string): Database.Database {
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.pragma('locking_mode = exclusive');
    lock.exec('begin exclusive; commit');
    return lock;
  } catch (error) {
    lock.close();
    throw new HistoryError(
      'in-use',
      `the history ${path} is in use by another process: stop that process first`,
      error,
    );
  }
}

/** The applied migrations of the file, and whether it never had levels. */
function look(path: string): { readonly done: readonly string[]; readonly isEmpty: boolean } {
  const database = new Database(path);
  try {
    const table = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(TABLE_NAME);
    if (!table) return { done: [], isEmpty: true };
    const done = database.prepare<[], string>(`select name from ${TABLE_NAME}`).pluck().all();
    return { done, isEmpty: database.prepare('select 1 from history_series limit 1').get() === undefined };
  } finally {
    database.close();
  }
}

async function migrate(path: string): Promise<void> {
  const orm = new MikroORM({
    entities: historyEntities,
    dbName: path,
    extensions: [Migrator],
    migrations: { migrationsList: historyMigrations, tableName: TABLE_NAME, snapshot: false, silent: true },
    ensureDatabase: false,
    metadataCache: { enabled: false },
    loggerFactory: () => ({ ...silent, logQuery: nothing }),
  });
  try {
    await orm.connect();
    const connection = orm.em.getConnection();
    // Before the first table: then space of removed rows can be returned to the disk, a little at a time.
    await connection.execute('pragma auto_vacuum = incremental');
    await connection.execute('pragma journal_mode = wal');
    await orm.migrator.up();
  } finally {
    await orm.close(true);
  }
}

const nothing = () => {};
const silent = { log: nothing, error: nothing, warn: nothing, setDebugMode: nothing, isEnabled: () => false };

function explain(error: unknown, path: string): HistoryError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = messageOf(error).replace(/\s+/g, ' ');
  if (error instanceof HistoryError && error.problem === 'newer')
    return new HistoryError(
      'newer',
      `the history ${path} was written by a newer release (${reason}): start that release, or restore a backup`,
      error,
    );
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return new HistoryError(
      'corrupt',
      `the history ${path} is damaged (${reason}): restore a backup, or move the file away and start once with --accept-loss to begin with an empty one`,
      error,
    );
  return new HistoryError('folder', `the history ${path} cannot be opened: ${reason}`, error);
}
