/**
 * Finds where the clock of the meter was set during the writing of a file: a row does not begin at the end of the row
 * before. A pause of the measurement looks the same; `MeterClock` distinguishes the two.
 */
import type { CardItem } from '../../lib/index.ts';

/** A place in a file where the clock was set. */
export interface CardStep {
  /** The first row after it. */
  readonly line: number;
  /** Change of the clock, ms: positive is forward, negative is back. */
  readonly by: number;
}

/** A file with more steps was not written by a measuring meter; the rest is not reported. */
const MOST_STEPS = 1_000;
/** In some files the start of a row has only whole seconds. */
const TOLERANCE_MS = 1_500;

/** `interval` is the length of rows without a length of their own, ms. */
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
