/** Options of a history. */
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Retention } from '../contract.ts';
import type { HistoryListener } from '../listeners.ts';
import type { LevelWitness } from './witness.ts';

/** The file, its limits, and how long rows are kept. */
export interface HistoryOptions extends HistoryListener {
  /** The database; `-wal`, `-shm` and `.lock` are next to it. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly retention?: Retention;
  /** Largest size of the file; 0 or absent: limited only by the disk. */
  readonly maxBytes?: number;
  /** Below this free space on the disk the recording stops. */
  readonly minFreeBytes?: number;
  /** Most rows that may wait for the disk. */
  readonly mostWaiting?: number;
  /** URL of the shared PostgreSQL: finished hours go there, and stay in the file until the database has them. */
  readonly database?: string | undefined;
  /** Knowledge of another file about the levels in this file. */
  readonly witness?: LevelWitness;
  /** Begins with an empty file even if the witness knows of levels. */
  readonly acceptLoss?: boolean;
}

/** A complete copy during recording. */
export interface HistoryBackup {
  /**
   * `file`: a new SQLite file, whatever the store. It has the appended rows, if they can be written. Rejects with
   * GatewayError, or the error of the system.
   */
  backup(file: string): Promise<void>;
}
