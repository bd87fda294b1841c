/** The times of a lease, how they must stand to each other, and what they promise. */

/** Settings of a lease, the same for all members. Milliseconds. */
export interface ClusterTimes {
  /** Between two beats. */
  readonly beatMs: number;
  /** After this a request to the store is given up. */
  readonly answerMs: number;
  /** A member acts for so long after it sent its last answered beat. */
  readonly ownMs: number;
  /** A member that was silent for so long, by the clock of another one, is taken over. */
  readonly takeMs: number;
}

/** What is used where nobody says otherwise. */
export const CLUSTER_TIMES: ClusterTimes = { beatMs: 5_000, answerMs: 2_000, ownMs: 40_000, takeMs: 60_000 };

/** How much faster or slower than true time the clock of a computer may run: one tenth, far more than any does. */
export const CLOCK_DRIFT = 0.1;

/** Wall clock and monotonic clock of a process that part by more than this since its last beat: the computer slept. */
export const CLOCKS_PART_MS = 2_000;

/** Says what is wrong with the times; undefined if two members can never act at once. */
export function faultOfTimes({ beatMs, answerMs, ownMs, takeMs }: ClusterTimes): string | undefined {
  if (![beatMs, answerMs, ownMs, takeMs].every((ms) => Number.isFinite(ms) && ms > 0))
    return 'each time must be a number above 0';
  if (beatMs + answerMs >= ownMs) return 'ownMs must be longer than beatMs and answerMs together';
  if (beatMs <= CLOCKS_PART_MS) return `beatMs must be above ${CLOCKS_PART_MS}`;
  const least = Math.ceil((ownMs / (1 - CLOCK_DRIFT) + beatMs) * (1 + CLOCK_DRIFT));
  return takeMs < least ? `takeMs must be ${least} or more for this ownMs and beatMs` : undefined;
}

/** When each unit has an owner again after the last fault, at the latest, while the store answers in `answerMs`. */
export function takeoverWithinMs({ beatMs, answerMs, takeMs }: ClusterTimes): number {
  return (takeMs + 3 * beatMs + 4 * answerMs) / (1 - CLOCK_DRIFT);
}

/** How long a unit has no owner when its member leaves in order, at most, while the store answers in `answerMs`. */
export function drainWithinMs({ beatMs, answerMs }: ClusterTimes): number {
  return (beatMs + 3 * answerMs) / (1 - CLOCK_DRIFT);
}
