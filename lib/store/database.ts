/** The rows of the store, for any database. The rows have no plain passwords. */
import type { Clock } from '../clock.ts';
import type { Table } from '../domain/fields/field.ts';
import type { Commits, StoreWork } from './commits.ts';
import type { Rows, TableMigration, Tables } from './contract.ts';
import {
  CONFIG_TABLE,
  type DeviceConfigRow,
  FACT_TABLE,
  type Fact,
  SNAPSHOT_TABLE,
  type SnapshotRow,
} from './own-tables.ts';
import { rowsIn, type SqlDialect } from './rows.ts';

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

const OWN = new Set([CONFIG_TABLE, SNAPSHOT_TABLE, FACT_TABLE].map(({ name }) => name));

/** Work with the tables of the store. */
const withRows =
  <T>(dialect: SqlDialect, work: (rows: Rows) => Promise<T>): StoreWork<T> =>
  (em, signal) =>
    work(rowsIn(em, signal, OWN, dialect));

/** A small write that shows whether the database can be written. */
export const probeOf = (clock: Clock, dialect: SqlDialect): StoreWork<void> =>
  withRows(dialect, (rows) => rows.put(FACT_TABLE, [{ name: 'last-write', value: String(clock.now()) }]));

/** Common parts of all databases. */
export function keptRows(
  commits: Commits,
  dialect: SqlDialect,
): Omit<Database, 'isNew' | 'tables' | 'backup' | 'close'> {
  const read = <T>(work: (rows: Rows) => Promise<T>) => commits.read(withRows(dialect, work));
  const readEarly = <T>(work: (rows: Rows) => Promise<T>) => commits.withoutTransaction(withRows(dialect, work));
  const write = (work: (rows: Rows) => Promise<unknown>) =>
    commits.commit<void>(
      'full',
      withRows(dialect, async (rows) => void (await work(rows))),
    );
  const factOf = (name: string) => async (rows: Rows) => (await rows.find(FACT_TABLE, { where: { name } }))[0]?.value;
  return {
    configs: () => readEarly((rows) => rows.find(CONFIG_TABLE, { order: { unitId: 'asc' } })),
    config: (unitId) => read(async (rows) => (await rows.find(CONFIG_TABLE, { where: { unitId } }))[0]),
    snapshots: () => readEarly((rows) => rows.find(SNAPSHOT_TABLE)),
    fact: (name) => readEarly(factOf(name)),
    presentFact: (name) => read(factOf(name)),
    putFact: (name, value) => write((rows) => rows.put(FACT_TABLE, [{ name, value }])),
    dropFact: (name) => write((rows) => rows.remove(FACT_TABLE, { name })),
    facts: (prefix) =>
      readEarly(async (rows) => (await rows.find(FACT_TABLE)).filter(({ name }) => name.startsWith(prefix))),
    putConfig: (row) => write((rows) => rows.put(CONFIG_TABLE, [row])),
    replace: (configs, facts) =>
      write(async (rows) => {
        await rows.put(CONFIG_TABLE, configs);
        await rows.put(FACT_TABLE, facts);
      }),
    dropUnit: (unitId) =>
      write(async (rows) => {
        await rows.remove(CONFIG_TABLE, { unitId });
        await rows.remove(SNAPSHOT_TABLE, { unitId });
      }),
    putSnapshots: (take) =>
      commits.commit(
        'normal',
        withRows(dialect, (rows) => rows.put(SNAPSHOT_TABLE, take())),
      ),
    trouble: () => commits.trouble,
  };
}
