/**
 * What the gateway keeps: device configs with their FTP credentials, and the last snapshot of each meter.
 * Both are read from memory. A config change is durable when its promise resolves; snapshots are written later, in batches.
 */
import type { CONFIG_FIELDS } from '../domain/fields/config.ts';
import type { RecordOf } from '../domain/fields/field.ts';
import type { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';
import type { Table } from '../domain/fields/table.ts';

/** Its fields are in `lib/domain/fields/config.ts`, with their meaning. */
export interface DeviceConfig extends RecordOf<typeof CONFIG_FIELDS> {
  readonly unitId: string;
}

/** The configs of the units. Listeners hear of a change when it is on the disk. */
export interface ConfigStore {
  /** What a new config holds where its creator says nothing; `host` is empty. */
  readonly defaults: RecordOf<typeof CONFIG_FIELDS>;
  list(): readonly DeviceConfig[];
  get(unitId: string): DeviceConfig | undefined;
  /** The same if there must be one. Errors: UNIT_NOT_FOUND. */
  of(unitId: string): DeviceConfig;
  /**
   * Changes one config: `next` gets the present one and returns the new one. Changes of one unit follow each other, so
   * none is lost. Resolves after the commit reached the disk.
   */
  change(unitId: string, next: (present: DeviceConfig | undefined) => DeviceConfig): Promise<DeviceConfig>;
  /** Removes config and snapshot. False when there was none. */
  remove(unitId: string): Promise<boolean>;
  /**
   * Calls for every change after it is durable and visible: with the new config, or undefined after a removal. Called
   * synchronously, in the order of changes; a listener that throws is logged and stops nobody. The disposer ends it.
   */
  onChange(listener: (unitId: string, config: DeviceConfig | undefined) => void): () => void;
}

/**
 * The last values of one meter. Its fields are in `lib/domain/fields/snapshot.ts`. Levels are the meter's own text (dB, one
 * decimal), times are ms since 1970 UTC.
 */
export interface Snapshot extends RecordOf<typeof SNAPSHOT_FIELDS> {}

/** The last values of each unit. */
export interface SnapshotStore {
  /** The last snapshot; all null for a unit that has none yet. */
  get(unitId: string): Snapshot;
  /**
   * Merges new values in, at once in memory, soon on disk. A group of values that comes without its time is of
   * `lastSeen`, or of now. Ignored for a unit without a config.
   */
  record(unitId: string, values: Partial<Snapshot>): void;
}

/** One value, one of several, or a span. */
export type Condition<Value> =
  | Value
  | readonly Value[]
  | { readonly atLeast?: Value; readonly above?: Value; readonly atMost?: Value; readonly below?: Value };
/** All of these hold. */
export type Where<Row> = { readonly [Name in keyof Row]?: Condition<Row[Name]> | undefined };

/** Which rows, in which order, how many. */
export interface Selection<Row> {
  readonly where?: Where<Row>;
  readonly order?: { readonly [Name in keyof Row]?: 'asc' | 'desc' };
  readonly limit?: number;
  readonly offset?: number;
}

/** A table whose rows are of units. */
export type UnitTable = Pick<Table<{ readonly unitId: string }>, 'name'>;

/** Rows are plain objects of their own: changing one changes nothing in the database. */
export interface Rows {
  find<Row>(table: Table<Row>, selection?: Selection<Row>): Promise<Row[]>;
  count<Row>(table: Table<Row>, where?: Where<Row>): Promise<number>;
  /** Adds rows; a row with an existing key replaces the old one. */
  put<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;
  /** Adds rows whose keys are new; throws where one is not. Quicker than `put`: for many rows often. */
  add<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;
  /** How many rows were changed. */
  change<Row>(table: Table<Row>, where: Where<Row>, values: Partial<Row>): Promise<number>;
  /** How many rows were removed. */
  remove<Row>(table: Table<Row>, where: Where<Row>): Promise<number>;
  /** Units that rows of this table are of, and that have no config now. Cheap where a key or an index of the table begins with the unit. */
  unitsWithoutConfig(table: UnitTable): Promise<string[]>;
}

/** One step in the life of a plugin's tables. A name that was ever released stays. */
export interface TableMigration {
  readonly name: string;
  /** SQL, one statement each; all of them or none. */
  readonly statements: readonly string[];
}

/** The tables of one plugin. */
export interface Tables {
  /** In turn with everybody's transactions. `rows` is of no use after `work` is over. */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /**
   * One transaction, on the disk when the promise resolves; undone when `work` throws. `work` must not be slow, because all others
   * wait. Errors: STORAGE_FULL, STORAGE_FAILED (also when it takes longer than 10 s).
   */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

/** Secrets of one plugin by name, encrypted at rest. None of them belongs in an answer or a log line. */
export interface Secrets {
  /** Undefined: there is none, or it was sealed with a key that is lost. Errors: STORAGE_FAILED. */
  get(name: string): Promise<string | undefined>;
  /** Resolves when it is on the disk. Errors: STORAGE_FULL, STORAGE_FAILED. */
  put(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Of all that there are. Rejects where the database cannot be read. */
  names(): Promise<readonly string[]>;
}

/** What a version has beside what it says. */
export interface Versioned {
  /** 1, 2, 3 ... for ever. */
  readonly id: number;
  readonly unitId: string;
  /** 1, 2, 3 ... of this record. */
  readonly version: number;
  /** Name of the caller who made this version. */
  readonly by: string;
  /** When this version was made, and when the first was, ms since 1970 UTC. */
  readonly changedAt: number;
  readonly createdAt: number;
  /** The record was removed with this version. */
  readonly removed: boolean;
}

/** Everything that the gateway keeps in its database. */
export interface Store {
  readonly configs: ConfigStore;
  readonly snapshots: SnapshotStore;
  /**
   * The tables of a plugin, brought up to date. Table names begin with the name of the plugin. Rejects with StoreError
   * `newer` where a later release has changed them.
   */
  tables(owner: string, tables: readonly Table<never>[], migrations: readonly TableMigration[]): Promise<Tables>;
  /** The secrets of a plugin. */
  secrets(owner: string): Secrets;
  /** Whether the history had levels when this database saw it last: a history without any is a lost one then. */
  hadLevels(): Promise<boolean>;
  noteLevels(are: boolean): Promise<void>;
  /** A consistent copy of the whole database, while everything goes on. `file` is replaced. */
  backup(file: string): Promise<void>;
  /** Why nothing can be written now, as one sentence; undefined while all is well. */
  trouble(): string | undefined;
  /** Writes what is pending and closes the database. May be called twice. */
  close(): Promise<void>;
}
