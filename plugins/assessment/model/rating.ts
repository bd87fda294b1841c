/** The formulas of rating levels. Levels dB; sums are sums of energy. Sources: ISO 1996-1:2016, DIN 45645-1, BS 4142. */
import { indices } from '../../../lib/built-in.ts';
import type { DifferenceStep } from './contract.ts';

interface RatedPart {
  readonly level: number;
  readonly seconds: number;
}

/**
 * `Lr = 10 lg( (1/Tr) sum T_j 10^(L_j/10) )`; `seconds`: Tr, by default the time of all parts. Null without any time.
 */
export function ratingLevel(
  parts: readonly RatedPart[],
  seconds = parts.reduce((sum, part) => sum + part.seconds, 0),
): number | null {
  const energy = parts.reduce((sum, part) => sum + part.seconds * indices.energyOf(part.level), 0);
  return seconds > 0 && energy > 0 ? indices.levelOf(energy / seconds) : null;
}

/** The mean of N equal events of `le` (LAE) in `seconds`. */
export const levelOfEvents = (le: number, count: number, seconds: number): number =>
  le + 10 * Math.log10(count) - 10 * Math.log10(seconds);

/** LAFTeq: the energy mean of the highest levels of the takts. Null without takts. */
export const taktLevel = (highest: readonly number[]): number | null =>
  ratingLevel(highest.map((level) => ({ level, seconds: 1 })));

/** Below this difference of total and residual level the source cannot be determined, dB. */
const LEAST_DIFFERENCE = 3;
const SURE_DIFFERENCE = 10;

/** `sure`: they differ by 10 dB or more. */
interface Specific {
  readonly level: number;
  readonly sure: boolean;
}

/** `Ls = 10 lg( 10^(Lt/10) - 10^(Lres/10) )`. Null: they differ by less than 3 dB. */
export function specificLevel(total: number, residual: number): Specific | null {
  const difference = total - residual;
  // The last bit of a difference of 3 dB does not matter.
  if (difference < LEAST_DIFFERENCE - 1e-9) return null;
  return {
    level: indices.levelOf(indices.energyOf(total) - indices.energyOf(residual)),
    sure: difference >= SURE_DIFFERENCE - 1e-9,
  };
}

/** Means are exact to a millionth of a dB: a difference that exceeds a step by less counts as the step itself. */
const ROUNDING_DB = 1e-5;

/** The addition of the highest step below the difference; 0 below all steps. An equal difference is not above a step. */
export const addedBy = (steps: readonly DifferenceStep[], difference: number): number =>
  steps.reduce((found, { above, db }) => (difference > above + ROUNDING_DB ? Math.max(found, db) : found), 0);

/** The correction for a duration: that of the first step that includes it; 0 beyond all steps. */
export const correctionOf = (
  steps: readonly { readonly up_to_s: number; readonly db: number }[],
  seconds: number,
): number => steps.find(({ up_to_s }) => seconds <= up_to_s)?.db ?? 0;

interface MeanOfLevels {
  readonly level: number | null;
  /** Standard error, dB: possible error of the energy mean, as a level. Null for fewer than two days. */
  readonly error: number | null;
  readonly count: number;
}

/** `10 lg( (1/N) sum 10^(L_i/10) )`, and `s = sqrt(var(10^(L_i/10)) / N)` as decibels of the mean: `10/ln 10 * s / mean`. */
export function meanOfLevels(levels: readonly number[]): MeanOfLevels {
  const count = levels.length;
  if (count === 0) return { level: null, error: null, count };
  const energies = levels.map(indices.energyOf);
  const mean = energies.reduce((sum, energy) => sum + energy, 0) / count;
  if (count < 2) return { level: indices.levelOf(mean), error: null, count };
  const variance = energies.reduce((sum, energy) => sum + (energy - mean) ** 2, 0) / (count - 1);
  return { level: indices.levelOf(mean), error: ((10 / Math.LN10) * Math.sqrt(variance / count)) / mean, count };
}
