/** Turns the frames and readings of one meter into the rows of its history. Knows no meter, no storage and no clock. */
export type { ArrivedFrame } from './frame-clock.ts';
export { longestPause } from './gap.ts';
export { provisionalFrom } from './provisional.ts';
export type { Reading } from './reading-rows.ts';
export { Recorder } from './recorder.ts';
