/**
 * Keeps a second gateway out: a lock on `gateway.lock` during the life of this one. It is a lock of the operating
 * system on an empty SQLite file. So a killed process leaves no lock behind, and others can read the database itself.
 *
 * A process loses its locks on a file when it closes any handle to that file (POSIX advisory locks). So no other code
 * in the gateway may open `gateway.lock` or the database with `fs` during their use.
 */
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { othersMay } from '../system.ts';
import { StoreError } from './problem.ts';

/** Held until it is released or the process ends. */
export interface Lock {
  /** May be called twice. */
  release(): void;
}

/** Garbage collection would close a lock and so lose it: this set keeps a reference. */
const held = new Set<Database.Database>();

/** Throws an error with a code that begins with SQLITE_BUSY when another process, or this one, holds the lock. */
export function takeLock(path: string): Lock {
  create(path);
  const file = new Database(path, { timeout: 0 });
  try {
    // Nothing is ever written: without this an empty `gateway.lock-journal` would appear.
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

/** Only for this user from its first moment. An existing file is not opened. */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Makes the data folder if it is missing. A user with write access to it could replace the database. Throws StoreError `folder`. */
export async function useFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const { mode } = await stat(dataDir);
    if (!othersMay(0o002, mode)) return;
  } catch (error) {
    throw new StoreError('folder', `the data folder ${dataDir} cannot be used: ${messageOf(error)}`, error);
  }
  throw new StoreError('folder', `the data folder ${dataDir} can be changed by everybody: run chmod o-w ${dataDir}`);
}

/** Throws as `takeLock`. */
export async function lockFolder(dataDir: string): Promise<Lock> {
  const path = join(dataDir, 'gateway.lock');
  const lock = takeLock(path);
  await chmod(path, 0o600);
  return lock;
}
