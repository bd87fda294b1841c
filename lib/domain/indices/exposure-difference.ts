/**
 * The Leq between two readings of one running measurement, from its sound exposure level: LE only grows, and its
 * growth is the energy of the time between. A meter shows LE in steps of 0.1 dB; this file computes how much that can matter.
 */
import { energyOf, levelOf } from './energy.ts';

/** LE at one time. */
export interface ExposureReading {
  /** LE since the start of the measurement, dB, as shown. */
  readonly le: number;
  /** When it was read, seconds on any clock that does not jump. */
  readonly at: number;
}

/** The Leq of the time between two readings. */
export interface LeqBetween {
  readonly leq: number;
  readonly seconds: number;
  /** The true Leq lies at most this far from `leq`, dB. */
  readonly uncertainty: number;
}

/** A shown LE is rounded to a tenth: the true one lies this close, dB. */
const LE_STEP = 0.05;
/** A Leq that is less certain than this is not given, dB. */
export const MAX_UNCERTAINTY = 0.5;

/**
 * 10 lg((10^(LE2/10) - 10^(LE1/10)) / (t2 - t1)). Null if the steps of LE leave more than 0.5 dB of uncertainty: late in a long
 * measurement a short time changes LE too little. `timingS`: how far the time between may be wrong, seconds.
 */
export function leqBetween(first: ExposureReading, second: ExposureReading, timingS = 0): LeqBetween | null {
  const seconds = second.at - first.at;
  if (!(seconds > timingS)) return null;
  const [least, leq, most] = [LE_STEP, 0, -LE_STEP].map((shift) =>
    levelOf((energyOf(second.le - shift) - energyOf(first.le + shift)) / seconds),
  ) as [number, number, number];
  const uncertainty = Math.max(
    most - leq + 10 * Math.log10(seconds / (seconds - timingS)),
    leq - least + 10 * Math.log10((seconds + timingS) / seconds),
  );
  return uncertainty <= MAX_UNCERTAINTY ? { leq, seconds, uncertainty } : null;
}
