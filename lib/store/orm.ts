/**
 * The database: one SQLite file, opened by one process, written by one commit at a time. The ORM shows up here, in
 * `entities.ts` and in `migrations/`, and nowhere else. Knows rows, no plain passwords and no memory of them.
 *
 *   configs.ts  -> commit, synced to the disk   \
 *                                                > one queue -> SQLite (WAL, exclusive)
 *   snapshots.ts -> batch, synced with the next /
 */

import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import { messageOf } from '../errors.ts';
import {
  DeviceConfigEntity,
  type DeviceConfigRow,
  entities,
  SnapshotEntity,
  type SnapshotRow,
  StoreFactEntity,
} from './entities.ts';
import { migrations } from './migrations/index.ts';
import { StoreError } from './problem.ts';

export interface Database {
  configs(): Promise<DeviceConfigRow[]>;
  snapshots(): Promise<SnapshotRow[]>;
  fact(name: string): Promise<string | undefined>;
  putFact(name: string, value: string): Promise<void>;
  /** Resolves when the row is on the disk. */
  putConfig(row: DeviceConfigRow): Promise<void>;
  /** Replaces these configs and the fact in one commit, and leaves nothing of what they were in the file. */
  replace(rows: readonly DeviceConfigRow[], fact: { readonly name: string; readonly value: string }): Promise<void>;
  /** Deletes config and snapshot in one commit. Resolves when that is on the disk. */
  dropUnit(unitId: string): Promise<void>;
  /** Writes the rows that `take` gives when the turn has come, in one commit that the next synced commit carries to the disk. */
  putSnapshots(take: () => SnapshotRow[]): Promise<void>;
  /** Waits for the commits in the queue, then closes the file. */
  close(): Promise<void>;
}

const BATCH_ROWS = 500;

/**
 * Opens or creates the file at `path` and brings its tables up to date.
 * Throws StoreError: `in-use` (another process has it), `corrupt`, `newer` (written by a later release).
 * `onQuery` gets the text of every statement, without its values.
 */
export async function openDatabase(path: string, onQuery: (sql: string) => void = nothing): Promise<Database> {
  const orm = await MikroORM.init({
    entities,
    dbName: path,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true },
    ensureDatabase: false,
    metadataCache: { enabled: false },
    // No wait for a lock: the other process holds it for as long as it lives.
    driverOptions: { timeout: 0 },
    loggerFactory: () => ({ ...silent, logQuery: ({ query }) => onQuery(query ?? '') }),
  });
  try {
    await prepare(orm);
    return database(orm);
  } catch (error) {
    await orm.close(true).catch(() => {});
    throw explain(error, path);
  }
}

const nothing = () => {};
const silent = {
  log: nothing,
  error: nothing,
  warn: nothing,
  setDebugMode: nothing,
  isEnabled: () => false,
};

async function prepare(orm: MikroORM): Promise<void> {
  const connection = orm.em.getConnection();
  await orm.connect();
  // Exclusive before WAL: the lock is then kept until the file is closed or the process dies, so a crash leaves none behind.
  await connection.execute('pragma locking_mode = exclusive');
  await connection.execute('pragma journal_mode = wal');
  await connection.execute('begin exclusive');
  await connection.execute('commit');
  const [check] = await connection.execute<{ quick_check: string }[]>('pragma quick_check(1)');
  if (check?.quick_check !== 'ok') throw new StoreError('corrupt', check?.quick_check ?? 'no answer to quick_check');
  await migrate(orm);
}

async function migrate(orm: MikroORM): Promise<void> {
  const known = new Set(migrations.map(({ name }) => name));
  const strangers = (await orm.migrator.getExecuted()).filter(({ name }) => !known.has(name));
  if (strangers[0]) throw new StoreError('newer', strangers[0].name);
  await orm.migrator.up();
}

/** One line for the person at the terminal; the cure included. */
function explain(error: unknown, path: string): StoreError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem = error instanceof StoreError ? error.problem : undefined;
  const reason = messageOf(error).replace(/\s+/g, ' ');
  if (code.startsWith('SQLITE_BUSY'))
    return new StoreError(
      'in-use',
      `the database ${path} is in use by another process: stop the other gateway first`,
      error,
    );
  if (problem === 'newer')
    return new StoreError(
      'newer',
      `the database ${path} was written by a newer release (${reason}): start that release, or restore a backup`,
      error,
    );
  if (problem === 'corrupt' || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return new StoreError(
      'corrupt',
      `the database ${path} is damaged (${reason}): restore a backup, or move the file away to begin with an empty one`,
      error,
    );
  return new StoreError('folder', `the database ${path} cannot be opened: ${reason}`, error);
}

function database(orm: MikroORM): Database {
  const commit = commitQueue(orm);
  return {
    configs: () => orm.em.fork().find(DeviceConfigEntity, {}, { orderBy: { unitId: 'asc' } }),
    snapshots: () => orm.em.fork().find(SnapshotEntity, {}),
    fact: async (name) => (await orm.em.fork().findOne(StoreFactEntity, { name }))?.value,
    putFact: (name, value) =>
      commit('full', async () => {
        await orm.em.fork().upsert(StoreFactEntity, { name, value });
      }),
    putConfig: (row) =>
      commit('full', async () => {
        // A copy: the ORM writes into what it is given.
        await orm.em.fork().upsert(DeviceConfigEntity, structuredClone(row));
      }),
    replace: (rows, fact) =>
      commit('full', async () => {
        await orm.em.fork().transactional(async (em) => {
          if (rows.length > 0)
            await em.upsertMany(DeviceConfigEntity, structuredClone([...rows]), { batchSize: BATCH_ROWS });
          await em.upsert(StoreFactEntity, fact);
        });
        // Pages that were given back still hold the old text (SQLite, "VACUUM").
        const connection = orm.em.getConnection();
        await connection.execute('vacuum');
        await connection.execute('pragma wal_checkpoint(truncate)');
      }),
    dropUnit: (unitId) =>
      commit('full', () =>
        orm.em.fork().transactional(async (em) => {
          await em.nativeDelete(DeviceConfigEntity, { unitId });
          await em.nativeDelete(SnapshotEntity, { unitId });
        }),
      ),
    putSnapshots: (take) =>
      commit('normal', async () => {
        const rows = take();
        if (rows.length === 0) return;
        await orm.em.fork().transactional((em) => em.upsertMany(SnapshotEntity, rows, { batchSize: BATCH_ROWS }));
      }),
    close: () => commit('full', () => orm.close(true)),
  };
}

/**
 * One commit after the other. `full` syncs the log to the disk with the commit; `normal` leaves that to a later one,
 * so that a snapshot a second does not wear out the flash card of a small box (SQLite, "PRAGMA synchronous").
 */
function commitQueue(orm: MikroORM) {
  let last: Promise<unknown> = Promise.resolve();
  let present = '';
  return (synchronous: 'full' | 'normal', work: () => Promise<void>): Promise<void> => {
    const turn = last.then(async () => {
      if (present !== synchronous) await orm.em.getConnection().execute(`pragma synchronous = ${synchronous}`);
      present = synchronous;
      await work();
    });
    last = turn.catch(() => {});
    return turn;
  };
}
