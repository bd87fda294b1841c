/**
 * Falsified facts that no captured exchange notices, with the reason: they rest on something weaker than bytes. A new
 * transcript must shorten these lists; docs/protocol.md shows them.
 */

/** Columns whose values are equal in the captured lines, or missing in all of them. */
export const ALIKE_ON_DISPLAY = [
  'lmin ln4', // 44.6 dB in the one captured result
  'lmin ln5',
  'ln1 ln2', // 45.2 dB
  'ln4 ln5',
  'lieq leq_mov', // never switched on
  'lieq ltm5',
  'leq_mov ltm5',
  'over under', // never out of range
];

export const ALIKE_IN_FRAMES = [
  'lp lmin', // 43.7 dB: the level was falling, so the last value is the lowest
  'over under',
];

/** They were off. */
export const ALIKE_CHANNELS = ['sub1 sub2', 'sub1 sub3', 'sub2 sub3'];

/** Of the facts graded captured: what no exchange shows. */
export const UNSEEN = [
  'Measure: request flipped', // code: public readers of the meter
  'Manual Store: request flipped', // command list
  'Frequency Weighting (Main): set flipped', // command list, as the next ones
  'Frequency Weighting (Main): word C renamed',
  'Frequency Weighting (Main): word Z renamed',
  'Time Weighting (Main): set flipped',
  'Time Weighting (Main): word F renamed',
  'Time Weighting (Main): word I renamed',
  'Clock: set flipped', // only its refusal is captured
  'Battery Level: set flipped',
  'Battery Level: word Middle renamed', // inferred from the letters of the status line, as the next ones
  'Battery Level: word Low renamed',
  'Battery Level: word Dead renamed',
  'Battery Level: word Empty renamed',
  'DOD: set flipped',
  'DLC: set flipped',
  'DRD: set flipped',
];

/** Their requests were accepted, their replies are not in the log: every word but none of the names is open. */
export const TIMES = ['Measurement Time Preset Manual', 'Leq Calculation Interval Preset', 'Lp Store Interval'];

/** The only command without the grade captured that was seen at all: its request was accepted. */
export const SEEN_OF_OTHERS = ['Index Number'];
