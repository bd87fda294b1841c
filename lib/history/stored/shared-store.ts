/**
 * The database that several gateways share. New rows of this computer go into its own file first, as without such a
 * database. Finished hours and intervals are copied to the database, and stay in the file until they are there.
 */
import type { Doubt, Imported, Restated, Retention, SeriesKey, StatedWeighting } from '../contract.ts';
import type { IntervalRecord } from './columns.ts';
import type { LevelSource } from './source.ts';
import type { UnitStore } from './unit-store.ts';
import type { Work } from './work.ts';

/**
 * `here` does the same with the rows of this computer; nothing is copied meanwhile. After a rejection, all completed
 * changes are complete.
 */
export interface SharedStore {
  /** Reads the rows that another computer has left, at a takeover; queries wait until they are here. */
  takeOver(): Work<void>;
  /** For one query: the rows of both places, each once. */
  source(): LevelSource;
  /** Regular work. `now`: seconds. Does not throw when the database is away. */
  tick(now: number, retention: Retention): Work<void>;
  /** Why the database is away, for the log; null while it answers. */
  readonly away: string | null;
  doubt(doubt: Doubt, here: () => Work<number>): Work<number>;
  restate(stated: StatedWeighting, here: () => Work<Restated>): Work<Restated>;
  remove(span: { unitId: string; from: number; to: number }, here: () => Work<number>): Work<number>;
  readonly imports: SharedImports;
  /** Units of both places, in order. */
  units(): Work<readonly string[]>;
  /** The content of the database, without the rows that are still on this computer. */
  readonly stored: Pick<UnitStore, 'source' | 'units'>;
  /** Bytes of the history in the database. */
  bytes(): Work<number>;
  close(): Promise<void>;
}

/** Imports, see `History.import`. */
export interface SharedImports {
  begin(key: SeriesKey): Work<number>;
  add(id: number, rows: readonly IntervalRecord[]): Work<void>;
  /** Throws Overlaps; then the rows are removed. */
  finish(id: number): Work<Imported>;
  abandon(id: number): Work<void>;
}
