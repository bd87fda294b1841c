/**
 * The history of levels: the stored data of each meter, and queries. It knows nothing of meters, HTTP and calendars.
 *
 *   append  one second at a time  ->  seconds, minutes with level counts, hours   (made off the main thread)
 *   query   any ranges            ->  rows: energy means over the time with data, counts added, with coverage
 *
 * Times are whole seconds since 1970 UTC. A span is `[from, to)`: `from` belongs to it, `to` does not. Levels are dB. They are
 * stored to 0.01 dB, means in answers are given to 0.000001 dB; level counts are stored in classes of 0.1 dB. Missing data is not filled in.
 */

import type { Flag, FlaggedSeconds } from '../domain/flags.ts';
import type { ExtremeQuantity, KeptQuantity, LevelsOf } from '../domain/quantities.ts';
import type {
  AskedRange,
  ExtentOptions,
  IntervalRow,
  Range,
  SecondRow,
  SeriesKey,
  Source,
  Weighting,
} from './rows/contract.ts';

export type { Flags } from '../domain/flags.ts';
export type * from './rows/contract.ts';

/** Not of an import. An interval that overlaps another of its series is dropped and counted as a duplicate. */
export interface Batch extends SeriesKey {
  readonly source: Exclude<Source, 'import'>;
  readonly seconds?: readonly SecondRow[];
  readonly intervals?: readonly IntervalRow[];
}

/** Result of `append`. */
export interface Appended {
  readonly taken: number;
  /** Lost rows: the disk is full or fails, and no more rows may wait. */
  readonly lost: number;
}

/** `full`: the disk is full (a share is kept free), or `history_max_mb` is reached. `failing`: another write error. */
export type RecordingState = 'recording' | 'full' | 'failing' | 'closed';

/** Whether rows are recorded now, and since when. */
export interface HistoryStatus {
  readonly state: RecordingState;
  /** Since when, ms since 1970 UTC. */
  readonly since: number;
  /** One sentence for an operator; null while recording. */
  readonly reason: string | null;
  /** Why finished hours stay here instead of in the shared database; null: they go there, or no such database is set. */
  readonly away: string | null;
  readonly waiting: number;
  /** Since the process started: lost rows, and rows whose time already had data. */
  readonly lost: number;
  readonly duplicates: number;
  /** True while most new rows are dropped for that reason: the clock of the computer was set back, or is wrong. */
  readonly drops: boolean;
  /** The error of SQLite for an unreadable page, until the next start; null: every page could be read. */
  readonly damage: string | null;
}

/** One sum, all its rows, or rows of one length: a row for each step or range, empty rows too, in order of time. */
export interface Query {
  readonly unitId: string;
  readonly over: Steps | { readonly ranges: readonly AskedRange[] };
  /** N of the wanted percentiles, 1 to 99. Each costs time. */
  readonly percentiles?: readonly number[];
  /** Whether each row has its level counts, for a caller that merges rows. */
  readonly counts?: boolean;
  /** Only this source. Default: all sources, the best for each second or minute. */
  readonly source?: Source;
  /** Default: `main`. Null: the channel with the most hours of the weighting; with equal hours the first by name. */
  readonly channel?: string | null;
  /** Default: the weighting with the most hours in the span; with equal hours the newest. */
  readonly weighting?: Weighting;
  /** As `weighting`, but only among weightings of this frequency weighting. */
  readonly frequency?: Weighting['frequency'];
  readonly digest?: boolean;
  /**
   * Time that counts as not measured. Ascending, without overlaps. An interval that reaches into it is left out: how
   * its energy is spread is unknown. So is a minute whose seconds are no longer kept (`Answer.cutMinutes`).
   */
  readonly excluded?: readonly Range[];
  /** Whether a row that loses time by `excluded` also has its values with that time: `HistoryRow.withExcluded`. */
  readonly withExcluded?: boolean;
}

/** A `step` of a minute or longer must be a number of full minutes. All times are then full minutes. */
export interface Steps {
  readonly from: number;
  readonly to: number;
  /** Seconds. The last row is shorter if `to` cuts it. */
  readonly step: number;
  /** A row begins at each of these times; later rows are counted from there. Ascending, within the span. */
  readonly restarts?: readonly number[];
}

/** Upper limit of the maximum of a row, or lower limit of the minimum (dB), with its interval. */
export type Bound = Range & { readonly level: number };

