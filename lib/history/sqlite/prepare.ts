/**
 * Makes the file and updates its tables, before the thread that works on it starts. A new file gets its tables only at
 * the first use.
 */
import { chmod, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { HistoryError } from '../problem.ts';
import { HISTORY_MIGRATIONS } from './migrations.ts';

/** 4 KB each: a step takes about a millisecond. */
const PAGES_A_STEP = 100;

/**
 * `file` must not exist. The connection keeps its view until the end. Otherwise SQLite starts the copy again with every
 * row that is written meanwhile (SQLite, "Online Backup API").
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

export interface HistoryFile {
  /** It has no tables yet. */
  readonly isNew: boolean;
  /** It never had levels. */
  readonly isEmpty: boolean;
  /** Call it before the first use. Does nothing if the tables exist. Rejects with the error of SQLite. */
  makeTables(): Promise<void>;
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
    const stranger = done.find((name) => !HISTORY_MIGRATIONS.some(([known]) => known === name));
    if (stranger) throw new HistoryError('newer', stranger);
    const isNew = done.length === 0;
    const next = HISTORY_MIGRATIONS.find(([name]) => !done.includes(name));
    if (!isNew && next) {
      await keepBeforeChange(path, next[0]);
      migrate(path, done);
    }
    const makeTables = async () => {
      if (isNew) migrate(path, done);
    };
    return { isNew, isEmpty, makeTables, release: () => lock.close() };
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

function migrate(path: string, done: readonly string[]): void {
  const database = new Database(path);
  try {
    // Before the first table: then space of removed rows can be returned to the disk, a little at a time.
    database.pragma('auto_vacuum = incremental');
    database.pragma('journal_mode = wal');
    database.transaction(() => {
      database.exec(
        `create table if not exists ${TABLE_NAME} (id integer not null primary key autoincrement, name text not null,
         executed_at datetime not null default (strftime('%s', 'now') * 1000))`,
      );
      const note = database.prepare(`insert into ${TABLE_NAME} (name) values (?)`);
      for (const [name, statements] of HISTORY_MIGRATIONS) {
        if (done.includes(name)) continue;
        for (const statement of statements) database.exec(statement);
        note.run(name);
      }
    })();
  } finally {
    database.close();
  }
}

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

/** Another file notes that the history has levels: an empty history is then lost, not new. */
export interface LevelWitness {
  hadLevels(): Promise<boolean>;
  noteLevels(are: boolean): Promise<void>;
}

/** Refuses an empty file that once had levels. Throws HistoryError. */
export async function checkWitness(
  { isEmpty, isNew }: HistoryFile,
  { path, witness, acceptLoss, log }: { path: string; witness: LevelWitness; acceptLoss: boolean; log: Log },
): Promise<void> {
  const had = await witness.hadLevels();
  if (had === !isEmpty) return;
  if (!had) return witness.noteLevels(true);
  const what = isNew ? 'is gone or empty' : 'has no levels (perhaps its side file history.db-wal is gone)';
  const detail = `the history ${path} ${what}, but gateway.db knows that it had levels`;
  if (!acceptLoss)
    throw new HistoryError(
      'lost',
      `${detail}. Either restore history.db from a backup, or start once with --accept-loss to begin without levels`,
    );
  log.error(`${detail}: it begins empty, as --accept-loss says`);
  await witness.noteLevels(false);
}
