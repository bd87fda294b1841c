/** What observations add up to: measuring, paused, since when. Pure. An observation that says nothing changes nothing. */
import type { Observation } from '../nl43/contract.ts';
import type { DeviceState } from './contract.ts';

/** `startedAt`: the start remembered from before, for a measurement that turns out to be running still. ms UTC. */
export const unknownDeviceState = (startedAt: number | null = null): DeviceState => ({
  measuring: null,
  paused: null,
  startedAt,
  storeName: null,
});

/**
 * The line was in trouble: somebody may have been at the keys or at the plug meanwhile. Only the start is kept, for a
 * measurement that turns out to be running still.
 */
export const doubted = ({ startedAt }: DeviceState): DeviceState => unknownDeviceState(startedAt);

export function observe(before: DeviceState, seen: Observation, now: number): DeviceState {
  const measuring = seen.measuring ?? before.measuring;
  const storeName = seen.storeName ?? before.storeName;
  if (measuring === false) return { measuring, paused: false, startedAt: null, storeName };
  return { measuring, paused: seen.paused ?? before.paused, startedAt: startOf(before, seen, now), storeName };
}

/** A start that was sent counts from now; one that is seen keeps the time it is known by. */
function startOf(before: DeviceState, seen: Observation, now: number): number | null {
  if (seen.began) return now;
  return seen.measuring ? (before.startedAt ?? now) : before.startedAt;
}
