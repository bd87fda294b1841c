/** Listeners to the lines that are sent to and received from the meter of a unit. */
import type { WireListener, WireTaps } from './contract.ts';

/** Starts without listeners. */
export function createWireTaps(): WireTaps {
  const listeners = new Map<string, WireListener>();
  const followers = new Set<Parameters<WireTaps['onTrace']>[0]>();
  const tell = (unitId: string, isTraced: boolean) => {
    for (const follower of [...followers]) follower(unitId, isTraced);
  };
  return {
    of: (unitId) => listeners.get(unitId),
    listen(unitId, listener) {
      const isNew = !listeners.has(unitId);
      listeners.set(unitId, listener);
      if (isNew) tell(unitId, true);
      return () => {
        if (listeners.get(unitId) !== listener) return;
        listeners.delete(unitId);
        tell(unitId, false);
      };
    },
    onTrace(follower) {
      followers.add(follower);
      return () => {
        followers.delete(follower);
      };
    },
  };
}
