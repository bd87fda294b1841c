/**
 * When something that failed - a connection, a stream - may be tried again. Sets no timer.
 *
 *   failure  1      2      3      4      5 ...
 *   wait     1 s    2 s    4 s    8 s   16 s ... 60 s, less up to half, so that many do not try at once
 *   ... for an operator: at most 5 s
 *   ... for an operator or a viewer, in the first minute of a port that refuses: at most 2 s
 *
 * A port that refuses answers at once and costs nothing; most often its meter restarts and is there again within a minute.
 */
import type { SessionParts } from './parts.ts';

type Parts = Pick<SessionParts, 'clock' | 'settings' | 'random'>;

/** How often in a row something has failed, and when it may be tried again. */
export class Retry {
  readonly #parts: Parts;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #waitMs = 0;
  /** Since when the port refuses, on the monotonic clock. */
  #refusedSince: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `refused`: the port refused at once (RST). */
  failed(refused = false): void {
    const { clock, random, settings } = this.#parts;
    const whole = Math.min(settings.reconnectMaxMs, settings.reconnectMinMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#waitMs = whole * (0.5 + random() / 2);
    this.#failedAt = clock.elapsed();
    this.#refusedSince = refused ? (this.#refusedSince ?? this.#failedAt) : undefined;
  }

  /** The next try waits for so long, ms: the failure was an answer. */
  wait(ms: number): void {
    this.#waitMs = ms;
  }

  /** The next failure begins from the shortest wait. */
  worked(): void {
    this.#failures = 0;
    this.#waitMs = 0;
    this.#refusedSince = undefined;
  }

  /** The next try need not wait. */
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
