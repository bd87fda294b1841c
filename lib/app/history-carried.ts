/** Carries the history of a data folder into PostgreSQL and back, each unit compared. The gateway is stopped. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSharedStore } from '../history/postgres/shared-units.ts';
import { openFileStore } from '../history/sqlite/file-units.ts';
import { type CopiedHistory, copyStore } from '../history/stored/store-copy.ts';
import { moveOver } from '../system.ts';

/** The file is kept in `copies`. What was copied before, by a run that did not end, is not copied again. Undefined: there is no file. Rejects with what is wrong. */
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

/** Puts the file of the data folder away, once everything is carried over. */
export async function putHistoryAway(dataDir: string): Promise<void> {
  const path = join(dataDir, 'history.db');
  if (!existsSync(path)) return;
  const copies = join(dataDir, 'copies');
  await mkdir(copies, { recursive: true, mode: 0o700 });
  await moveOver(path, join(copies, 'levels-before-postgresql.db'));
}

/** Makes a file of what is in the database, also of hours that are not over; what the data folder still has is carried into the database first. Rejects with what is wrong. */
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
