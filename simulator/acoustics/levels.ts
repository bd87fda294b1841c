/**
 * The arithmetic of levels: pure functions, no state, no time. Levels are in dB re 20 uPa; a "mean square" is p^2 / p0^2,
 * without a unit. Does no weighting and no filtering (`weighting.ts`, `filter-bank.ts`).
 */
import type { FrequencyWeighting } from '../contract.ts';

export function levelOf(meanSquare: number): number {
  return 10 * Math.log10(meanSquare);
}

export function meanSquareOf(level: number): number {
  return 10 ** (level / 10);
}

/** Energy mean of levels that lasted equally long, dB. RangeError for none. */
export function energyMean(levels: readonly number[]): number {
  if (levels.length === 0) throw new RangeError('the mean of no levels does not exist');
  let sum = 0;
  for (const level of levels) sum += meanSquareOf(level);
  return levelOf(sum / levels.length);
}

/** LE = Leq + 10 lg(T / 1 s), dB. */
export function exposureLevel(leq: number, seconds: number): number {
  return leq + levelOf(seconds);
}

/**
 * The level exceeded `percent` % of the time, from samples of equal weight: linear interpolation between order statistics.
 * A meter that measures sorts samples into classes instead (`tally.ts`). RangeError for no samples or a percentage
 * outside 0-100.
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

// Where levels are over or under the range of the meter. One range, no switch (protocol facts, section 8; unverified).

const LEVEL_RANGE_DB: Readonly<Record<FrequencyWeighting, { readonly bottom: number; readonly top: number }>> = {
  A: { bottom: 25, top: 138 },
  C: { bottom: 33, top: 138 },
  Z: { bottom: 38, top: 138 },
};

interface RangeFlags {
  readonly over: boolean;
  readonly under: boolean;
}

export function rangeFlags(weighting: FrequencyWeighting, lowest: number, highest: number): RangeFlags {
  const { bottom, top } = LEVEL_RANGE_DB[weighting];
  return { over: highest > top, under: lowest < bottom };
}
