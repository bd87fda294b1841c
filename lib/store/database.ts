/** The rows of the store, for any database. The rows have no plain passwords. */
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import type { Clock } from '../clock.ts';
import type { Table } from '../domain/fields/field.ts';
import type { Commits } from './commits.ts';
import type { TableMigration, Tables } from './contract.ts';
import {
  DeviceConfigEntity,
  type DeviceConfigRow,
  SnapshotEntity,
  type SnapshotRow,
  StoreFactEntity,
} from './entities.ts';

/** A fact about the database itself. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The rows of the store. Errors: STORAGE_FULL, STORAGE_FAILED. */
export interface Database {
  /** The database was just created. */
  readonly isNew: boolean;
  configs(): Promise<DeviceConfigRow[]>;
  /** Config of one unit, while the gateway runs. */
  config(unitId: string): Promise<DeviceConfigRow | undefined>;
  snapshots(): Promise<SnapshotRow[]>;
  fact(name: string): Promise<string | undefined>;
  /** The same while the gateway runs. */
  presentFact(name: string): Promise<string | undefined>;
  putFact(name: string, value: string): Promise<void>;
  dropFact(name: string): Promise<void>;
  /** Facts whose names begin with `prefix`. */
  facts(prefix: string): Promise<Fact[]>;
  /** Resolves when the row is on the disk. */
  putConfig(row: DeviceConfigRow): Promise<void>;
  /** Replaces these configs and facts in one commit. The old values do not stay in the file. */
  replace(rows: readonly DeviceConfigRow[], facts: readonly Fact[]): Promise<void>;
  /** Deletes config and snapshot in one commit. Resolves when that is on the disk. */
  dropUnit(unitId: string): Promise<void>;
  /** Calls `take` at its turn and writes the rows in one commit. The next synced commit carries them to the disk. */
  putSnapshots(take: () => SnapshotRow[]): Promise<void>;
  tables(owner: string, tables: readonly Table<never>[], migrations: readonly TableMigration[]): Promise<Tables>;
  backup(file: string): Promise<void>;
  trouble(): string | undefined;
  /** Waits for the commits in the queue, then closes the file. */
  close(): Promise<void>;
}

const BATCH_ROWS = 500;

/** A small write that shows whether the database can be written. */
export const probeOf = (clock: Clock) => (em: SqlEntityManager) =>
  em.upsert(StoreFactEntity, { name: 'last-write', value: String(clock.now()) });

/** Common parts of all databases. */
export function keptRows(commits: Commits): Omit<Database, 'isNew' | 'tables' | 'backup' | 'close'> {
  const factOf = (name: string) => async (em: SqlEntityManager) => (await em.findOne(StoreFactEntity, { name }))?.value;
  return {
    configs: () => commits.withoutTransaction((em) => em.find(DeviceConfigEntity, {}, { orderBy: { unitId: 'asc' } })),
    config: (unitId) => commits.read(async (em) => (await em.findOne(DeviceConfigEntity, { unitId })) ?? undefined),
    snapshots: () => commits.withoutTransaction((em) => em.find(SnapshotEntity, {})),
    fact: (name) => commits.withoutTransaction(factOf(name)),
    presentFact: (name) => commits.read(factOf(name)),
    putFact: (name, value) =>
      commits.commit('full', async (em) => {
        await em.upsert(StoreFactEntity, { name, value });
      }),
    dropFact: (name) => commits.commit('full', async (em) => void (await em.nativeDelete(StoreFactEntity, { name }))),
    facts: (prefix) => commits.withoutTransaction((em) => em.find(StoreFactEntity, { name: { $like: `${prefix}%` } })),
    putConfig: (row) =>
      commits.commit('full', async (em) => {
        // A copy: the ORM writes into its input.
        await em.upsert(DeviceConfigEntity, structuredClone(row));
      }),
    replace: (rows, facts) =>
      commits.commit('full', async (em) => {
        const copies = structuredClone([...rows]);
        if (copies.length > 0) await em.upsertMany(DeviceConfigEntity, copies, { batchSize: BATCH_ROWS });
        for (const { name, value } of facts) await em.upsert(StoreFactEntity, { name, value });
      }),
    dropUnit: (unitId) =>
      commits.commit('full', async (em) => {
        await em.nativeDelete(DeviceConfigEntity, { unitId });
        await em.nativeDelete(SnapshotEntity, { unitId });
      }),
    putSnapshots: (take) =>
      commits.commit('normal', async (em) => {
        const rows = take();
        // For all streamed meters, each second: `upsertMany` would do the same work again for unused entities.
        for (let from = 0; from < rows.length; from += BATCH_ROWS) {
          const some = rows.slice(from, from + BATCH_ROWS);
          await em.createQueryBuilder(SnapshotEntity).insert(some).onConflict(['unitId']).merge().execute('run', false);
        }
      }),
    trouble: () => commits.trouble,
  };
}
