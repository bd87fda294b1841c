/**
 * What observations add up to: measuring, paused, since when, and how far the meter's clock is off. Pure. An observation
 * that says nothing changes nothing.
 */
import { localAt, machineTimeZone } from '../domain/zone.ts';
import type { Observation } from '../drivers/wire/contract.ts';
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
  const {
    began: _began,
    sleepMode: _sleepMode,
    clock: _clock,
    serialNumber: _serialNumber,
    model: _model,
    ...told
  } = seen;
  const next = { ...before, ...told, startedAt: startOf(before, seen, now) };
  return next.measuring === false ? { ...next, paused: false, startedAt: null } : next;
}

/** A start that was sent counts from now; one that is seen keeps the time it is known by. */
function startOf(before: DeviceState, seen: Observation, now: number): number | null {
  if (seen.began) return now;
  return seen.measuring ? (before.startedAt ?? now) : before.startedAt;
}

/** The meter shows the second that has begun: on average half of it is over. */
const SHOWN_LATE_MS = 500;

/**
 * `shown`: what the meter's clock showed, as if it showed UTC; it is compared with what the clocks of `zone` show (default: of
 * this process). `at`: when the meter read it, as nearly as one knows. All ms UTC.
 */
export function clockOffset(shown: number, at: number, zone?: string): ClockOffset {
  const local = localAt(zone ?? machineTimeZone(), at);
  return { offsetMs: Math.round(shown + SHOWN_LATE_MS - local), at };
}
