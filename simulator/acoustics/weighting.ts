/**
 * Frequency weightings A, C and Z in closed form (IEC 61672-1, annex E), and their effect on an octave-band spectrum. No
 * signal is filtered here: the sound model works with mean squares of bands.
 */
import type { FrequencyWeighting } from '../contract.ts';
import { meanSquareOf } from './levels.ts';

/** In the order of the arrays of a window. */
export const WEIGHTINGS: readonly FrequencyWeighting[] = ['A', 'C', 'Z'];

/** Octave bands by nominal midband frequency, Hz, from low to high. */
export const BAND_NAMES = ['16', '31.5', '63', '125', '250', '500', '1000', '2000', '4000', '8000', '16000'] as const;

/** Exact midband frequencies by nominal name, Hz: 1000 * 10^(3n/10) (IEC 61260-1). */
export const OCTAVE_BANDS: Readonly<Record<string, number>> = Object.fromEntries(
  BAND_NAMES.map((nominal, place) => [nominal, 1000 * 10 ** (0.3 * (place - 6))]),
);

/** Levels of octave bands by nominal frequency, dB. Bands that are not named are silent. */
export type Spectrum = Readonly<Record<string, number>>;

const REFERENCE_HZ = 1000;
const [POLE_1, POLE_4] = outerPoles();
const ROOT_5 = Math.sqrt(5);
const A_CORNER = 10 ** 2.45;
const POLE_2 = ((3 - ROOT_5) / 2) * A_CORNER;
const POLE_3 = ((3 + ROOT_5) / 2) * A_CORNER;
const C_AT_1K = unscaledC(REFERENCE_HZ);
const A_AT_1K = unscaledA(REFERENCE_HZ);

/** f1 and f4 (20.6 and 12194 Hz) from the half-power points 10^1.5 and 10^3.9 Hz (IEC 61672-1, E.2-E.5). */
function outerPoles(): [number, number] {
  const low = 10 ** 3;
  const high = 10 ** 7.8;
  const half = Math.SQRT1_2;
  const b = (REFERENCE_HZ ** 2 + (low * high) / REFERENCE_HZ ** 2 - half * (low + high)) / (1 - half);
  const root = Math.sqrt(b * b - 4 * low * high);
  return [Math.sqrt((-b - root) / 2), Math.sqrt((-b + root) / 2)];
}

function unscaledC(hz: number): number {
  const square = hz * hz;
  return (POLE_4 ** 2 * square) / ((square + POLE_1 ** 2) * (square + POLE_4 ** 2));
}

function unscaledA(hz: number): number {
  const square = hz * hz;
  return (unscaledC(hz) * square) / Math.sqrt((square + POLE_2 ** 2) * (square + POLE_3 ** 2));
}

export function weightingAt(weighting: FrequencyWeighting, hz: number): number {
  if (weighting === 'Z') return 0;
  if (weighting === 'C') return 20 * Math.log10(unscaledC(hz) / C_AT_1K);
  return 20 * Math.log10(unscaledA(hz) / A_AT_1K);
}

export function weighSpectrum(spectrum: Spectrum): Record<FrequencyWeighting, number> {
  const sums = { A: 0, C: 0, Z: 0 };
  for (const [nominal, level] of Object.entries(spectrum)) {
    const hz = OCTAVE_BANDS[nominal];
    if (hz === undefined) throw new RangeError(`no octave band is called ${nominal}`);
    for (const weighting of WEIGHTINGS) sums[weighting] += meanSquareOf(level + weightingAt(weighting, hz));
  }
  return sums;
}

/** Mean squares of a sound of this spectrum's shape whose A-weighted level is 0 dB. */
export function perUnitA(spectrum: Spectrum): Record<FrequencyWeighting, number> {
  const sums = weighSpectrum(spectrum);
  return { A: 1, C: sums.C / sums.A, Z: sums.Z / sums.A };
}
