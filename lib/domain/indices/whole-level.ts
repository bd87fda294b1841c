/** One level of a whole from the levels of its parts, by the rule of its quantity. */
import { type ExtremeQuantity, type KeptQuantity, QUANTITIES } from '../quantities.ts';
import { energyMean, type KnownLevel } from './energy.ts';

/** A mean is one of all the time of the parts: its level may be missing for this share of it. */
const MISSING = 0.01;

/** One level of a part of the whole. */
export interface LevelPart {
  /** dB; null or undefined: the part does not have it. */
  readonly level: number | null | undefined;
  /** Measured time of the part; for maxima and minima it does not matter. */
  readonly seconds: number;
}

/**
 * dB; null if no part has the level. A mean is also null if more than 1 % of the time lacks it: it would then belong to
 * another time than the other levels of the whole.
 */
export function wholeLevel(name: KeptQuantity, parts: readonly LevelPart[]): number | null {
  const known = parts.flatMap(({ level, seconds }): KnownLevel[] =>
    level === null || level === undefined ? [] : [{ level, seconds }],
  );
  const { sum } = QUANTITIES[name];
  if (sum === 'energy') {
    const time = (of: readonly { readonly seconds: number }[]) => of.reduce((total, { seconds }) => total + seconds, 0);
    return time(known) < time(parts) * (1 - MISSING) ? null : energyMean(known);
  }
  if (known.length === 0) return null;
  const choose = sum === 'maximum' ? Math.max : Math.min;
  return known.reduce((best, { level }) => choose(best, level), known[0]?.level ?? 0);
}

/**
 * The bound of a maximum or minimum of a whole: the furthest of `bounds`, if it is beyond `certain`, the level of the
 * certain data. Null: the level is certain. All in dB.
 */
export function boundOver(
  name: ExtremeQuantity,
  certain: number | null,
  bounds: readonly (number | null)[],
): number | null {
  const furthest = wholeLevel(
    name,
    bounds.map((level) => ({ level, seconds: 0 })),
  );
  if (furthest === null || certain === null) return furthest;
  return wholeLevel(
    name,
    [furthest, certain].map((level) => ({ level, seconds: 0 })),
  ) === certain
    ? null
    : furthest;
}
