/** Whether a meter can be reached, only from its replies. Pure: each attempt turns one reachability into the next. */
import type { GatewayError } from '../errors.ts';
import type { Reachability, ReachabilityState } from './contract.ts';

/** Attempts in a row that fail before a meter that once answered is called offline: a cellular link loses one now and then. */
const OFFLINE_AFTER = 3;

export const untried = (now: number): Reachability => ({
  reachable: null,
  state: 'unknown',
  reason: 'not tried yet',
  since: now,
  lastSuccess: null,
  consecutiveFailures: 0,
  lastError: null,
  clock: null,
});

/** A complete reply came; a refusal is one too, and so is one that cannot be read. */
export const reached = (before: Reachability, now: number): Reachability => ({
  ...enter(before, 'online', 'it answers', now),
  reachable: true,
  lastSuccess: now,
  consecutiveFailures: 0,
  lastError: before.lastError && { ...before.lastError, resolvedAt: before.lastError.resolvedAt ?? now },
});

/** An attempt failed. `maySleep`: the sleep mode was on when it was last seen or set. */
export function failed(before: Reachability, error: GatewayError, now: number, maySleep: boolean): Reachability {
  const consecutiveFailures = before.consecutiveFailures + 1;
  return {
    ...enter(before, judge(before, error, consecutiveFailures, maySleep), error.message, now),
    reachable: false,
    consecutiveFailures,
    lastError: { code: error.code, detail: error.message, at: now, resolvedAt: null },
  };
}

function judge(before: Reachability, error: GatewayError, failures: number, maySleep: boolean): ReachabilityState {
  if (error.code === 'DEVICE_WEDGED') return 'wedged';
  // Whatever answers is there.
  if (error.code === 'DEVICE_GARBLED') return 'degraded';
  if (before.lastSuccess !== null && failures < OFFLINE_AFTER) return 'degraded';
  return maySleep && error.code === 'DEVICE_TIMEOUT' ? 'asleep?' : 'offline';
}

const enter = (before: Reachability, state: ReachabilityState, reason: string, now: number): Reachability => ({
  ...before,
  state,
  reason,
  since: before.state === state ? before.since : now,
});
