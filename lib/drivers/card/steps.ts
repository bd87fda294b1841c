/**
 * Where the clock of the meter was set while a file was written: a row that does not begin where the one before it ended. A pause
 * of the measurement looks the same; `MeterClock` finds out which of the two it was.
 */
import type { CardItem } from './contract.ts';

/** A place in a file where the clock was set. */
export interface CardStep {
  /** The first row after it. */
  readonly line: number;
  /** By how much the clock was set forward, ms; negative: it was set back. */
  readonly by: number;
}

/** A file with more was not written by a meter that measures; the rest is not reported. */
const MOST_STEPS = 1_000;
/** The start of a row is written to the second in some files. */
const TOLERANCE_MS = 1_500;

/** `interval` is the length of a row that has none of its own, ms. */
export async function findSteps(items: AsyncIterable<CardItem>, interval: number): Promise<readonly CardStep[]> {
  const steps: CardStep[] = [];
  let end: number | undefined;
  for await (const item of items) {
    if (!('row' in item)) continue;
    const { line, start, duration } = item.row;
    const by = end === undefined ? 0 : start - end;
    if (Math.abs(by) > TOLERANCE_MS && steps.length < MOST_STEPS) steps.push({ line, by });
    end = start + (duration ?? interval);
  }
  return steps;
}
