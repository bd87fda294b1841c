/**
 * The history of levels: what is kept of each meter, and how it is asked for. Knows no meter, no HTTP and no calendar.
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

/** Rows of one series; not of an import. An interval that overlaps one that the series already has is dropped and counted as a duplicate. */
export interface Batch extends SeriesKey {
  readonly source: Exclude<Source, 'import'>;
  readonly seconds?: readonly SecondRow[];
  readonly intervals?: readonly IntervalRow[];
}

/** What became of a batch. */
export interface Appended {
  readonly taken: number;
  /** Rows that were lost: the disk is full or fails, and no more rows may wait. */
  readonly lost: number;
}

/** `full`: the disk, the share of it that is kept free, or `history_max_mb`. `failing`: it cannot be written for another reason. */
export type RecordingState = 'recording' | 'full' | 'failing' | 'closed';

/** Whether rows are recorded now, and since when. */
export interface HistoryStatus {
  readonly state: RecordingState;
  /** Since when, ms since 1970 UTC. */
  readonly since: number;
  /** One sentence for an operator; null while recording. */
  readonly reason: string | null;
  /** Why finished hours stay on this computer and do not get into the database that gateways share; null where they do, or there is none. */
  readonly away: string | null;
  /** Rows that wait for the disk. */
  readonly waiting: number;
  /** Rows lost since the process started, and second rows and intervals dropped because their time was already there. */
  readonly lost: number;
  readonly duplicates: number;
  /** True while most of what comes is dropped for that reason: the clock of the computer was set back, or is wrong. */
  readonly drops: boolean;
  /** What SQLite said when a page of the file could not be read, until the next start; null: all that was asked for could be read. */
  readonly damage: string | null;
}

/** One sum, all the rows of it, or rows of one length: a row for each step or range, empty ones too, in order of time. */
export interface Query {
  readonly unitId: string;
  readonly over: Steps | { readonly ranges: readonly AskedRange[] };
  /** N of the percentiles that are wanted, 1 to 99. Each costs time. */
  readonly percentiles?: readonly number[];
  /** Whether each row has its level counts, for a caller that merges further. */
  readonly counts?: boolean;
  /** Only this source. Default: all, the best for each second or minute. */
  readonly source?: Source;
  /** Default: `main`. Null: the channel with the most hours of the weighting that is asked for; of equals the first by name. */
  readonly channel?: string | null;
  /** Default: the one with the most hours in the span, the newest of equals. */
  readonly weighting?: Weighting;
  /** The same, among those of this frequency weighting. */
  readonly frequency?: Weighting['frequency'];
  /** Whether `digest` of the answer is wanted. */
  readonly digest?: boolean;
  /**
   * Ascending, not overlapping. Time that counts as not measured. An interval that reaches into it is left out as a whole: nobody knows which
   * part of its energy is of which time. So is a minute, where its seconds are no longer kept (`Answer.cutMinutes`).
   */
  readonly excluded?: readonly Range[];
  /** Whether a row that loses time by `excluded` also says what it would be with it: `HistoryRow.withExcluded`. */
  readonly withExcluded?: boolean;
}

/** If `step` is a minute or longer, it is a number of full minutes, and all times are full minutes. */
export interface Steps {
  readonly from: number;
  readonly to: number;
  /** Seconds. The last row is shorter if `to` cuts it. */
  readonly step: number;
  /**
   * A row begins at each of these as well and cuts the one before it; the following ones are counted from it. For clocks that change by
   * a part of a step. Ascending, within the span.
   */
  readonly restarts?: readonly number[];
}

/** What the maximum of a row is at the most, the minimum at the least (dB), and the interval that it is of. */
export type Bound = Range & { readonly level: number };

/** By the maximum or minimum that cannot be placed; null for the others. */
export type Bounds = LevelsOf<ExtremeQuantity, Bound | null>;

/**
 * Levels in dB: means of energy over the measured time, maxima and minima, as `lib/domain/quantities.ts` says; null without data,
 * and a mean also where more than 1 % of the measured time does not have it.
 *
 * In each second (steps below a minute) or minute (all others) the values of one source count: the source with the most measured
 * time, and among equals the better source. An interval that reaches out of the row is only spread over it: a source that measured
 * at least 75 % as much there in place counts before it. Readings count only if nothing was measured.
 * Level counts have a choice of their own: the source with the most samples, and among equals the stream.
 */
