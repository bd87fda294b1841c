/** Tests, the demo and other programs use the simulator through this file. */
export { realClock, VirtualClock } from './clock.ts';
export type * from './contract.ts';
export type { Fault } from './faults/contract.ts';
export { startMeter } from './meter.ts';
export { DEFAULT_PROFILE, loadProfile, type Profile, profileNames } from './profile.ts';
