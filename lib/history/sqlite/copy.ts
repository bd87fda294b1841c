/** A copy of the history while it is written to. */
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';

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