export interface HistoryRow extends LevelsOf<KeptQuantity, number | null> {
  readonly from: number;
  readonly to: number;
  /**
   * Maxima and minima that cannot be placed: an interval that reaches out of the row has a higher maximum (a lower minimum) than
   * everything that lies in the row. Then the level itself is null. Null: it is certain, or there is none.
   */
  readonly bounds: Bounds;
  /** The second in which `lmax` was reached, or in which the interval began that has it. */
  readonly lmaxAt: number | null;
  /** Energy mean of the readings (see `readings`); null without any. */
  readonly lp: number | null;
  /**
   * In the order asked for. Null where more than 1 % of the measured time has no level counts (imports), unless the row is exactly
   * one interval that brought its own. Where levels and counts are of different sources, the counts need 75 % of the time of the
   * levels. Those of a second are of its ten samples.
   */
  readonly ln: readonly (number | null)[];
  /** Class in tenths of a dB, number of samples; from the lowest up. Only when asked for. */
  readonly counts?: readonly (readonly [tenths: number, count: number])[];
  /** Seconds with measured data, at most `to - from`. */
  readonly measured: number;
  /** Readings of polls in seconds or minutes in which nothing was measured. */
  readonly readings: number;
  /** Seconds with each flag; a reading counts as one. */
  readonly flagged: FlaggedSeconds;
  /** Those that contributed, the best first. */
  readonly sources: readonly Source[];
  /** The longest interval that contributed, seconds: 1 for seconds and readings, 0 without data. */
  readonly resolution: number;
  /** The row with its excluded time, without percentiles and level counts; only if it was asked for and the row has such time. */
  readonly withExcluded?: HistoryRow;
}

/** What an answer says before its rows. */
export interface AnswerHead {
  /** The channel of all rows; null where any would do, and none has the weighting. */
  readonly channel: string | null;
  /** Null when the channel has nothing in the span. */
  readonly weighting: Weighting | null;
  /** Other weightings of the channel that have data in the span and are left out. */
  readonly otherWeightings: readonly Weighting[];
  /** Seconds; as asked for, or 60 where the seconds of the span are no longer kept. Then the span is widened to full minutes. Null for ranges. */
  readonly step: number | null;
  /** Whether an interval with a maximum or minimum may reach out of a row: then rows may have `bounds`. */
  readonly mayHaveBounds: boolean;
  /** If it was asked for: a short text that changes whenever the rows do, made without reading them: with any hour that the span touches. */
  readonly digest: string | null;
  /** Whether whole minutes are left out at the edges of `excluded`, because their seconds are no longer kept. */
  readonly cutMinutes: boolean;
}

/** The head of an answer, and its rows by pages. */
export interface Answer extends AnswerHead {
  /** Pages of rows. Ask for it once; leaving the loop ends the work. */
  readonly rows: AsyncIterable<readonly HistoryRow[]>;
}

/** What there is of one series; times in seconds since 1970 UTC. */
export interface SeriesExtent extends Required<Omit<SeriesKey, 'unitId'>> {
  readonly first: number;
  /** End of the last row. */
  readonly last: number;
  /** Seconds with measured data. */
  readonly measured: number;
  readonly readings: number;
  readonly bytes: number;
}

/** What there is of a unit; times in seconds since 1970 UTC. */
export interface Extent {
  readonly first: number | null;
  readonly last: number | null;
  /** All imports of one weighting count as one series. */
  readonly series: readonly SeriesExtent[];
  /** Spans within `[first, last)` without a row of any source that are longer than asked for, newest first, at most 1,000. */
  readonly gaps: readonly Range[];
  /** All of them. */
  readonly gapCount: number;
  readonly bytes: number;
  /** From here on single seconds are kept; null: none are. */
  readonly secondsFrom: number | null;
}

