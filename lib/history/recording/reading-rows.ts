/**
 * Single readings of the display become rows. A reading is one instant: its Lp has no duration. But LE of a running
 * measurement only grows, so two readings of the same measurement give the Leq of all the time between them.
 */

import { leqBetween } from '../../domain/indices/index.ts';
import type { IntervalRow, SecondRow } from '../contract.ts';

/** One reading of the main channel. Levels in dB; null: the meter gave none. */
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

/** What one reading adds to the history. */
export interface ReadingRows {
  readonly seconds: readonly SecondRow[];
  readonly intervals: readonly IntervalRow[];
}

/** The meter refreshes the values of its display about once a second (captured): a reading may be that old. */
const REFRESH_S = 1;
/** The history takes no longer interval. */
const LONGEST_S = 86_400;
/** A Leq of more than a quarter of an hour says little of its parts. */
const LONGEST_WAIT_MS = 900_000;
/** LE and Leq are shown in tenths: their difference may be wrong by this much, dB. */
const DIFFERENCE_DB = 0.1;

/** `before`: the reading before this one, if there was one. Levels are taken as one series: not across a change of weighting. */
export function readingRows(reading: Reading, before: Reading | undefined): ReadingRows {
  const { time, lp, flags } = reading;
  const at = Math.floor(time / 1_000);
  const row: SecondRow | undefined = lp === null ? undefined : { at, steps: 0, leq: null, lp: [lp], flags };
  const interval = before && intervalOf(before, reading);
  return { seconds: row ? [row] : [], intervals: interval ? [interval] : [] };
}

/**
 * Whether a reading stays the beginning of the next Leq, although none could be made up to now: readings may follow each other so quickly, or so late in a
 * measurement, that LE says nothing of the time between two of them, but enough of a longer time.
 */
export const isBeginning = (before: Reading, now: Reading): boolean =>
  before.le !== null && isOneMeasurement(before, now) && now.elapsed - before.elapsed < LONGEST_WAIT_MS;

/** Undefined if it is not certain that both belong to one measurement, or if LE is not exact enough for the time between. */
function intervalOf(before: Reading, now: Reading): IntervalRow | undefined {
  if (before.le === null || now.le === null || !isOneMeasurement(before, now)) return undefined;
  const between = leqBetween(
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
 * LE - Leq is ten times the logarithm of the measured seconds (IEC 61672-1). They must have grown by the time between the two:
 * less is a pause or a new start that nobody saw.
 */
function isOneMeasurement(before: Reading, now: Reading): boolean {
  if (!before.measuring || !now.measuring) return false;
  const [least] = measuredSeconds(before);
  const [, most] = measuredSeconds(now);
  return most - least >= (now.elapsed - before.elapsed) / 1_000 - REFRESH_S;
}

/** The least and the most measured seconds that the rounded levels allow. */
function measuredSeconds({ le, leq }: Reading): readonly [least: number, most: number] {
  const difference = (le ?? Number.NaN) - (leq ?? Number.NaN);
  return [10 ** ((difference - DIFFERENCE_DB) / 10), 10 ** ((difference + DIFFERENCE_DB) / 10)];
}
