/**
 * Levels inside the history: whole hundredths of a dB in 16 bits, and their energies. Outside they are dB, with `null`
 * for a missing level.
 */

/** No level. Stored levels are within +-300 dB. */
export const NONE = -32_768;
/** dB; no level can be higher. */
export const HIGHEST_LEVEL = 300;

/** Error of binary fractions, hundredths of a dB: 54.325 is stored as a little less. */
const BINARY = 1e-6;

/** Hundredths of a dB, halves rounded away from zero; NONE for null. */
export function centiOf(level: number | null): number {
  if (level === null) return NONE;
  const size = Math.round(Math.abs(level) * 100 + BINARY);
  return level < 0 ? 0 - size : size;
}

/** Energy relative to that of 0 dB. */
export const energyOfCenti = (centi: number): number => Math.exp(centi * (Math.LN10 / 1_000));
/** The energy mean in hundredths of a dB; NONE without any weight. */
export const centiOfMean = (energy: number, weight: number): number =>
  weight > 0 ? Math.round(1_000 * Math.log10(energy / weight)) : NONE;

/** NONE is less than every level, so only the minimum needs a special case. */
export const lesser = (a: number, b: number): number => (a === NONE ? b : b === NONE ? a : Math.min(a, b));

/** Hours of UTC have no leap seconds here. */
export const SECONDS_AN_HOUR = 3_600;
/** Rows of an hour in a table of minutes. */
export const MINUTES_AN_HOUR = 60;
/** Steps of 100 ms. */
export const STEPS_A_SECOND = 10;
