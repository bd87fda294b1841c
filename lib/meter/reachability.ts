/**
 * Whether a meter can be reached, decided from its replies alone, and when a failed attempt is made again. Sets no timer.
 *
 *   failure  1      2      3      4      5 ...
 *   wait     1 s    2 s    4 s    8 s   16 s ... 60 s, less up to half, so that many do not try at once
 *   ... for an operator: at most 5 s
 *   ... for an operator or a viewer, in the first minute of a port that refuses: at most 2 s
 *
 * A port that refuses answers at once and costs nothing; most often its meter restarts and is there again within a minute.
 */
import type { GatewayError } from '../errors.ts';
import type { Reachability, ReachabilityState } from './contract.ts';
import type { SessionParts } from './parts.ts';

/** Consecutive failed attempts before a known meter is called offline: a cellular link loses a request now and then. */
const OFFLINE_AFTER = 3;

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

export function streamRefused(before: Reachability, streamRefusal: string | null): Reachability {
  const after = { ...before, streamRefusal };
  return before.state === 'online' ? { ...after, reason: answers(after) } : after;
}

interface Attempt {
  /** Bytes arrived from the meter, even if not a reply. */
  readonly heard: boolean;
  /** The sleep mode was on when it was last seen or set. */
  readonly maySleep: boolean;
}

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

type RetryParts = Pick<SessionParts, 'clock' | 'settings' | 'random'>;

/** How often in a row something has failed, and when it may be tried again. */
export class Retry {
  readonly #parts: RetryParts;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  /** Since when the port refuses, on the monotonic clock. */
  #refusedSince: number | undefined;

  constructor(parts: RetryParts) {
    this.#parts = parts;
  }

  failed(refused = false): void {
    const { clock, random, settings } = this.#parts;
    const whole = Math.min(settings.reconnectMaxMs, settings.reconnectMinMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#waitMs = whole * (0.5 + random() / 2);
    this.#failedAt = clock.elapsed();
    this.#refusedSince = refused ? (this.#refusedSince ?? this.#failedAt) : undefined;
  }

  wait(ms: number): void {
    this.#waitMs = ms;
  }

  worked(): void {
    this.#failures = 0;
    this.#waitMs = 0;
    this.#refusedSince = undefined;
  }

  skipWait(): void {
    this.#waitMs = 0;
  }

  /** Whole ms until the next attempt. `waiting`: the caller that waits. */
  remainingMs(waiting: 'operator' | 'viewer' | 'background'): number {
    const { clock, settings } = this.#parts;
    const now = clock.elapsed();
    let waitMs = this.#waitMs;
    if (waiting === 'operator') waitMs = Math.min(waitMs, settings.reconnectWaitedMs);
    const mayRestart = this.#refusedSince !== undefined && now - this.#refusedSince < settings.refusedRetryForMs;
    if (waiting !== 'background' && mayRestart) waitMs = Math.min(waitMs, settings.refusedRetryMs);
    return Math.max(0, Math.ceil(this.#failedAt + waitMs - now));
  }
}
