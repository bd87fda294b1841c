/**
 * What observations add up to: measuring, paused, since when, and how far the meter's clock is off. Pure. An observation
 * that says nothing changes nothing.
 */
import type { Observation } from '../driver/contract.ts';
import type { ClockOffset, DeviceState } from './contract.ts';

/** `startedAt`: the start remembered from before, for a measurement that turns out to be running still. ms UTC. */
export const unknownDeviceState = (startedAt: number | null = null): DeviceState => ({
  measuring: null,
  paused: null,
  startedAt,
  storeName: null,
  frequencyWeighting: null,
  timeWeighting: null,
});

export function observe(before: DeviceState, seen: Observation, now: number): DeviceState {
  const next = {
    measuring: seen.measuring ?? before.measuring,
    paused: seen.paused ?? before.paused,
    startedAt: startOf(before, seen, now),
    storeName: seen.storeName ?? before.storeName,
    frequencyWeighting: seen.frequencyWeighting ?? before.frequencyWeighting,
    timeWeighting: seen.timeWeighting ?? before.timeWeighting,
  };
  return next.measuring === false ? { ...next, paused: false, startedAt: null } : next;
}

export const isSameState = (one: DeviceState, other: DeviceState): boolean =>
  Object.entries(one).every(([name, value]) => other[name as keyof DeviceState] === value);

/** A start that was sent counts from now; one that is seen keeps the time it is known by. */
function startOf(before: DeviceState, seen: Observation, now: number): number | null {
  if (seen.began) return now;
  return seen.measuring ? (before.startedAt ?? now) : before.startedAt;
}

/** The meter shows the second that has begun: on average half of it is over. */
const SHOWN_LATE_MS = 500;

/**
 * `shown`: `YYYY/MM/DD HH:MM:SS`, no zone, read as a moment in the zone of this process. `at`: when the meter read it, as
 * nearly as one knows, ms UTC. Undefined for a text that is no moment.
 */
export function clockOffset(shown: string, at: number): ClockOffset | undefined {
  const [year, month, day, hour, minute, second] = shown.split(/[/ :]/).map(Number);
  if (year === undefined || month === undefined) return undefined;
  const moment = new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isNaN(moment) ? undefined : { offsetMs: Math.round(moment + SHOWN_LATE_MS - at), at };
}
