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
  /** By promises of the others a member acts for so long after its last answered beat, at most. */
  readonly promisedMs: number;
  /** One that the silent member did not know, and so did not ask for a promise, takes over after this. */
  readonly unknownTakeMs: number;
}

/** What is used where nobody says otherwise. */
export const CLUSTER_TIMES: ClusterTimes = {
  ...{ beatMs: 5_000, answerMs: 2_000, ownMs: 40_000, takeMs: 60_000 },
  ...{ promisedMs: 600_000, unknownTakeMs: 750_000 },
};

/** How much faster or slower than true time the clock of a computer may run: one tenth, far more than any does. */
const CLOCK_DRIFT = 0.1;

/** Wall clock and monotonic clock of a process that part by more than this since its last beat: the computer slept. */
export const CLOCKS_PART_MS = 2_000;

/** Says what is wrong with the times; undefined if two members can never act at once. */
export function faultOfTimes(times: ClusterTimes): string | undefined {
  const { beatMs, answerMs, ownMs, takeMs, promisedMs, unknownTakeMs } = times;
  if (!Object.values(times).every((ms) => Number.isFinite(ms) && ms > 0)) return 'each time must be a number above 0';
  if (beatMs + answerMs >= ownMs) return 'ownMs must be longer than beatMs and answerMs together';
  if (beatMs <= CLOCKS_PART_MS) return `beatMs must be above ${CLOCKS_PART_MS}`;
  if (promisedMs < ownMs) return 'promisedMs must not be below ownMs';
  const least = leastTakeMs(ownMs, beatMs);
  if (takeMs < least) return `takeMs must be ${least} or more for this ownMs and beatMs`;
  const unknownLeast = leastTakeMs(promisedMs, beatMs);
  return unknownTakeMs < unknownLeast
    ? `unknownTakeMs must be ${unknownLeast} or more for this promisedMs and beatMs`
    : undefined;
}

const leastTakeMs = (ownMs: number, beatMs: number): number =>
  Math.ceil((ownMs / (1 - CLOCK_DRIFT) + beatMs) * (1 + CLOCK_DRIFT));

/** When each unit has an owner again after the last fault, at the latest, while the store answers in `answerMs`; also where the lost member knew nobody. */
export function takeoverWithinMs({ beatMs, answerMs, unknownTakeMs }: ClusterTimes): number {
  return (unknownTakeMs + 3 * beatMs + 4 * answerMs) / (1 - CLOCK_DRIFT);
}

/**
 * How long a unit has no owner when its member leaves in order, at most, while the store answers in `answerMs` and nobody hears of it before the next beat: a beat, the answer that shows it, the claim,
 * and the release before; and one answer more where another one that leaves or moves comes between. A beat more where the unit was just being given to the member that leaves: who gave it waits for that one until it
 * is told (seed 15093 of the schedules with removals).
 */
export function drainWithinMs({ beatMs, answerMs }: ClusterTimes): number {
  return (2 * beatMs + 4 * answerMs) / (1 - CLOCK_DRIFT);
}
