/** What the database has not taken yet of the settings of a unit. */
import type { SettingChangeRow } from '../tables.ts';

/** Of one unit. */
export interface Unwritten {
  /** The unit was removed before all of this. */
  readonly isRemoved: boolean;
  /** Settings whose last value is not written. */
  readonly names: ReadonlySet<string>;
  readonly changes: readonly SettingChangeRow[];
}

/** Nothing. */
export const ALL_WRITTEN: Unwritten = { isRemoved: false, names: new Set(), changes: [] };
/** Whatever was there is gone. */
export const REMOVED: Unwritten = { ...ALL_WRITTEN, isRemoved: true };

/** Both, the second one later; of more changes than these the oldest are left out. */
export function joined(one: Unwritten, other: Unwritten, most: number): Unwritten {
  if (other.isRemoved) return other;
  return {
    isRemoved: one.isRemoved,
    names: new Set([...one.names, ...other.names]),
    changes: [...one.changes, ...other.changes].slice(-most),
  };
}
