/**
 * The database: one SQLite file in WAL, written by one gateway, one commit at a time. Only this folder uses the ORM.
 * The rows have no plain passwords.
 *
 *   configs.ts     -> commit, synced to the disk    \
 *   tables of plugins -> commit, synced to the disk  > one queue (commits.ts) -> SQLite
 *   snapshots.ts   -> batch, synced with the next   /
 */
import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MikroORM, type SqliteConnection } from '@mikro-orm/sqlite';
import BetterSqlite from 'better-sqlite3';
import { type Clock, unlessAborted } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { moveOver } from '../system.ts';
import { Commits, codesOf, type Durability, type Medium } from './commits.ts';
import { type Lock, lockFolder, useFolder } from './lock.ts';
import { storeMigrations } from './migrations.ts';
import { StoreError } from './problem.ts';
import { type Database, keptRows, ORM_OPTIONS, probeOf, SQLITE, tableOpener, withColumns } from './rows.ts';

/** 4 KB each: a step takes about a millisecond. */
const PAGES_A_STEP = 100;
const KEPT = 3;

/**
 * A consistent copy of the database while it is in use. The pages are copied in small steps, so that the gateway
 * continues (SQLite, "Online Backup API"). Renamed at the end, so that `file` is never half a copy.
 */
async function copyDatabase(native: BetterSqlite.Database, file: string): Promise<void> {
  const draft = `${file}.part`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(draft, { force: true });
  try {
    await (await open(draft, 'wx', 0o600)).close();
    await native.backup(draft, { progress: () => PAGES_A_STEP });
    await chmod(draft, 0o600);
    await moveOver(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Takes the rows of these tables out of a copy, so that the file has nothing of them. */
export function emptyTables(file: string, tables: readonly string[]): void {
  const db = new BetterSqlite(file, { fileMustExist: true });
  try {
    db.pragma('secure_delete = on');
    const known = db.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
    for (const table of tables) if (known.includes(table)) db.exec(`delete from ${table}`);
  } finally {
    db.close();
  }
}

/** Copies that are made before the tables change. */
export const copiesFolder = (dataDir: string): string => join(dataDir, 'copies');

/** Keeps the newest `KEPT` copies. */
async function copyBeforeChange(native: BetterSqlite.Database, dataDir: string, now: number): Promise<void> {
  const folder = copiesFolder(dataDir);
  const file = join(folder, `gateway-${new Date(now).toISOString().replace(/[:.]/g, '-')}.db`);
  await copyDatabase(native, file);
  const all = (await readdir(folder)).filter((name) => /^gateway-.*\.db$/.test(name)).sort();
  for (const name of all.slice(0, -KEPT)) await rm(join(folder, name), { force: true });
}

/** Longest wait for another process that reads the file, ms. The gateway does nothing else during the wait. */
const BUSY_MS = 100;

/** Needs of the database, besides its file. */
interface DatabaseParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Called for a database without tables, before they are made. Its error ends the opening. */
  readonly refuseLoss?: (() => Promise<void>) | undefined;
  /** For tests: gets the text of every statement, with its values. */
  readonly onQuery?: (sql: string) => void;
}

/**
 * Opens or creates `gateway.db` in `dataDir` and brings its tables up to date.
 * Throws StoreError: `folder`, `in-use` (another gateway has it), `corrupt`, `newer` (written by a later release).
 */
export async function openDatabase(dataDir: string, parts: DatabaseParts): Promise<Database> {
  const path = join(dataDir, 'gateway.db');
  await useFolder(dataDir);
  let lock: Lock | undefined;
  let orm: MikroORM | undefined;
  try {
    lock = await lockFolder(dataDir);
    // Created only now, and before SQLite opens it: see lock.ts.
    await makeFile(path);
    orm = makeOrm(path, parts.onQuery);
    const native = await prepare(orm);
    const isNew = native.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
    if (isNew) await parts.refuseLoss?.();
    const before = isNew ? async () => {} : once(() => copyBeforeChange(native, dataDir, parts.clock.now()));
    await migrate(native, before);
    // The tables are in the main file from the beginning: a database without them is lost.
    native.pragma('wal_checkpoint(truncate)');
    return database({ orm, native, lock, isNew, before, ...parts });
  } catch (error) {
    await orm?.close(true).catch(() => {});
    lock?.release();
    throw explain(error, path);
  }
}

/** SQLite gives its side files (-wal, -shm) the mode of this file: only its owner may read them. */
async function makeFile(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  await file.close();
  await chmod(path, 0o600);
}

const once = (work: () => Promise<unknown>): (() => Promise<void>) => {
  let done: Promise<unknown> | undefined;
  return async () => {
    done ??= work();
    await done;
  };
};

const makeOrm = (path: string, onQuery: DatabaseParts['onQuery']): MikroORM =>
  new MikroORM({
    ...ORM_OPTIONS,
    dbName: path,
    driverOptions: { timeout: BUSY_MS, ...(onQuery && { verbose: onQuery }) },
  });

async function prepare(orm: MikroORM): Promise<BetterSqlite.Database> {
  await orm.connect();
  const connection = orm.em.getConnection() as SqliteConnection;
  const native = await connection.getNativeClient();
  native.pragma('journal_mode = wal');
  const check = native.pragma('quick_check(1)', { simple: true });
  if (check !== 'ok') throw new StoreError('corrupt', String(check ?? 'no answer to quick_check'));
  return native;
}

/** Under the name that the ORM gave it in earlier releases. */
const DONE_TABLE = 'mikro_orm_migrations';
const DONE_COLUMNS =
  "id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000)";

/** All that are missing, or none. */
async function migrate(native: BetterSqlite.Database, before: () => Promise<void>): Promise<void> {
  native.exec(`create table if not exists ${DONE_TABLE} (${DONE_COLUMNS})`);
  const done = native.prepare<[], string>(`select name from ${DONE_TABLE}`).pluck().all();
  const unknown = done.find((name) => !storeMigrations.some((known) => known.name === name));
  if (unknown) throw new StoreError('newer', unknown);
  const missing = storeMigrations.filter(({ name }) => !done.includes(name));
  if (missing.length === 0) return;
  await before();
  native.transaction(() => {
    native.exec(withColumns(missing.flatMap(({ statements }) => statements)).join(';\n'));
    const note = native.prepare(`insert into ${DONE_TABLE} (name) values (?)`);
    for (const { name } of missing) note.run(name);
  })();
}

/** One line for the person at the terminal, with what to do. */
function explain(error: unknown, path: string): StoreError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem = error instanceof StoreError ? error.problem : undefined;
  if (problem === 'folder' || problem === 'lost') return error as StoreError;
  const reason = messageOf(error).replace(/\s+/g, ' ');
  if (code.startsWith('SQLITE_BUSY'))
    return new StoreError(
      'in-use',
      `the database ${path} is in use by another process: stop the other gateway first`,
      error,
    );
  if (problem === 'newer')
    return new StoreError(
      'newer',
      `the database ${path} was written by a newer release (${reason}): start that release, or restore a backup`,
      error,
    );
  if (problem === 'corrupt' || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return new StoreError(
      'corrupt',
      `the database ${path} is damaged (${reason}): restore a backup, or move the file away and start once with --accept-loss to begin with an empty one`,
      error,
    );
  return new StoreError('folder', `the database ${path} cannot be opened: ${reason}`, error);
}

interface Opened extends DatabaseParts {
  readonly orm: MikroORM;
  readonly native: BetterSqlite.Database;
  readonly lock: Lock;
  readonly isNew: boolean;
  readonly before: () => Promise<void>;
}

function database({ orm, native, lock, isNew, before: beforeChange, clock, log }: Opened): Database {
  const commits = new Commits({ medium: sqliteMedium(orm, native), clock, log, probe: probeOf(clock, SQLITE) });
  const rows = keptRows(commits, SQLITE, log);
  return {
    ...rows,
    isNew,
    async replace(configs, facts) {
      await rows.replace(configs, facts);
      // Pages that were returned still hold the old text (SQLite, "VACUUM").
      await commits.withoutTransaction(async () => {
        native.exec('vacuum');
        native.pragma('wal_checkpoint(truncate)');
      });
    },
    tables: tableOpener({ commits, dialect: SQLITE, beforeChange }),
    backup: (file) => copyDatabase(native, file),
    async close() {
      await commits.settled().finally(async () => {
        await orm.close(true);
        lock.release();
      });
    },
  };
}

/** On a full disk SQLite itself rolls a transaction back, and an explicit rollback is then an error. */
export function sqliteMedium(orm: MikroORM, native: BetterSqlite.Database): Medium {
  let present: Durability | undefined;
  return {
    async transaction(durability, work, signal) {
      if (present !== durability) await orm.em.getConnection().execute(`pragma synchronous = ${durability}`);
      present = durability;
      native.exec('begin immediate');
      try {
        const result = await unlessAborted(work(orm.em.fork(), signal), signal);
        signal.throwIfAborted();
        native.exec('commit');
        return result;
      } finally {
        if (native.inTransaction) native.exec('rollback');
      }
    },
    read: (work, signal) => unlessAborted(work(orm.em.fork(), signal), signal),
    troubleOf: storageTrouble,
    damageOf: (error) => (isDamage(error) ? DAMAGE_WORDS : undefined),
    lateWords: (ms) => `The database did not finish within ${inSeconds(ms)}; nothing was changed.`,
    settle: () => void native.pragma('wal_checkpoint(passive)'),
  };
}

const FULL = /^(SQLITE_FULL|ENOSPC|EDQUOT)/;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
const FAILED = /^(SQLITE_IOERR|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_BUSY|SQLITE_LOCKED|EROFS|EIO)/;

function storageTrouble(error: unknown): GatewayError | undefined {
  const [full, failed] = [FULL, FAILED].map((codes) => codesOf(error).some((code) => codes.test(code)));
  if (full)
    return new GatewayError('STORAGE_FULL', 'The disk of the data folder is full. Nothing was changed.', {
      cause: error,
    });
  if (isDamage(error)) return new GatewayError('STORAGE_FAILED', DAMAGE_WORDS, { cause: error });
  if (!failed) return undefined;
  const reason = messageOf(error).split(' - ').at(-1);
  return new GatewayError('STORAGE_FAILED', `The database cannot be written (${reason}). Nothing was changed.`, {
    cause: error,
  });
}

const isDamage = (error: unknown): boolean => codesOf(error).some((code) => DAMAGED.test(code));

const DAMAGE_WORDS =
  'The database gateway.db is damaged: the requested data cannot be read or changed. Stop the gateway and restore a backup (slm restore).';