/** What an import belongs to. */
export type Import = Omit<SeriesKey, 'source'>;
/** What an import has brought; times in seconds since 1970 UTC. */
export interface Imported {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** How long rows are kept, days. */
export interface Retention {
  /** Rows of less than a minute that are older than this many days are removed; 0 keeps all. Age is counted from the newest rows (docs/operating.md). */
  readonly secondsDays: number;
  /** Everything older than this many days is removed; 0 keeps all. */
  readonly minutesDays: number;
}

/** Of seconds that are recorded already. */
export type Doubt = SeriesKey & Range & { readonly flag: Flag };

/** Which weighting a channel of a meter had in a span. */
export type StatedWeighting = Range & Omit<SeriesKey, 'source'>;

/** What became of the rows of the span. */
export interface Restated {
  /** Seconds, readings and means between readings that were stored with another weighting and have this one now. */
  readonly moved: number;
  /** Seconds and readings that had it already, and were doubtful until now. */
  readonly confirmed: number;
  /** Hours that stay as they are, because single seconds are no longer kept. */
  readonly left: number;
}

/** The tables of the history. */
export type StoredKind = 'seconds' | 'minutes' | 'intervals';

/** Rows that begin in `[from, to)`. */
export interface StoredSpan extends Range {
  readonly unitId: string;
  readonly kind: StoredKind;
}

/** What is stored, row by row, for those who seal it or hand it over. */
export interface StoredRows {
  /**
   * Lines of CSV in pages, in order of their hours: rows of all sources as they are stored, with flags and level counts. The columns are
   * `STORED_COLUMNS`; the source of another channel than `main` is `stream/sub1`. The work is done off the main thread.
   */
  lines(span: StoredSpan, signal?: AbortSignal): AsyncIterable<readonly string[]>;
}

/** The levels of all units. */
export interface History {
  /**
   * Takes rows without waiting for anything. They can be queried and are safe from a crash of the process about a second later.
   * Throws GatewayError INVALID for an impossible row (a level beyond +-300 dB, 11 steps ...); then nothing of the batch is taken.
   */
  append(batch: Batch): Appended;
  /**
   * Resolves when everything appended so far can be queried and is on the disk. To write much: append an hour of seconds,
   * flush, go on. Rejects with the reason while the disk is full or fails.
   */
  flush(signal?: AbortSignal): Promise<void>;
  /**
   * The work is done off the main thread, page by page as the rows are taken. `signal` ends it, and so does leaving the loop.
   * Rejects with GatewayError INVALID for an impossible span or step, or one that would give more than 5,000,000 rows.
   */
  query(query: Query, signal?: AbortSignal): Promise<Answer>;
  /** `gapSeconds`: the longest pause that is no gap, 60 or more. Default 60; of polled units rather twice the interval. Default: of all channels. */
  extent(unitId: string, options?: ExtentOptions, signal?: AbortSignal): Promise<Extent>;
  /** Raises a flag at the seconds and readings of a series in a span; not where only minutes are kept, nor at intervals. Resolves with their number. */
  doubt(doubt: Doubt, signal?: AbortSignal): Promise<number>;
  /**
   * Gives the seconds and readings of the span this weighting, whichever they were stored with, and takes the flag `weighting` from them. Rows
   * of cards and imports stay. A second that has rows of both (the change lay in it) keeps those that have it already.
   */
  restate(stated: StatedWeighting, signal?: AbortSignal): Promise<Restated>;
  /**
   * Removes the rows of the unit in the span, of all channels and sources; an interval that reaches into the span is removed as a whole. Both ends are
   * full minutes. Resolves with the seconds of measured time that were removed.
   */
  remove(unitId: string, from: number, to: number, signal?: AbortSignal): Promise<number>;
  /**
   * Writes rows of source `import`, all or nothing: nobody sees one before all are on the disk, and a crash meanwhile leaves none.
   * The rows come in any order. Rejects with GatewayError INVALID, with `errors` that name the lines (`path` is `/line/12`), when two
   * of them overlap or one overlaps an earlier import of the same weighting.
   */
  import(target: Import, rows: AsyncIterable<readonly IntervalRow[]>, signal?: AbortSignal): Promise<Imported>;
  /** Applies from now on. What is too old is removed in small steps. */
  retain(retention: Retention): void;
  /** Units that have history. */
  units(signal?: AbortSignal): Promise<readonly string[]>;
  /** Size of the store on the disk, and the part of it that is free for new rows. */
  bytes(signal?: AbortSignal): Promise<{ readonly total: number; readonly free: number }>;
  readonly status: HistoryStatus;
  /** Calls after each change of `status.state`. A listener that throws is logged. The disposer ends it. */
  onState(listener: (status: HistoryStatus) => void): () => void;
  /** Writes what waits, ends queries and closes. May be called twice. */
  close(): Promise<void>;
}
