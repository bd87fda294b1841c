/**
 * The arithmetic of levels: pure functions, no state, no time. Levels are in dB re 20 uPa; a "mean square" is p^2 / p0^2,
 * without a unit. Does no weighting and no filtering (`weighting.ts`, `time-weighting.ts`).
 */

/** Reference sound pressure p0, Pa (IEC 61672-1, 3.1). */
export const REFERENCE_PA = 20e-6;

/** Level in dB of a mean square. -Infinity for 0. */
export function levelOf(meanSquare: number): number {
  return 10 * Math.log10(meanSquare);
}

/** Mean square of a level in dB. */
export function meanSquareOf(level: number): number {
  return 10 ** (level / 10);
}

/** Level of all sources together, dB. -Infinity for none. */
export function energySum(levels: readonly number[]): number {
  let sum = 0;
  for (const level of levels) sum += meanSquareOf(level);
  return levelOf(sum);
}

/** Energy mean of levels that lasted equally long, dB. RangeError for none. */
export function energyMean(levels: readonly number[]): number {
  if (levels.length === 0) throw new RangeError('the mean of no levels does not exist');
  return energySum(levels) - levelOf(levels.length);
}

export interface PartialLeq {
  /** Leq of the part, dB. */
  readonly leq: number;
  /** How long it lasted, in any unit, the same for all parts. */
  readonly duration: number;
}

/** Leq of a whole from its parts: 10 lg(sum(Ti 10^(Li/10)) / sum(Ti)), dB. RangeError when the parts last no time. */
export function mergeLeq(parts: readonly PartialLeq[]): number {
  let energy = 0;
  let duration = 0;
  for (const part of parts) {
    energy += part.duration * meanSquareOf(part.leq);
    duration += part.duration;
  }
  if (!(duration > 0)) throw new RangeError('the parts of a Leq must last some time');
  return levelOf(energy / duration);
}

/** LE = Leq + 10 lg(T / 1 s), dB. */
export function exposureLevel(leq: number, seconds: number): number {
  return leq + levelOf(seconds);
}

/**
 * The level exceeded `percent` % of the time, from samples of equal weight: linear interpolation between order statistics.
 * A meter sorts samples into classes instead (`level-classes.ts`). RangeError for no samples or a percentage outside 0-100.
 */
export function exceededLevel(levels: readonly number[], percent: number): number {
  if (levels.length === 0) throw new RangeError('a percentile of no levels does not exist');
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`percentage ${percent} is outside 0-100`);
  const sorted = [...levels].sort((one, other) => one - other);
  const place = (1 - percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}
