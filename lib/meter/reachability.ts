/**
 * Decides whether a meter can be reached, only from its replies. Pure: each attempt turns one reachability into the
 * next.
 */
import type { GatewayError } from '../errors.ts';
import type { Reachability, ReachabilityState } from './contract.ts';

/** Consecutive failed attempts before a known meter is called offline: a cellular link loses a request now and then. */
const OFFLINE_AFTER = 3;

/** Before the first attempt. `now`: ms since 1970 UTC. */
export const untried = (now: number): Reachability => ({
  reachable: null,
  state: 'unknown',
  reason: 'not tried yet',
  streamRefusal: null,
  since: now,
  lastSuccess: null,
  consecutiveFailures: 0,
  lastError: null,
  clock: null,
});

/** A complete reply arrived, which may also be a refusal or unreadable. */
export const reached = (before: Reachability, now: number): Reachability => ({
  ...enter(before, 'online', answers(before), now),
  reachable: true,
  lastSuccess: now,
  consecutiveFailures: 0,
  lastError: before.lastError && { ...before.lastError, resolvedAt: before.lastError.resolvedAt ?? now },
});

const answers = ({ streamRefusal }: Reachability): string =>
  streamRefusal === null ? 'it answers' : `it answers, but gives no stream: ${streamRefusal}`;

/** The meter refused its stream, or may give it again (null). */
export function streamRefused(before: Reachability, streamRefusal: string | null): Reachability {
  const after = { ...before, streamRefusal };
  return before.state === 'online' ? { ...after, reason: answers(after) } : after;
}

/** Facts of an attempt besides its error. */
export interface Attempt {
  /** Bytes arrived from the meter, even if not a reply. */
  readonly heard: boolean;
  /** The sleep mode was on when it was last seen or set. */
  readonly maySleep: boolean;
}

/** An attempt failed. */
export function afterFailure(before: Reachability, error: GatewayError, now: number, attempt: Attempt): Reachability {
  const consecutiveFailures = before.consecutiveFailures + 1;
  return {
    ...enter(before, judge(before, error, consecutiveFailures, attempt), error.message, now),
    reachable: false,
    consecutiveFailures,
    lastError: { code: error.code, detail: error.message, at: now, resolvedAt: null },
  };
}

function judge(
  before: Reachability,
  error: GatewayError,
  failures: number,
  { heard, maySleep }: Attempt,
): ReachabilityState {
  if (error.code === 'DEVICE_WEDGED') return 'wedged';
  // A meter that answers is there.
  if (heard || error.code === 'DEVICE_GARBLED') return 'degraded';
  if (before.lastSuccess !== null && failures < OFFLINE_AFTER) return 'degraded';
  return maySleep && error.code === 'DEVICE_TIMEOUT' ? 'asleep?' : 'offline';
}

const enter = (before: Reachability, state: ReachabilityState, reason: string, now: number): Reachability => ({
  ...before,
  state,
  reason,
  since: before.state === state ? before.since : now,
});
