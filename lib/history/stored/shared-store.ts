/**
 * The database that several gateways share. What this computer records goes into its own file first, as without such a database; hours that are
 * over, and intervals, are carried to the database, and stay in the file until they are there.
 */
import type { Doubt, Imported, Restated, Retention, SeriesKey, StatedWeighting } from '../contract.ts';
import type { IntervalRecord } from './columns.ts';
import type { LevelSource } from './source.ts';
import type { UnitStore } from './unit-store.ts';
import type { Work } from './work.ts';

/** `here` does the same with the rows of this computer; nothing is carried meanwhile. What rejects has changed nothing that was not complete. */
export interface SharedStore {
  /** Takes what another computer has left when this one takes over; who asks waits until it is there. */
  takeOver(): Work<void>;
  /** For one question: the rows of both places, each once. */
  source(): LevelSource;
  /** Regular work. `now`: seconds. Does not throw when the database is away. */
  tick(now: number, retention: Retention): Work<void>;
  /** Why it is away, for the log; null while it answers. */
  readonly away: string | null;
  doubt(doubt: Doubt, here: () => Work<number>): Work<number>;
  restate(stated: StatedWeighting, here: () => Work<Restated>): Work<Restated>;
  remove(span: { unitId: string; from: number; to: number }, here: () => Work<number>): Work<number>;
  readonly imports: SharedImports;
  /** Of both places, in order. */
  units(): Work<readonly string[]>;
  /** What the database has, without what is still on this computer. */
  readonly stored: Pick<UnitStore, 'source' | 'units'>;
  /** Bytes of the database that the history takes. */
  bytes(): Work<number>;
  close(): Promise<void>;
}

/** Imports, as `History.import` says. */
export interface SharedImports {
  begin(key: SeriesKey): Work<number>;
  add(id: number, rows: readonly IntervalRecord[]): Work<void>;
  /** Throws Overlaps; then the rows are removed. */
  finish(id: number): Work<Imported>;
  abandon(id: number): Work<void>;
}
