/**
 * Levels that these meters can show. Their range is assumed to be 25 to 138 dB (A) (unverified); values beyond it are
 * marked as over or under range and stay near it. The limits here are wide on purpose: they are only for impossible
 * numbers, such as 999.9.
 */
import { POSSIBLE_DB } from '../../domain/level-checks.ts';

const { lowest, highest } = POSSIBLE_DB;
/** LE is above Leq by ten times the logarithm of the measured seconds: 66 dB after the longest measurement, 1000 h. */
const HIGHEST_LE_DB = highest + 66;

/** `text`: a number with one decimal. The meter pads with spaces, so a leading zero (`045.1`) is not from a meter. */
export function isPlausible(name: string, text: string): boolean {
  const db = Number(text);
  return !/^-?0\d/.test(text) && db >= lowest && db <= (name === 'le' ? HIGHEST_LE_DB : highest);
}
