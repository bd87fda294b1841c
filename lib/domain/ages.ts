/** What the age of kept records is counted from. */
import type { Clock } from '../clock.ts';

const DAY_MS = 86_400_000;
/** So much faster than the monotonic clock it follows a wall clock that is ahead. */
const FASTER = 23;

/**
 * The time that ages are counted from, ms UTC. It follows a wall clock that is ahead slowly: it begins at most a day after the newest record at the start, and each time it is asked it goes on by what has passed and by
 * a day more at most (a day in an hour). So a clock that is years ahead for some hours makes nothing old. `newest`: of the records at the start; undefined: there are none.
 */
export function agesCountFrom(clock: Pick<Clock, 'now' | 'elapsed'>, newest: number | undefined): () => number {
  const began = clock.elapsed();
  let askedAt = began;
  let from = (newest ?? clock.now()) + DAY_MS;
  return () => {
    const passed = clock.elapsed() - askedAt;
    askedAt += passed;
    // A clock that is far behind for a while must not hold it back: it is not earlier than this.
    const least = (newest ?? 0) + askedAt - began;
    from = Math.max(least, Math.min(clock.now(), from + passed + Math.min(FASTER * passed, DAY_MS)));
    return Math.min(clock.now(), from);
  };
}
