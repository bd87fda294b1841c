/** Whether this process may act. It is asked before each connection to a meter and before bytes go out. */
import { CLOCKS_PART_MS, type ClusterTimes } from './times.ts';

/** Both clocks of a process, read together. Milliseconds. */
export interface Instant {
  /** Monotonic; stands still while the computer sleeps. */
  readonly elapsed: number;
  /** Wall time; goes on while the computer sleeps, and may jump. */
  readonly wall: number;
}

/**
 * True while the last answered request was sent less than `ownMs` ago. It counts from the sending: others may have begun to
 * wait as soon as the store had it. Where the two clocks part, the computer slept for nobody knows how long: false.
 */
export function leaseHolds(sent: Instant | undefined, now: Instant, { ownMs }: ClusterTimes): boolean {
  if (!sent) return false;
  return now.elapsed - sent.elapsed < ownMs && !clocksPart(sent, now);
}

/** True where the two clocks of this process went on differently between the two moments. */
export const clocksPart = (before: Instant, now: Instant): boolean =>
  Math.abs(now.wall - before.wall - (now.elapsed - before.elapsed)) > CLOCKS_PART_MS;
