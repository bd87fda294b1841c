/** Compares the last known settings of meters with their profile. Pure. */
import type { LastValue } from './last-values.ts';
import type { ProfileSettings } from './profile.ts';

/** A setting that differs from the profile. */
export interface Difference {
  readonly setting: string;
  readonly wanted: string;
  readonly found: string;
  /** ms since 1970 UTC. */
  readonly readAt: number;
}

/** A meter compared with its profile. */
export interface Drift {
  /** `unknown`: no read setting differs, but some were not read. */
  readonly state: 'same' | 'differs' | 'unknown';
  readonly differences: readonly Difference[];
  readonly notRead: readonly string[];
  /** The oldest time of reading of all settings; null while a setting was never read. */
  readonly oldest: number | null;
}

/** `last`: by the name of the setting. */
export function driftOf(settings: ProfileSettings, last: ReadonlyMap<string, LastValue>): Drift {
  const differences: Difference[] = [];
  const notRead: string[] = [];
  let oldest = Number.POSITIVE_INFINITY;
  for (const [setting, wanted] of Object.entries(settings)) {
    const found = last.get(setting);
    if (!found) notRead.push(setting);
    else if (found.value !== wanted) differences.push({ setting, wanted, found: found.value, readAt: found.at });
    oldest = Math.min(oldest, found?.at ?? Number.NEGATIVE_INFINITY);
  }
  const state = differences.length > 0 ? 'differs' : notRead.length > 0 ? 'unknown' : 'same';
  return { state, differences, notRead, oldest: Number.isFinite(oldest) ? oldest : null };
}
