/** Keys and people for the command line: through the running gateway of the data folder, or else in its database. */
import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { accessTables } from '../access/index.ts';
import { type KeyAdmin, TableKeyAdmin } from '../access/key-admin.ts';
import { keyAdminOfGateway } from '../access/key-admin-socket.ts';
import { takeOverFiles } from '../access/old-files.ts';
import { type Clock, sleep } from '../clock.ts';
import { createLog, type Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { openTablesAlone, StoreError } from '../store/index.ts';
import { storeSettings } from './wiring.ts';

/** Longest wait while a gateway starts or stops: it then uses the database and has no socket. ms. */
const LONGEST_WAIT_MS = 20_000;
const LOOK_MS = 200;

/** Throws StoreError if neither a gateway nor its database can be reached, and the errors of `work`. */
export async function withKeyAdmin<T>(
  settings: Settings,
  clock: Clock,
  work: (admin: KeyAdmin) => Promise<T>,
  log: Log = createLog('warn'),
): Promise<T> {
  const dataDir = resolve(settings.data_dir);
  await actAsOwner(dataDir);
  const limit = clock.elapsed() + LONGEST_WAIT_MS;
  for (;;) {
    const admin = await keyAdminOfGateway(dataDir, clock);
    if (admin) return work(admin);
    try {
      return await withDatabase(settings, clock, log, work);
    } catch (error) {
      const isBusy = error instanceof StoreError && error.problem === 'in-use';
      if (!isBusy || clock.elapsed() >= limit) throw error;
      await sleep(clock, LOOK_MS);
    }
  }
}

async function withDatabase<T>(
  settings: Settings,
  clock: Clock,
  log: Log,
  work: (admin: KeyAdmin) => Promise<T>,
): Promise<T> {
  const dataDir = resolve(settings.data_dir);
  const store = await openTablesAlone({ ...storeSettings(settings), clock, log });
  try {
    const tables = await accessTables(store);
    await takeOverFiles(dataDir, tables, log);
    return await work(new TableKeyAdmin({ tables, dataDir, clock, isNoted: true }));
  } finally {
    await store.close();
  }
}

/** Files that root makes here must stay readable for the gateway, which runs as the owner of its data folder. */
async function actAsOwner(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {});
  if (process.getuid?.() !== 0) return;
  const owner = await stat(dataDir).catch(() => undefined);
  if (!owner || owner.uid === 0) return;
  process.setgroups?.([]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}