/** By quantity whose maximum or minimum is uncertain; null for the others. */
export type Bounds = LevelsOf<ExtremeQuantity, Bound | null>;

/**
 * Levels in dB: means of energy over the measured time, maxima and minima, by the rules of `lib/domain/quantities.ts`.
 * Null without data. A mean is also null if more than 1 % of the measured time does not have the level.
 *
 * In each second (steps below a minute) or minute (all others) the values of one source count: the source with the most
 * measured time. With equal time the better source counts. The energy of an interval that reaches out of the row is
 * only spread over the row: a source with at least 75 % of its time inside the row counts before it. So do seconds of a
 * better source before an interval inside the row. Readings count only if nothing was measured. Level counts are chosen
 * separately: the source with the most samples, and with equal samples the stream.
 */
export interface HistoryRow extends LevelsOf<KeptQuantity, number | null> {
  readonly from: number;
  readonly to: number;
  /** An interval that reaches out of the row exceeds all data inside the row. The level itself is then null. */
  readonly bounds: Bounds;
  /** The second in which `lmax` was reached, or the beginning of the interval with that level. */
  readonly lmaxAt: number | null;
  readonly lp: number | null;
  /**
   * In the order of the query. Null if more than 1 % of the measured time has no level counts (imports). Exception: the
   * row is exactly one interval with its own percentiles. If levels and counts come from different sources, the counts
   * need 75 % of the time of the levels. The percentiles of a second come from its ten samples.
   */
  readonly ln: readonly (number | null)[];
  /** Class in tenths of a dB, number of samples; in ascending order. Only if requested. */
  readonly counts?: readonly (readonly [tenths: number, count: number])[];
  readonly measured: number;
  /** Readings of polls in seconds or minutes without measured data. */
  readonly readings: number;
  /** Seconds with each flag; a reading counts as one second. */
  readonly flagged: FlaggedSeconds;
  readonly sources: readonly Source[];
  /** The longest interval in the row, seconds: 1 for seconds and readings, 0 without data. */
  readonly resolution: number;
  /** Only if requested and if the row has excluded time. Without percentiles and level counts. */
  readonly withExcluded?: HistoryRow;
}

/** The part of an answer before its rows. */
export interface AnswerHead {
  /** The channel of all rows; null if any channel was allowed and none has the weighting. */
  readonly channel: string | null;
  /** Null when the channel has no data in the span. */
  readonly weighting: Weighting | null;
  /** Other weightings of the channel with data in the span that are left out. */
  readonly otherWeightings: readonly Weighting[];
  /** Seconds; 60 if the seconds of the span are no longer kept: the span is then widened. Null for ranges. */
  readonly step: number | null;
  /** Whether an interval with a maximum or minimum may reach out of a row: rows may then have `bounds`. */
  readonly mayHaveBounds: boolean;
  /** Changes when the rows change, and with any hour that the span touches; only if requested. */
  readonly digest: string | null;
  /** Whether whole minutes are left out at the edges of `excluded`, because their seconds are no longer kept. */
  readonly cutMinutes: boolean;
}

/** The head of an answer, and its rows by pages. */
export interface Answer extends AnswerHead {
  /** Pages of rows. Iterate only once; leaving the loop ends the work. */
  readonly rows: AsyncIterable<readonly HistoryRow[]>;
}

/** Extent of one series; times in seconds since 1970 UTC. */
export interface SeriesExtent extends Required<Omit<SeriesKey, 'unitId'>> {
  readonly first: number;
  readonly last: number;
  readonly measured: number;
  readonly readings: number;
  readonly bytes: number;
}

/** Extent of the data of a unit; times in seconds since 1970 UTC. */
export interface Extent {
  readonly first: number | null;
  readonly last: number | null;
  /** All imports of one weighting count as one series. */
  readonly series: readonly SeriesExtent[];
  /** Spans within `[first, last)` without a row, longer than `gapSeconds`, newest first, at most 1,000. */
  readonly gaps: readonly Range[];
  readonly gapCount: number;
  readonly bytes: number;
  /** Single seconds are kept from here on; null: no seconds are kept. */
  readonly secondsFrom: number | null;
}

