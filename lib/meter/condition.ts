/** What observations add up to: measuring, paused, since when. Pure. An observation that says nothing changes nothing. */
import type { Observation } from '../nl43/contract.ts';
import type { Condition } from './contract.ts';

/** `startedAt`: the start remembered from before, for a measurement that turns out to be running still. ms UTC. */
export const unknownCondition = (startedAt: number | null = null): Condition => ({
  measuring: null,
  paused: null,
  startedAt,
  storeName: null,
});

/**
 * The line was in trouble: somebody may have been at the keys or at the plug meanwhile. Only the start is kept, for a
 * measurement that turns out to be running still.
 */
export const doubted = ({ startedAt }: Condition): Condition => unknownCondition(startedAt);

export function observe(before: Condition, seen: Observation, now: number): Condition {
  const measuring = seen.measuring ?? before.measuring;
  const storeName = seen.storeName ?? before.storeName;
  if (measuring === false) return { measuring, paused: false, startedAt: null, storeName };
  return { measuring, paused: seen.paused ?? before.paused, startedAt: startOf(before, seen, now), storeName };
}

/** A start that was sent counts from now; one that is seen keeps the time it is known by. */
function startOf(before: Condition, seen: Observation, now: number): number | null {
  if (seen.began) return now;
  return seen.measuring ? (before.startedAt ?? now) : before.startedAt;
}
