/** What a history is opened with. */
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
  /** Largest size of the file; 0 or nothing: as far as the disk goes. */
  readonly maxBytes?: number;
  /** Recording stops while the disk has less room than this. */
  readonly minFreeBytes?: number;
  /** Rows that may wait for the disk. */
  readonly mostWaiting?: number;
  /** URL of the PostgreSQL that gateways share: hours that are over go there, and stay in the file until they are there. */
  readonly database?: string | undefined;
  /** What another file knows of this one. */
  readonly witness?: LevelWitness;
  /** Begins with an empty file also where the witness says that there were levels. */
  readonly acceptLoss?: boolean;
}

/** A copy of everything, while it is recorded. */
export interface HistoryBackup {
  /** `file`: a new file of SQLite, whatever the store; what was appended is in it, if it can be written. Rejects with GatewayError, or the error of the system. */
  backup(file: string): Promise<void>;
}
