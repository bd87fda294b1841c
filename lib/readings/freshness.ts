/**
 * How old the values of a snapshot are, and whether they can be true. Pure.
 *
 * Frozen: Leq and LE cannot both stand still while a meter measures, whatever it hears. LE - Leq is ten times the logarithm
 * of the measured seconds, by the definition of the sound exposure level (IEC 61672-1). So the two numbers tell the measured
 * time themselves, and one of them has to move when that time has grown by a twentieth.
 */
import type { Snapshot } from '../store/contract.ts';

/** How many polling intervals old levels may be before they are called stale. */
export const STALE_INTERVALS = 3;
/** Levels that stand still for less are never called frozen, ms. */
export const FROZEN_AFTER_MS = 60_000;
/** Both numbers are rounded to a tenth: together they may hide a change of 0.2 dB, and 10^0.02 is 1.047. */
const FROZEN_GROWTH = 0.05;

/** Seconds, to a tenth; null for a moment that is not known. The wall clock may have been set back: never negative. */
export const ageSeconds = (at: number | null, now: number): number | null =>
  at === null ? null : Math.max(0, Math.round((now - at) / 100) / 10);

/** Levels that were never read, or longer ago than three polling intervals, are not to be taken for the present ones. */
export function isStale({ levelsAt }: Snapshot, now: number, intervalSeconds: number): boolean {
  return levelsAt === null || now - levelsAt > STALE_INTERVALS * intervalSeconds * 1_000;
}

const LEVELS = ['lp', 'leq', 'le', 'lmax', 'lmin', 'lpeak', 'ln1', 'ln2', 'ln3', 'ln4', 'ln5'] as const;

/** Since when the levels are the very same, ms UTC; null where they need not move. `now`: the values just read. */
export function unchangedSince(before: Snapshot, now: Partial<Snapshot>, paused: boolean): number | null {
  const at = now.levelsAt ?? null;
  if (now.measurementState !== 'Measure' || paused) return null;
  if (before.measurementState !== 'Measure' || before.unchangedSince === null) return at;
  return LEVELS.every((name) => now[name] === before[name]) ? before.unchangedSince : at;
}

/** False where it cannot be told: while nothing is measured, or the meter gave no Leq or LE. */
export function isFrozen({ unchangedSince: since, levelsAt, leq, le }: Snapshot): boolean {
  if (since === null || levelsAt === null || leq === null || le === null) return false;
  const measuredMs = 10 ** ((Number(le) - Number(leq)) / 10) * 1_000;
  return levelsAt - since >= Math.max(FROZEN_AFTER_MS, FROZEN_GROWTH * measuredMs);
}
