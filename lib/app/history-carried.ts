/** Moves the history of a data folder into PostgreSQL and back, and compares each unit. The gateway must be stopped. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSharedStore } from '../history/postgres/shared-units.ts';
import { openFileStore } from '../history/sqlite/file-units.ts';
import { type CopiedHistory, copyStore } from '../history/stored/store-copy.ts';
import { moveOver } from '../system.ts';

/**
 * The file is kept in `copies`. Units that an unfinished earlier run copied are not copied again. Undefined: the file
 * is missing. Rejects with the fault.
 */
export async function historyOver(dataDir: string, url: string): Promise<CopiedHistory | undefined> {
  const path = join(dataDir, 'history.db');
  if (!existsSync(path)) return undefined;
  const from = await openFileStore(path);
  try {
    const into = await openSharedStore(url);
    try {
      return await copyStore(from, into);
    } finally {
      await into.close();
    }
  } finally {
    await from.close();
  }
}

/** Moves the file of the data folder away, after everything is in the database. */
export async function putHistoryAway(dataDir: string): Promise<void> {
  const path = join(dataDir, 'history.db');
  if (!existsSync(path)) return;
  const copies = join(dataDir, 'copies');
  await mkdir(copies, { recursive: true, mode: 0o700 });
  await moveOver(path, join(copies, 'levels-before-postgresql.db'));
}

/**
 * Makes a file from the database, including hours that are not over. The rest in the data folder is first moved into
 * the database. Rejects with the fault.
 */
export async function historyBack(dataDir: string, url: string): Promise<CopiedHistory> {
  const path = join(dataDir, 'history.db');
  const draft = join(dataDir, 'history-back.db');
  for (const name of [draft, `${draft}-wal`, `${draft}-shm`]) await rm(name, { force: true });
  const from = await openSharedStore(url, path, true);
  try {
    const into = await openFileStore(draft);
    const done = await copyStore(from, into).finally(() => into.close());
    await moveOver(draft, path);
    return done;
  } finally {
    await from.close();
    await rm(`${draft}.lock`, { force: true });
  }
}