/** Series of an import. */
export type Import = Omit<SeriesKey, 'source'>;
/** Result of an import; times in seconds since 1970 UTC. */
export interface Imported {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** How long rows are kept, days. */
export interface Retention {
  /** Rows shorter than a minute are removed after this time; 0 keeps all. Age is counted from the newest rows. */
  readonly secondsDays: number;
  /** All rows older than this many days are removed; 0 keeps all. */
  readonly minutesDays: number;
}

/** A flag for seconds that are recorded already. */
export type Doubt = SeriesKey & Range & { readonly flag: Flag };

/** The weighting that a channel of a meter had in a span. */
export type StatedWeighting = Range & Omit<SeriesKey, 'source'>;

/** Result of `restate` for the rows of the span. */
export interface Restated {
  /** Seconds, readings and means between readings that were stored with another weighting. */
  readonly moved: number;
  /** Seconds and readings that already had the stated weighting but were doubtful. */
  readonly confirmed: number;
  /** Hours that stay unchanged, because single seconds are no longer kept. */
  readonly left: number;
}

/** The tables of the history. */
export type StoredKind = 'seconds' | 'minutes' | 'intervals';

/** Rows that begin in `[from, to)`. */
export interface StoredSpan extends Range {
  readonly unitId: string;
  readonly kind: StoredKind;
}

/** Stored data row by row, to seal it or to export it. */
export interface StoredRows {
  /**
   * Lines of CSV in pages, in order of their hours: rows of all sources as they are stored, with flags and level
   * counts. The columns are `STORED_COLUMNS`; the source of a channel other than `main` is written `stream/sub1`. Runs
   * off the main thread.
   */
  lines(span: StoredSpan, signal?: AbortSignal): AsyncIterable<readonly string[]>;
}

/** The levels of all units. */
export interface History {
  /**
   * Takes rows and returns at once. About a second later the rows can be queried and survive a crash of the process.
   * Throws GatewayError INVALID for an impossible row (a level beyond +-300 dB, 11 steps ...); then no row of the batch
   * is taken.
   */
  append(batch: Batch): Appended;
  /**
   * Resolves when all appended rows can be queried and are on the disk. For large writes: append an hour of seconds,
   * flush, go on. Rejects with the reason while the disk is full or fails.
   */
  flush(signal?: AbortSignal): Promise<void>;
  /**
   * Runs off the main thread, page by page as the rows are taken. `signal` ends the work, and so does leaving the loop.
   * Rejects with GatewayError INVALID for an impossible span or step, or if the answer would have more than 5,000,000
   * rows.
   */
  query(query: Query, signal?: AbortSignal): Promise<Answer>;
  /** `gapSeconds`: the longest pause that is not a gap, 60 or more; default 60. `channel`: default all channels. */
  extent(unitId: string, options?: ExtentOptions, signal?: AbortSignal): Promise<Extent>;
  /** Intervals, and minutes without seconds, do not get the flag. Resolves with the number of flagged rows. */
  doubt(doubt: Doubt, signal?: AbortSignal): Promise<number>;
  /**
   * Gives all seconds and readings of the span this weighting, and removes the flag `weighting` from them. Rows of
   * cards and imports stay. A second with rows of both weightings (the change was within it) keeps the rows with the
   * stated weighting.
   */
  restate(stated: StatedWeighting, signal?: AbortSignal): Promise<Restated>;
  /**
   * Removes the rows of the unit in the span, of all channels and sources. An interval that reaches into the span is
   * removed completely. Both ends are full minutes. Resolves with the removed measured time, seconds.
   */
  remove(unitId: string, from: number, to: number, signal?: AbortSignal): Promise<number>;
  /**
   * Writes rows of source `import`, all or nothing: no row is visible before all rows are on the disk, and a crash
   * meanwhile leaves none. The rows may come in any order. Rejects with GatewayError INVALID if two rows overlap, or if
   * a row overlaps an earlier import of the same weighting. `errors` then name the lines (`path` is `/line/12`).
   */
  import(target: Import, rows: AsyncIterable<readonly IntervalRow[]>, signal?: AbortSignal): Promise<Imported>;
  /** Applies from now on. Old rows are removed in small steps. */
  retain(retention: Retention): void;
  /** Units with history. */
  units(signal?: AbortSignal): Promise<readonly string[]>;
  /** Size of the store on the disk, and its free part for new rows. */
  bytes(signal?: AbortSignal): Promise<{ readonly total: number; readonly free: number }>;
  readonly status: HistoryStatus;
  /** Called after each change of `status.state`. A listener that throws is logged. Returns the disposer. */
  onState(listener: (status: HistoryStatus) => void): () => void;
  /** Writes the waiting rows, ends queries and closes. May be called twice. */
  close(): Promise<void>;
}
