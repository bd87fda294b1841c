/**
 * Copies of the database, consistent and complete, made while it is in use. The pages are copied in small steps, so
 * that the gateway continues (SQLite, "Online Backup API").
 */
import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { moveOver } from '../system.ts';

/** 4 KB each: a step takes about a millisecond. */
const PAGES_A_STEP = 100;
const KEPT = 3;

/** Written under another name and then renamed, so that `file` is never half a copy. Only its owner can read it. */
export async function copyDatabase(native: BetterSqlite.Database, file: string): Promise<void> {
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

/** Takes the rows of these tables out of a copy, so that the file has nothing of them. A table that is not there is passed over. */
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

/** The folder of the copies that are made before the tables change. */
export const copiesFolder = (dataDir: string): string => join(dataDir, 'copies');

/** Makes a copy named after the present time, and removes the oldest ones. Returns its path. */
export async function copyBeforeChange(native: BetterSqlite.Database, dataDir: string, now: number): Promise<string> {
  const folder = copiesFolder(dataDir);
  const file = join(folder, `gateway-${new Date(now).toISOString().replace(/[:.]/g, '-')}.db`);
  await copyDatabase(native, file);
  const all = (await readdir(folder)).filter((name) => /^gateway-.*\.db$/.test(name)).sort();
  for (const name of all.slice(0, -KEPT)) await rm(join(folder, name), { force: true });
  return file;
}
