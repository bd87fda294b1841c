/** Calculates the time of the next reading. Pure: no clock, no timer. */

/** Share of the interval, plus or minus, so that meters that began together drift apart. */
const JITTER = 0.05;

/** Time until the next reading, ms: the interval, a little more or less, the same on average. */
export const spread = (ms: number, random: () => number): number => ms * (1 - JITTER + 2 * JITTER * random());

/** Time between two tries of an unreachable meter, ms: doubles from the interval, up to `slowestMs` or the interval if that is longer. */
export const slowed = (intervalMs: number, failures: number, slowestMs: number): number =>
  Math.max(intervalMs, Math.min(intervalMs * 2 ** Math.min(failures, 20), slowestMs));

/**
 * Numbers from 0 to 1 that look random but depend only on the text. So a unit keeps its time among the others over a
 * restart, and a test sees the same schedule each time. (FNV-1a for the seed, then a mixing step for each number.)
 */
export function numbersFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
