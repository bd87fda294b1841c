/** Rows that the history takes, and times of queries. Times are whole seconds since 1970 UTC, levels are dB. */
import type { Flags } from '../../domain/flags.ts';
import type { KeptQuantity } from '../../domain/quantities.ts';

/** Origin of a row, the best first. */
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

/** The levels of a given row, dB. A null or absent level is unknown. */
type GivenLevels = { readonly [Name in Exclude<KeptQuantity, 'leq'>]?: number | null };

/** One second, or one reading of a poll. Another row for the second is dropped and counted as a duplicate. */
export interface SecondRow extends GivenLevels {
  readonly at: number;
  /** 100 ms steps with data, 0 to 10. 0: readings; they have one `lp` or more, and no mean. */
  readonly steps: number;
  /** Energy mean of these steps; null if and only if `steps` is 0. */
  readonly leq: number | null;
  /** Samples of Lp, evenly spread over the second, at most 10, for percentiles. Stored to 0.1 dB. */
  readonly lp?: readonly number[];
  readonly flags?: Flags;
}

/** A mean over any time: a row of an import, of a card file with long intervals, or the Leq between two polled readings. */
export interface IntervalRow extends GivenLevels {
  readonly at: number;
  /** Seconds, 1 to 86,400. */
  readonly duration: number;
  readonly leq: number;
  /** Percentiles of the source, by N: `{10: 57.1}`. Used only if a row of an answer is exactly this interval. */
  readonly ln?: Readonly<Record<number, number>>;
  readonly line?: number;
}

/** Ascending, without overlaps. On full minutes, where seconds are no longer kept. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The time of one row of an answer. */
export interface AskedRange extends Range {
  /**
   * Only intervals within this longer span count (two seconds of tolerance). Default: each by its part in the range.
   */
  readonly within?: Range;
}

/** The span of late levels: of a card file, of an import, or of any source more than an hour late. */
export interface LateSpan extends Required<Omit<SeriesKey, 'weighting'>>, Range {}

/** Options of `History.extent`. */
export interface ExtentOptions {
  readonly gapSeconds?: number;
  /** Limits the whole answer to this channel. */
  readonly channel?: string;
}
