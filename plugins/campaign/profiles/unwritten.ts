/** Settings of a unit that the database has not accepted yet. */
import type { SettingChangeRow } from '../tables.ts';

export interface Unwritten {
  /** The unit was removed before all of these. */
  readonly isRemoved: boolean;
  /** Settings whose last value is not written. */
  readonly names: ReadonlySet<string>;
  readonly changes: readonly SettingChangeRow[];
}

export const ALL_WRITTEN: Unwritten = { isRemoved: false, names: new Set(), changes: [] };
/** All earlier rows are removed. */
export const REMOVED: Unwritten = { ...ALL_WRITTEN, isRemoved: true };

/** Both, the second later; if there are more changes than `most`, the oldest are left out. */
export function joined(one: Unwritten, other: Unwritten, most: number): Unwritten {
  if (other.isRemoved) return other;
  return {
    isRemoved: one.isRemoved,
    names: new Set([...one.names, ...other.names]),
    changes: [...one.changes, ...other.changes].slice(-most),
  };
}
