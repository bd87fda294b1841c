/** Who listens to the lines that go to and come from the meter of a unit. */
import type { WireListener, WireTaps } from './contract.ts';

/** Nobody listens at first. */
export function createWireTaps(): WireTaps {
  const listeners = new Map<string, WireListener>();
  return {
    of: (unitId) => listeners.get(unitId),
    listen(unitId, listener) {
      listeners.set(unitId, listener);
      return () => {
        if (listeners.get(unitId) === listener) listeners.delete(unitId);
      };
    },
  };
}
