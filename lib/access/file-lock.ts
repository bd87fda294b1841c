/**
 * A lock between processes. It is a lock of the operating system on a small SQLite file: it ends with the process that holds
 * it, so no old lock is left behind after a crash.
 */
import { open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { type Clock, sleep } from '../clock.ts';
import { keepOwner } from './replace-file.ts';

const LOOK_MS = 50;
const LONGEST_WAIT_MS = 20_000;

/** Does the work while nobody else holds the lock of this file. The file stays. Its folder has to exist. */
export async function withLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  await make(path);
  const database = new Database(path, { timeout: 0 });
  try {
    await acquire(database, path, clock);
    return await work();
  } finally {
    database.close();
  }
}

async function make(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  await keepOwner(file, path).finally(() => file.close());
}

async function acquire(database: Database.Database, path: string, clock: Clock): Promise<void> {
  const limit = clock.elapsed() + LONGEST_WAIT_MS;
  while (!isTaken(database)) {
    if (clock.elapsed() > limit) throw new Error(`another program holds ${path}`);
    await sleep(clock, LOOK_MS);
  }
}

function isTaken(database: Database.Database): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
