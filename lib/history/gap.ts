/** The longest pause that is not a gap in the history of a unit, seconds: two intervals if it is only polled. */
import type { DeviceConfig } from '../store/contract.ts';

const USUAL_S = 60;

/** Seconds; at least 60. */
export const longestPause = ({ history, pollIntervalSeconds }: DeviceConfig): number =>
  history === 'poll' ? Math.max(USUAL_S, 2 * pollIntervalSeconds) : USUAL_S;
