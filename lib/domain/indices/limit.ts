/**
 * Compares a level with a limit. Levels are compared as they are shown: 75.04 dB is shown as 75.0 and is not above 75
 * dB; 75.05 is shown as 75.1 and is above. Shown values are made from the two decimals of the API: 75.046 dB is 75.05
 * there. So a number that a person reads never contradicts the alarm. Otherwise the last bit of a sum of energies would
 * decide for a level that meets its limit exactly.
 */

/** Decimals of shown, and so of compared levels, unless a rule has another number. */
export const SHOWN_DECIMALS = 1;

/** Sums of energies are exact to this, dB; a smaller difference is noise of the arithmetic. */
const NOISE = 5e-7;
const MILLIONTHS = 1_000_000;
/** The API has hundredths: values with fewer decimals are made from them. */
const API_STEP = 10_000;

/** The lowest level that is shown above a limit, dB. `decimals`: 0 to 6. Half a step is rounded up. */
export function firstAbove(limit: number, decimals: number = SHOWN_DECIMALS): number {
  const step = 10 ** (6 - decimals);
  const next = Math.floor(Math.round(limit * MILLIONTHS) / step) + 1;
  const half = step > API_STEP ? step / 2 + API_STEP / 2 : step / 2;
  return (next * step - half) / MILLIONTHS;
}

/** `first`: from `firstAbove`. For one limit and many levels. */
export const reachesFirst = (level: number, first: number): boolean => level > first - NOISE;

/** Levels in dB. `decimals`: as many as people see. */
export const isAbove = (level: number, limit: number, decimals: number = SHOWN_DECIMALS): boolean =>
  reachesFirst(level, firstAbove(limit, decimals));
