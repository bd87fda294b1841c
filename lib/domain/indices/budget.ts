/**
 * The noise that a limit still allows in its window. A limit is a mean, so it is a budget of energy: limit times
 * duration. The measured energy is spent, and the rest may be spread over the remaining time.
 */
import { energyOf, levelOf } from './energy.ts';

/** The limit, its window, and the measured part. */
export interface BudgetInput {
  /** Limit of the Leq over the window, dB. */
  readonly limit: number;
  /**
   * The level from which the limit counts as exceeded, dB: a little more, because levels are compared as they are
   * shown. Default: the limit.
   */
  readonly exceededFrom?: number;
  /** Length of the window, seconds. */
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

/** The rest of a limit. */
export interface Budget {
  /**
   * The rest of the window may have this mean level to meet the limit, dB. Null: nothing is left, or the window is
   * over.
   */
  readonly remainingMayAverage: number | null;
  readonly exceeded: boolean;
  /** Seconds until the budget is spent if `goingOn` continues. Null: not within this window, or already exceeded. */
  readonly willExceedInS: number | null;
}

/**
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
