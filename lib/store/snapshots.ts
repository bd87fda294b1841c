/**
 * Last values of every meter: in memory at once, on the disk about a second later, many meters in one commit.
 * A power cut may cost the last second; a failing disk costs nothing while the process runs, because the rows are written later.
 */
import type { Clock } from '../clock.ts';
import { freshRecord } from '../domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Snapshot, SnapshotStore } from './contract.ts';
import { type SnapshotRow, snapshotRow, snapshotValues } from './own-tables.ts';
import type { Database } from './rows.ts';

const FLUSH_MS = 1_000;
const SLOWEST_RETRY_MS = 60_000;

const NONE: Snapshot = freshRecord(SNAPSHOT_FIELDS);
const FIELDS = Object.keys(NONE) as (keyof Snapshot)[];
const TIMES = FIELDS.flatMap((field) => {
  const { at } = SNAPSHOT_FIELDS[field];
  return at ? [[field, at] as const] : [];
});

interface Parts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** A unit without a config has no snapshot. */
  readonly configs: { get(unitId: string): object | undefined };
}

export class Snapshots implements SnapshotStore {
  readonly #parts: Parts;
  readonly #present = new Map<string, Snapshot>();
  /** Units whose row on the disk is old. */
  readonly #due = new Set<string>();
  #cancel: (() => void) | undefined;
  #failures = 0;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    for (const row of await this.#parts.database.snapshots())
      if (this.#parts.configs.get(row.unitId)) this.#present.set(row.unitId, merged(NONE, snapshotValues(row)));
  }

  get(unitId: string): Snapshot {
    return this.#present.get(unitId) ?? NONE;
  }

  record(unitId: string, values: Partial<Snapshot>): void {
    if (this.#closed || !this.#parts.configs.get(unitId)) return;
    const at = values.lastSeen ?? this.#parts.clock.now();
    this.#present.set(unitId, merged(this.get(unitId), { ...timesOf(values, at), ...values }));
    this.#due.add(unitId);
    this.#schedule();
  }

  /** The config is gone, and the row with it. */
  forget(unitId: string): void {
    this.#present.delete(unitId);
    this.#due.delete(unitId);
  }

  /** Rejects if the waiting rows cannot be written: no later attempt follows. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#write();
  }

  #schedule(): void {
    if (this.#cancel || this.#closed || this.#due.size === 0) return;
    const wait = Math.min(FLUSH_MS * 2 ** this.#failures, SLOWEST_RETRY_MS);
    this.#cancel = this.#parts.clock.after(wait, () => void this.#flush());
  }

  async #flush(): Promise<void> {
    try {
      await this.#write();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#parts.log.error(
        { rows: this.#due.size, failures: this.#failures, reason: messageOf(error) },
        'the last values could not be written; they are kept and tried again',
      );
    }
    this.#cancel = undefined;
    this.#schedule();
  }

  async #write(): Promise<void> {
    if (this.#due.size === 0) return;
    const taken: string[] = [];
    try {
      await this.#parts.database.putSnapshots(() => {
        taken.push(...this.#due);
        this.#due.clear();
        return taken.map((unitId) => snapshotRow(unitId, this.get(unitId)));
      });
    } catch (error) {
      for (const unitId of taken) if (this.#parts.configs.get(unitId)) this.#due.add(unitId);
      throw error;
    }
  }
}

function timesOf(values: Partial<Snapshot>, at: number): Partial<Snapshot> {
  const times: Record<string, number> = {};
  for (const [field, timeName] of TIMES) if (values[field] !== undefined) times[timeName] = at;
  return times;
}

/** Only fields of a snapshot. */
function merged(base: Snapshot, over: Partial<Snapshot> | SnapshotRow): Snapshot {
  const given: Record<string, unknown> = {};
  for (const field of FIELDS) if (over[field] !== undefined) given[field] = over[field];
  return Object.freeze({ ...base, ...given });
}
