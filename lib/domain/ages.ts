/** Present time for the age of stored records. */
import type { Clock } from '../clock.ts';

const DAY_MS = 86_400_000;
/** It catches up with a wall clock that is ahead at so many times the speed of the monotonic clock. */
const FASTER = 23;

/**
 * The present time for ages, ms UTC. It follows a wall clock that is ahead only slowly. At the start it is at most a
 * day after the newest record. Later it gains at most a day per hour. So a clock that is years ahead for some hours
 * makes nothing old. `newest`: newest record at the start; undefined: no record.
 */
export function agesCountFrom(clock: Pick<Clock, 'now' | 'elapsed'>, newest: number | undefined): () => number {
  const began = clock.elapsed();
  let askedAt = began;
  let from = (newest ?? clock.now()) + DAY_MS;
  return () => {
    const passed = clock.elapsed() - askedAt;
    askedAt += passed;
    // A clock that is far behind for a while must not hold it back: this is its lowest value.
    const least = (newest ?? 0) + askedAt - began;
    from = Math.max(least, Math.min(clock.now(), from + passed + Math.min(FASTER * passed, DAY_MS)));
    return Math.min(clock.now(), from);
  };
}
