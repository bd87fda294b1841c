/**
 * What the gateway keeps: device configs with their FTP credentials, and the last snapshot of each meter.
 * Both are read from memory. A config change is durable when its promise resolves; snapshots are written behind, in batches.
 */
import type { CONFIG_FIELDS } from '../fields/config.ts';
import type { RecordOf } from '../fields/field.ts';
import type { SNAPSHOT_FIELDS } from '../fields/snapshot.ts';

/** Its fields stand in `lib/fields/config.ts`, with what each means. */
export interface DeviceConfig extends RecordOf<typeof CONFIG_FIELDS> {
  readonly unitId: string;
}

export interface ConfigStore {
  /** What a new config holds where its creator says nothing; `host` is empty. */
  readonly defaults: RecordOf<typeof CONFIG_FIELDS>;
  list(): readonly DeviceConfig[];
  get(unitId: string): DeviceConfig | undefined;
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
 * The last values of one meter. Its fields stand in `lib/fields/snapshot.ts`. Levels are the meter's own text (dB, one
 * decimal), moments are ms since 1970 UTC.
 */
export interface Snapshot extends RecordOf<typeof SNAPSHOT_FIELDS> {}

export interface SnapshotStore {
  /** The last snapshot; all null for a unit that has none yet. */
  get(unitId: string): Snapshot;
  /**
   * Merges new values in, at once in memory, soon on disk. A group of values that comes without its moment is of
   * `lastSeen`, or of now. Ignored for a unit without a config.
   */
  record(unitId: string, values: Partial<Snapshot>): void;
}

export interface Store {
  readonly configs: ConfigStore;
  readonly snapshots: SnapshotStore;
  /** Writes what is pending and closes the database. May be called twice. */
  close(): Promise<void>;
}
