/**
 * What the gateway keeps: device configs with their FTP credentials, and the last snapshot of each meter.
 * Both are read from memory. A config change is durable when its promise resolves; snapshots are written behind, in batches.
 */
export interface DeviceConfig {
  readonly unitId: string;
  /** Host name, IPv4 or IPv6 address of the meter. */
  readonly host: string;
  readonly tcpPort: number;
  readonly tcpEnabled: boolean;
  readonly ftpEnabled: boolean;
  readonly webEnabled: boolean;
  readonly ftpPort: number;
  readonly ftpMode: 'active' | 'passive';
  /** Encrypted at rest; never part of an answer or a log line. */
  readonly ftpUsername: string | null;
  readonly ftpPassword: string | null;
  /** Whether the meter is read in the background, and how often. */
  readonly pollEnabled: boolean;
  readonly pollIntervalSeconds: number;
}

export interface ConfigStore {
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

/** Levels are the meter's own text, trimmed (dB, one decimal); null where the meter gave no value. */
export interface Snapshot {
  readonly measurementState: 'Measure' | 'Stop' | null;
  readonly lp: string | null;
  readonly leq: string | null;
  readonly le: string | null;
  readonly lmax: string | null;
  readonly lmin: string | null;
  readonly lpeak: string | null;
  readonly ln1: string | null;
  readonly ln2: string | null;
  readonly ln3: string | null;
  readonly ln4: string | null;
  readonly ln5: string | null;
  readonly overRange: boolean | null;
  readonly underRange: boolean | null;
  /** Per cent, as a numeric string; `batteryState` is the meter's own word. */
  readonly batteryLevel: string | null;
  readonly batteryState: string | null;
  readonly powerSource: 'Battery' | 'External' | 'USB' | null;
  /** Megabytes, numeric string. */
  readonly sdRemainingMb: string | null;
  /** Per cent of the card that is free, numeric string. */
  readonly sdFreeRatio: string | null;
  /** When the present measurement began, ms since 1970 UTC; null while none runs or it is not known. */
  readonly measurementStartTime: number | null;
  /** When the meter last gave a value, ms since 1970 UTC; null before the first one. */
  readonly lastSeen: number | null;
  /** When each group of values was measured, ms since 1970 UTC; null: never, or not known. */
  readonly stateAt: number | null;
  readonly lpAt: number | null;
  /** The levels of the measurement, with over and under range: all but Lp, which the fast stream brings too. */
  readonly levelsAt: number | null;
  readonly batteryAt: number | null;
  readonly powerAt: number | null;
  readonly cardAt: number | null;
  /** Since when the levels have been the same while the meter says it measures; null while they move or it does not. */
  readonly unchangedSince: number | null;
}

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
