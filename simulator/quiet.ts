/** No faults: everything passes. */
import type { FaultBoard, WireFaults } from './faults/contract.ts';

export const quietBoard = (): FaultBoard & WireFaults => ({
  on(kind) {
    throw new TypeError(`no fault ${kind}`);
  },
  off: () => false,
  clear() {},
  active: [],
  portClosed: false,
  admit: () => 'serve',
  incoming: (bytes) => bytes,
  outgoing: (emissions) => emissions,
  refusal: () => null,
  powerCycled() {},
  close() {},
});
