/**
 * Keeps a second gateway out: a lock on `gateway.lock` for as long as this one lives. It is a lock of the operating system
 * on an empty SQLite file, so that a killed process leaves none behind, and the database itself can be read by others.
 *
 * A process loses its locks on a file as soon as it closes any handle to that file (POSIX advisory locks). So nothing
 * else in the gateway may open `gateway.lock` or the database with `fs` while they are in use.
 */
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Held until it is released or the process ends. */
export interface Lock {
  /** May be called twice. */
  release(): void;
}

/** A lock is closed, and lost, when nothing refers to it any more (garbage collection): this set always does. */
const held = new Set<Database.Database>();

/** Throws an error with a code that begins with SQLITE_BUSY when another process, or this one, holds the lock. */
export function takeLock(path: string): Lock {
  create(path);
  const file = new Database(path, { timeout: 0 });
  try {
    // Nothing is ever written: without this there would be an empty `gateway.lock-journal`.
    file.pragma('journal_mode = memory');
    file.pragma('locking_mode = exclusive');
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    throw error;
  }
  held.add(file);
  const release = () => {
    held.delete(file);
    file.close();
  };
  return { release };
}

/** For this user alone from its first moment. One that exists is not opened. */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
