/**
 * Levels are logarithms of energy: they are added and averaged as energy, never as decibels. Levels in dB, times in seconds.
 * Definitions: ISO 1996-1:2016, IEC 61672-1.
 */

/** Energy of a level, relative to that of 0 dB. */
export const energyOf = (level: number): number => 10 ** (level / 10);

/** Level of an energy; -Infinity for none. */
export const levelOf = (energy: number): number => 10 * Math.log10(energy);

export interface KnownLevel {
  readonly level: number;
  readonly seconds: number;
}

/** Leq of a whole from its parts: 10 lg(sum t_i 10^(L_i/10) / sum t_i). Null when the parts have no duration. */
export function energyMean(parts: Iterable<KnownLevel>): number | null {
  let energy = 0;
  let total = 0;
  for (const { level, seconds } of parts) {
    energy += seconds * energyOf(level);
    total += seconds;
  }
  return total > 0 ? levelOf(energy / total) : null;
}

/** The energy mean of levels with equal weights; dB. Null levels are left out. */
export class MeanLevel {
  #energy = 0;
  #count = 0;

  add(level: number | null): void {
    if (level === null) return;
    this.#energy += energyOf(level);
    this.#count += 1;
  }

  get level(): number | null {
    return this.#count > 0 ? levelOf(this.#energy / this.#count) : null;
  }
}

/** LE (also SEL): the level of one second with the same energy. */
export const exposureLevel = (leq: number, seconds: number): number => leq + 10 * Math.log10(seconds);

export const coverageOf = (seconds: number, ofSeconds: number): number =>
  ofSeconds > 0 ? Math.min(1, Math.max(0, seconds / ofSeconds)) : 0;

interface ExposureReading {
  /** LE since the start of the measurement, dB, as shown. */
  readonly le: number;
  /** When it was read, seconds on any clock that does not jump. */
  readonly at: number;
}

interface LeqBetween {
  readonly leq: number;
  readonly seconds: number;
  /** The true Leq lies at most this far from `leq`, dB. */
  readonly uncertainty: number;
}

/** A shown LE is rounded to a tenth: the true one lies this close, dB. */
const LE_STEP = 0.05;
/** A Leq that is less certain than this is not given, dB. */
const MAX_UNCERTAINTY = 0.5;

/**
 * The Leq between two readings of one running measurement, from its sound exposure level: LE only grows, and its growth
 * is the energy of the time between. A meter shows LE in steps of 0.1 dB; this file computes how much that can matter.
 *
 * 10 lg((10^(LE2/10) - 10^(LE1/10)) / (t2 - t1)). Null if the steps of LE leave more than 0.5 dB of uncertainty: late
 * in a long measurement a short time changes LE too little. `timingS`: how far the time between may be wrong, seconds.
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

/** Decimals of shown, and so of compared levels, unless a rule has another number. */
export const SHOWN_DECIMALS = 1;

/** Sums of energies are exact to this, dB; a smaller difference is noise of the arithmetic. */
const NOISE = 5e-7;
const MILLIONTHS = 1_000_000;
/** The API has hundredths: values with fewer decimals are made from them. */
const API_STEP = 10_000;

/**
 * Compares a level with a limit. Levels are compared as they are shown: 75.04 dB is shown as 75.0 and is not above 75
 * dB; 75.05 is shown as 75.1 and is above. Shown values are made from the two decimals of the API: 75.046 dB is 75.05
 * there. So a number that a person reads never contradicts the alarm. Otherwise the last bit of a sum of energies would
 * decide for a level that meets its limit exactly.
 *
 * The lowest level that is shown above a limit, dB. `decimals`: 0 to 6. Half a step is rounded up.
 */
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

interface BudgetInput {
  readonly limit: number;
  /**
   * The level from which the limit counts as exceeded, dB: levels are compared as they are shown. Default: the limit.
   */
  readonly exceededFrom?: number;
  readonly windowS: number;
  /** Time since its beginning, seconds; at most `windowS`. */
  readonly elapsedS: number;
  /** Leq of the measured part, dB; null: nothing yet. */
  readonly leq: number | null;
  /** Time with data, seconds; at most `elapsedS`. */
  readonly measuredS: number;
  /** The level that is expected to continue, dB: the level of the last minutes. */
  readonly goingOn?: number | null;
}

export interface Budget {
  /** Mean level that the rest of the window may have, dB. Null: nothing is left, or the window is over. */
  readonly remainingMayAverage: number | null;
  readonly exceeded: boolean;
  /** Seconds until the budget is spent if `goingOn` continues. Null: not within this window, or already exceeded. */
  readonly willExceedInS: number | null;
}

/**
 * The noise that a limit still allows in its window. A limit is a mean, so it is a budget of energy: limit times
 * duration. The measured energy is spent, and the rest may be spread over the remaining time.
 *
 * 10 lg((T 10^(L/10) - T1 10^(L1/10)) / (T - T1)). Time without data is neither spent nor allowed: T is the window
 * without its gaps, because the Leq of the window will be the mean over that time.
 */
export function budget(given: BudgetInput): Budget {
  const { limit, exceededFrom = limit, windowS, elapsedS, leq, measuredS, goingOn = null } = given;
  const restS = Math.max(0, windowS - elapsedS);
  const spent = leq === null ? 0 : measuredS * energyOf(leq);
  const left = (measuredS + restS) * energyOf(limit) - spent;
  const untilExceeded = (measuredS + restS) * energyOf(exceededFrom) - spent;
  if (untilExceeded < 0) return { remainingMayAverage: null, exceeded: true, willExceedInS: null };
  const inS = goingOn === null ? Number.POSITIVE_INFINITY : untilExceeded / energyOf(goingOn);
  return {
    remainingMayAverage: left > 0 && restS > 0 ? levelOf(left / restS) : null,
    exceeded: false,
    willExceedInS: inS < restS ? inS : null,
  };
}
