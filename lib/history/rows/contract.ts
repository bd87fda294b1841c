/** The rows that the history takes, and the times that it is asked about. Times are whole seconds since 1970 UTC, levels are dB. */
import type { Flags } from '../../domain/flags.ts';
import type { KeptQuantity } from '../../domain/quantities.ts';

/** Where a row comes from, the best first. */
export type Source = 'card' | 'stream' | 'import' | 'poll';

/** `A`, `C` or `Z` for frequency; `F` (fast), `S` (slow) or `I` (impulse) for time. */
export interface Weighting {
  readonly frequency: 'A' | 'C' | 'Z';
  readonly time: 'F' | 'S' | 'I';
}

/** Rows of one series may be merged; rows of different weightings or channels are not. */
export interface SeriesKey {
  readonly unitId: string;
  /** Channel of the meter, small letters (`channelNames`). Default: `main`. */
  readonly channel?: string;
  readonly source: Source;
  readonly weighting: Weighting;
}

/** The levels of a row that is handed in, dB. One that is null or absent is not known. */
type GivenLevels = { readonly [Name in Exclude<KeptQuantity, 'leq'>]?: number | null };

/**
 * One second, or one reading of a poll. A second of a series is written once: a second row for it is dropped and counted as a
 * duplicate, so sending the same rows again does no harm.
 */
export interface SecondRow extends GivenLevels {
  /** The full second at which it begins. */
  readonly at: number;
  /**
   * Steps of 100 ms that are present, 0 to 10. 0: readings, which have no duration. They have one `lp` or more, and may have a maximum and a
   * minimum, but no mean.
   */
  readonly steps: number;
  /** Energy mean of the steps present; null if and only if `steps` is 0. */
  readonly leq: number | null;
  /** Samples of Lp, evenly spread over the second, 10 at most: they become level counts, for percentiles. Kept to 0.1 dB. */
  readonly lp?: readonly number[];
  readonly flags?: Flags;
}

/** A mean over any time: a row of an import, of a card file with long intervals, or the Leq between two polled readings. */
export interface IntervalRow extends GivenLevels {
  readonly at: number;
  /** Seconds, 1 to 86,400. */
  readonly duration: number;
  readonly leq: number;
  /** Percentiles as they were given, by N: `{10: 57.1}`. Used only where a row of an answer is exactly this interval. */
  readonly ln?: Readonly<Record<number, number>>;
  /** Line of the file that it comes from. */
  readonly line?: number;
}

/** Ascending, not overlapping. On full minutes, or the edges of seconds that are no longer kept are not known. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The time of one row of an answer. */
export interface AskedRange extends Range {
  /**
   * Holds the range. An interval counts only if it lies within it, two seconds more or less; another is as if it were not there.
   * Default: each interval counts by its part in the range.
   */
  readonly within?: Range;
}

/** The time of levels that came after it: of a card file, of an import, or of any source more than an hour late. */
export interface LateSpan extends Required<Omit<SeriesKey, 'weighting'>>, Range {}

/** What `History.extent` looks at. */
export interface ExtentOptions {
  /** Seconds. */
  readonly gapSeconds?: number;
  /** All of the answer is of this channel. */
  readonly channel?: string;
}
