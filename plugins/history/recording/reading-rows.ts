/**
 * Turns single readings of the display into rows. A reading is one instant: its Lp has no duration. But LE of a running
 * measurement only grows. So two readings of one measurement give the Leq of the time between.
 */

import { type IntervalRow, indices, type SecondRow } from '../../../lib/index.ts';

/** One reading of the main channel. Levels in dB; null: the meter gave no level. */
export interface Reading {
  /** When the levels were read: wall clock, ms since 1970 UTC, and monotonic, ms. */
  readonly time: number;
  readonly elapsed: number;
  readonly lp: number | null;
  readonly leq: number | null;
  readonly le: number | null;
  /** Whether a measurement runs, and is not paused. */
  readonly measuring: boolean;
  readonly flags: {
    readonly over: boolean;
    readonly under: boolean;
    readonly frozen: boolean;
    readonly implausible: boolean;
  };
}

/** Rows from one reading. */
interface ReadingRows {
  readonly seconds: readonly SecondRow[];
  readonly intervals: readonly IntervalRow[];
}

/** The meter refreshes the values of its display about once a second (captured): a reading may be that old. */
const REFRESH_S = 1;
/** Longest interval that the history takes. */
const LONGEST_S = 86_400;
/** A Leq of more than a quarter of an hour says little about its parts. */
const LONGEST_WAIT_MS = 900_000;
/** LE and Leq are shown in tenths: their difference may be wrong by this much, dB. */
const DIFFERENCE_DB = 0.1;

/**
 * `before`: the reading before this one, if it exists. The levels must be of one series: not across a change of
 * weighting.
 */
export function readingRows(reading: Reading, before: Reading | undefined): ReadingRows {
  const { time, lp, flags } = reading;
  const at = Math.floor(time / 1_000);
  const row: SecondRow | undefined = lp === null ? undefined : { at, steps: 0, leq: null, lp: [lp], flags };
  const interval = before && intervalOf(before, reading);
  return { seconds: row ? [row] : [], intervals: interval ? [interval] : [] };
}

/**
 * Whether a reading stays the beginning of the next Leq, although no Leq could be made so far. LE may be too coarse for
 * the time between two quick readings, or two late ones. It is exact enough for a longer time.
 */
export const isBeginning = (before: Reading, now: Reading): boolean =>
  before.le !== null && isOneMeasurement(before, now) && now.elapsed - before.elapsed < LONGEST_WAIT_MS;

/** Undefined if both may belong to different measurements, or if LE is not exact enough for the time between. */
function intervalOf(before: Reading, now: Reading): IntervalRow | undefined {
  if (before.le === null || now.le === null || !isOneMeasurement(before, now)) return undefined;
  const between = indices.leqBetween(
    { le: before.le, at: before.elapsed / 1_000 },
    { le: now.le, at: now.elapsed / 1_000 },
    REFRESH_S,
  );
  if (!between) return undefined;
  // By the monotonic clock, so that neighbouring intervals meet: the wall clock may have been set between them.
  const end = Math.round(now.time / 1_000);
  const at = Math.round((now.time - (now.elapsed - before.elapsed)) / 1_000);
  const duration = end - at;
  return duration > LONGEST_S ? undefined : { at, duration, leq: between.leq };
}

/**
 * LE - Leq is ten times the logarithm of the measured seconds (IEC 61672-1). The seconds must have grown by the time
 * between the two readings: less means a pause or a new start in between.
 */
function isOneMeasurement(before: Reading, now: Reading): boolean {
  if (!before.measuring || !now.measuring) return false;
  const [least] = measuredSeconds(before);
  const [, most] = measuredSeconds(now);
  return most - least >= (now.elapsed - before.elapsed) / 1_000 - REFRESH_S;
}

/** The fewest and the most measured seconds that the rounded levels allow. */
function measuredSeconds({ le, leq }: Reading): readonly [least: number, most: number] {
  const difference = (le ?? Number.NaN) - (leq ?? Number.NaN);
  return [10 ** ((difference - DIFFERENCE_DB) / 10), 10 ** ((difference + DIFFERENCE_DB) / 10)];
}
