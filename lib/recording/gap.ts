/** The longest pause of a unit that is no gap in its history, seconds: of one that is only polled two intervals. */
import type { DeviceConfig } from '../store/contract.ts';

const USUAL_S = 60;

export const longestPause = ({ history, pollIntervalSeconds }: DeviceConfig): number =>
  history === 'poll' ? Math.max(USUAL_S, 2 * pollIntervalSeconds) : USUAL_S;
