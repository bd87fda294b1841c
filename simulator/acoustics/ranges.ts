/** Where levels are over or under the range of the meter. One range, no switch (protocol facts, section 8; unverified). */
import type { FrequencyWeighting } from '../contract.ts';

const LEVEL_RANGE_DB: Readonly<Record<FrequencyWeighting, { readonly bottom: number; readonly top: number }>> = {
  A: { bottom: 25, top: 138 },
  C: { bottom: 33, top: 138 },
  Z: { bottom: 38, top: 138 },
};

/** Whether a level was beyond the range. */
export interface RangeFlags {
  readonly over: boolean;
  readonly under: boolean;
}

/** Flags of a channel whose level lay between `lowest` and `highest` dB. */
export function rangeFlags(weighting: FrequencyWeighting, lowest: number, highest: number): RangeFlags {
  const { bottom, top } = LEVEL_RANGE_DB[weighting];
  return { over: highest > top, under: lowest < bottom };
}
