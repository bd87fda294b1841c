/** What tests, demo and other programs use of the simulator: exports only. */
export { realClock, VirtualClock } from './clock.ts';
export type * from './contract.ts';
export type { Fault, FaultBoard, When } from './faults/contract.ts';
export { startMeter } from './meter.ts';
export { DEFAULT_PROFILE, loadProfile, type Profile, profileNames } from './profile.ts';
