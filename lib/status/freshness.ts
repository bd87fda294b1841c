/**
 * Checks whether values are too old, and whether they are possible. Pure.
 *
 * Frozen: Leq and LE cannot both stay the same while a meter measures, whatever it measures. By the definition of the sound exposure level (IEC 61672-1), LE - Leq is ten times the logarithm of the
 * measured seconds. So the two numbers
 * contain the measured time. At least one number must change when that time has grown by a twentieth.
 */

import { quantitiesIn } from '../domain/quantities.ts';
import type { Snapshot } from '../store/contract.ts';
import type { UnitStatus } from './contract.ts';

/** Levels older than this many polling intervals are stale. */
export const STALE_INTERVALS = 3;
/** While a stream is watched the display is read at most this often, because reading interrupts the stream. ms */
export const BESIDE_STREAM_MS = 300_000;
/** Levels that are constant for a shorter time are never called frozen, ms. */
export const FROZEN_AFTER_MS = 60_000;
/** Both numbers are rounded to a tenth: together they may hide a change of 0.2 dB, and 10^0.02 is 1.047. */
const FROZEN_GROWTH = 0.05;

/** Seconds, to a tenth; null if the age is unknown. */
export const ageSeconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 100) / 10);

/**
 * Age of the newest level, ms: of the display, or the Lp of the fast stream, during which the display is seldom read.
 */
export function newestLevelAge({ age }: Pick<UnitStatus, 'age'>): number | null {
  const ages = [age('levelsAt'), age('lpAt')].filter((one) => one !== null);
  return ages.length === 0 ? null : Math.min(...ages);
}

/** No level for three polling intervals, or ever: the shown levels are not present ones. */
export function isStale(status: Pick<UnitStatus, 'age'>, intervalSeconds: number): boolean {
  const age = newestLevelAge(status);
  return age === null || age > staleAfterSeconds(intervalSeconds) * 1_000;
}

/** The age from which a level is old, s. */
export const staleAfterSeconds = (intervalSeconds: number): number => STALE_INTERVALS * intervalSeconds;

/**
 * The age from which the levels of the display are old, s. While a stream brings a younger Lp, background readings read
 * the display at most every BESIDE_STREAM_MS. So three of these pauses count if they are longer.
 */
export function levelsStaleAfterSeconds(status: Pick<UnitStatus, 'age'>, intervalSeconds: number): number {
  const [lp, levels] = [status.age('lpAt'), status.age('levelsAt')];
  const isStreamed = lp !== null && (levels === null || lp < levels) && !isStale(status, intervalSeconds);
  return staleAfterSeconds(isStreamed ? Math.max(intervalSeconds, BESIDE_STREAM_MS / 1_000) : intervalSeconds);
}

/** The display was not read for so long, or never; Lp may be younger. */
export function areLevelsStale(status: Pick<UnitStatus, 'age'>, intervalSeconds: number): boolean {
  const age = status.age('levelsAt');
  return age === null || age > levelsStaleAfterSeconds(status, intervalSeconds) * 1_000;
}

const LEVELS = quantitiesIn('status');

/** Since when the levels are exactly the same, ms UTC; null if they need not change. `now`: the values just read. */
export function unchangedSince(before: Snapshot, now: Partial<Snapshot>, paused: boolean): number | null {
  const at = now.levelsAt ?? null;
  if (now.measurementState !== 'Measure' || paused) return null;
  if (before.measurementState !== 'Measure' || before.unchangedSince === null) return at;
  return LEVELS.every((name) => now[name] === before[name]) ? before.unchangedSince : at;
}

/** False if it is unknown: without a measurement, or without Leq or LE. */
export function isFrozen({ values, age }: Pick<UnitStatus, 'values' | 'age'>): boolean {
  const { measurementState, leq, le } = values;
  const since = age('unchangedSince');
  const read = age('levelsAt');
  if (measurementState !== 'Measure' || since === null || read === null || leq === null || le === null) return false;
  const measuredMs = 10 ** ((Number(le) - Number(leq)) / 10) * 1_000;
  return since - read >= Math.max(FROZEN_AFTER_MS, FROZEN_GROWTH * measuredMs);
}
