/** No faults: everything passes. */
import type { FaultBoard } from './faults/contract.ts';
import type { ListenerFaults } from './listener.ts';

export const quietBoard = (): FaultBoard & ListenerFaults => ({
  on(kind) {
    throw new TypeError(`no fault ${kind}`);
  },
  off() {},
  clear() {},
  active: [],
  admit: () => 'serve',
  incoming: (bytes) => bytes,
  outgoing: (emissions) => emissions,
});
