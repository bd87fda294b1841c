/**
 * Makes the file and brings its tables up to date, through the ORM, before the thread that works on it begins. After that
 * the ORM is gone again: the statements of the thread are few and hot, and the ORM in a thread costs 24 MB.
 */
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { HistoryError } from '../problem.ts';
import { entities } from './entities.ts';
import { migrations } from './migrations/index.ts';

/** Keeps a second process from the same file; a process that dies lets go. */
export interface FileLock {
  release(): void;
}

/** Throws HistoryError. */
export async function prepareFile(path: string): Promise<FileLock> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its side files (-wal, -shm) the mode of the database, so these are made first, for the owner alone.
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
    await migrate(path);
    return lock;
  } catch (error) {
    lock.release();
    throw explain(error, path);
  }
}

/**
 * A lock of its own: the file itself stays open to readers. It is a database because SQLite's locks of one process know of each
 * other, and because it is free again whatever ends the process.
 */
function lockOf(path: string): FileLock {
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.pragma('locking_mode = exclusive');
    lock.exec('begin exclusive; commit');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw new HistoryError('in-use', `the history ${path} is in use by another process: stop that one first`, error);
  }
}

async function migrate(path: string): Promise<void> {
  const orm = await MikroORM.init({
    entities,
    dbName: path,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, tableName: 'history_migrations', snapshot: false, silent: true },
    ensureDatabase: false,
    metadataCache: { enabled: false },
    loggerFactory: () => ({ ...silent, logQuery: nothing }),
  });
  try {
    await orm.connect();
    const connection = orm.em.getConnection();
    // Before the first table: what retention takes away can then be given back to the disk, a little at a time.
    await connection.execute('pragma auto_vacuum = incremental');
    await connection.execute('pragma journal_mode = wal');
    const known = new Set(migrations.map(({ name }) => name));
    const stranger = (await orm.migrator.getExecuted()).find(({ name }) => !known.has(name));
    if (stranger) throw new HistoryError('newer', stranger.name);
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
      `the history ${path} is damaged (${reason}): restore a backup, or move the file away to begin with an empty one`,
      error,
    );
  return new HistoryError('folder', `the history ${path} cannot be opened: ${reason}`, error);
}
