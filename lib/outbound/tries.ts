/** When a message that did not arrive is sent again: alerts and mailed reports follow the same times. */

/** Pauses after the first, second ... failure; the last one is repeated. */
const PAUSES_MS = [5_000, 30_000, 120_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000];

/** The last try is 26 h after the first; then the message has failed. */
export const MOST_DELIVERY_TRIES = 20;

/** Ms until the next try after so many. */
export const pauseAfter = (tries: number): number => PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? 0;
