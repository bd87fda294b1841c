/**
 * Stored data of the gateway: device configs with their FTP credentials, and the last snapshot of each meter. Both are
 * read from memory. A config change is durable when its promise resolves; snapshots are written later, in batches.
 */
import type { versioned } from '../domain/fields/columns.ts';
import type { CONFIG_FIELDS } from '../domain/fields/config.ts';
import type { RecordOf, Table } from '../domain/fields/field.ts';
import type { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';

/** Its fields are in `lib/domain/fields/config.ts`, with their meaning. */
export interface DeviceConfig extends RecordOf<typeof CONFIG_FIELDS> {
  readonly unitId: string;
}

/** Gets the config of a unit after and before a change. */
export type ConfigListener = (
  unitId: string,
  config: DeviceConfig | undefined,
  before: DeviceConfig | undefined,
) => void;

/** The configs of the units. Listeners are called when a change is on the disk. */
export interface ConfigStore {
  /** Default values of a new config; `host` is empty. */
  readonly defaults: RecordOf<typeof CONFIG_FIELDS>;
  list(): readonly DeviceConfig[];
  get(unitId: string): DeviceConfig | undefined;
  /** The same for a unit that must have a config. Errors: UNIT_NOT_FOUND. */
  of(unitId: string): DeviceConfig;
  /**
   * Changes one config: `next` gets the present config and returns the new one. Changes of one unit follow each other,
   * so none is lost. Resolves after the commit reached the disk.
   */
  change(unitId: string, next: (present: DeviceConfig | undefined) => DeviceConfig): Promise<DeviceConfig>;
  /** Removes config and snapshot. False if the unit had none. */
  remove(unitId: string): Promise<boolean>;
  /**
   * The listener is called after a change is durable and visible, with the config after it and before it; undefined: there
   * is none. With `fields` it is called for units that are new or removed, and where one of these fields differs. The call
   * is synchronous, in the order of changes. A listener that throws is logged and stops nobody. The disposer removes it.
   */
  onChange(listener: ConfigListener, fields?: readonly (keyof DeviceConfig)[]): () => void;
}

/**
 * The last values of one meter. Its fields are in `lib/domain/fields/snapshot.ts`. Levels are the meter's own text (dB, one
 * decimal), times are ms since 1970 UTC.
 */
export interface Snapshot extends RecordOf<typeof SNAPSHOT_FIELDS> {}

/** The last values of each unit. */
export interface SnapshotStore {
  /** The last snapshot; all null for a unit without one. */
  get(unitId: string): Snapshot;
  /**
   * Merges new values in, at once in memory, soon on disk. A group of values without its time gets the time of
   * `lastSeen`, or now. Ignored for a unit without a config.
   */
  record(unitId: string, values: Partial<Snapshot>): void;
}

/** One value, a list of values, or a span. */
type Condition<Value> =
  | Value
  | readonly Value[]
  | { readonly atLeast?: Value; readonly above?: Value; readonly atMost?: Value; readonly below?: Value };
/** All of these conditions hold. */
export type Where<Row> = { readonly [Name in keyof Row]?: Condition<Row[Name]> | undefined };

/** Selection, order and number of rows. */
export interface Selection<Row> {
  readonly where?: Where<Row>;
  readonly order?: { readonly [Name in keyof Row]?: 'asc' | 'desc' };
  readonly limit?: number;
  readonly offset?: number;
}

/** A table whose rows belong to units. */
export type UnitTable = Pick<Table<{ readonly unitId: string }>, 'name'>;

/** Rows are separate plain objects: changing an object changes nothing in the database. */
export interface Rows {
  find<Row>(table: Table<Row>, selection?: Selection<Row>): Promise<Row[]>;
  count<Row>(table: Table<Row>, where?: Where<Row>): Promise<number>;
  /** Adds rows; a row with an existing key replaces the old one. */
  put<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;
  /** Adds rows with new keys; throws for an existing key. Quicker than `put`: for many rows often. */
  add<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;
  /** Returns the number of changed rows. */
  change<Row>(table: Table<Row>, where: Where<Row>, values: Partial<Row>): Promise<number>;
  /** Returns the number of removed rows. */
  remove<Row>(table: Table<Row>, where: Where<Row>): Promise<number>;
  /**
   * Units of rows of this table that have no config now. Cheap if a key or an index of the table begins with the unit.
   */
  unitsWithoutConfig(table: UnitTable): Promise<string[]>;
}

/** One step in the life of a plugin's tables. A released name never changes. */
export interface TableMigration {
  readonly name: string;
  /** SQL, one statement each; all are applied, or none. */
  readonly statements: readonly string[];
}

/** The tables of one plugin. */
export interface Tables {
  /** In turn with all transactions. `rows` cannot be used after `work` has ended. */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /**
   * One transaction, on the disk when the promise resolves; undone when `work` throws. `work` must be quick, because
   * all others wait. Errors: STORAGE_FULL, STORAGE_FAILED (also after 10 s).
   */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

/** Secrets of one plugin by name, encrypted at rest. They must not get into an answer or a log line. */
export interface Secrets {
  /** Undefined: the secret is missing, or was sealed with a lost key. Errors: STORAGE_FAILED. */
  get(name: string): Promise<string | undefined>;
  /** Resolves when it is on the disk. Errors: STORAGE_FULL, STORAGE_FAILED. */
  put(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Names of all secrets. Rejects if the database cannot be read. */
  names(): Promise<readonly string[]>;
}

/** Properties of every version besides its content; times in ms since 1970 UTC. */
export interface Versioned extends RecordOf<typeof versioned> {}

/** All data of the gateway in its database. */
export interface Store {
  readonly configs: ConfigStore;
  readonly snapshots: SnapshotStore;
  /**
   * The tables of a plugin, brought up to date. Table names begin with the name of the plugin. Rejects with StoreError
   * `newer` if a later release has changed them.
   */
  tables(owner: string, tables: readonly Table<never>[], migrations: readonly TableMigration[]): Promise<Tables>;
  /** The secrets of a plugin. */
  secrets(owner: string): Secrets;
  /** Whether the history had levels at the last contact: an empty history is then lost. */
  hadLevels(): Promise<boolean>;
  noteLevels(are: boolean): Promise<void>;
  /** A consistent copy of the database during operation. `file` is replaced. The tables `empty` have no rows there. */
  backup(file: string, empty?: readonly string[]): Promise<void>;
  /** Why writing is impossible now, as one sentence; undefined: writing works. */
  trouble(): string | undefined;
  /** Writes pending data and closes the database. May be called twice. */
  close(): Promise<void>;
}
