/** Indices of days from answers of the history: ranges of the query, and indices from its rows. */
import type { AskedRange, History, HistoryRow, Range, Weighting } from '../../history/contract.ts';
import { doubtfulSeconds } from '../flags.ts';
import { EXTREMES, KEPT, levelsBy } from '../quantities.ts';
import type { Span } from '../zone.ts';
import { type DayIndex, dayIndex } from './day-index.ts';
import { LevelCounts } from './level-counts.ts';
import type { LocalDay } from './local-days.ts';
import type { Preset } from './periods.ts';
import { mergeLevels, type SpanLevels } from './span-levels.ts';

/** Samples of Lp in a second of the stream. */
const SAMPLES = 10;
/** Samples may be missing for this share of the time. */
const UNCOUNTED = 0.01;

/** Unit, days, and the rules for the days. */
export interface AskedDays {
  readonly unitId: string;
  readonly days: readonly LocalDay[];
  /** Only data within this span counts, to full minutes. */
  readonly span: Span;
  readonly preset: Preset;
  readonly minCoverage: number;
  /** Default: the main channel. */
  readonly channel?: string | null | undefined;
  /** Default: the weighting with the most data. */
  readonly weighting?: Weighting | undefined;
  /** Time that does not count, as `Query.excluded`. */
  readonly excluded?: readonly Range[];
  /** Whether a day that loses time by `excluded` also has its values with that time. */
  readonly withExcluded?: boolean;
}

/** A day. It also has its values with excluded time, without percentiles, if requested and if the day has such time. */
export type AskedDay = DayIndex & { readonly withExcluded?: DayIndex };

/** One day after the other, as the rows arrive; `answer` has their weighting. Leaving the loop ends the work. */
export async function indexDays(history: Pick<History, 'query'>, asked: AskedDays, signal: AbortSignal) {
  const { unitId, days, span, channel, weighting: wanted, excluded = [], withExcluded = false } = asked;
  const pieces = days.flatMap((day) => day.pieces.flatMap((piece) => rangeOf(piece, span, piece.within) ?? []));
  const wholes = days.flatMap((day) => rangeOf(day, span, day) ?? []);
  const given = { excluded, withExcluded, ...(channel && { channel }), ...(wanted && { weighting: wanted }) };
  const answer = await history.query({ unitId, over: { ranges: pieces }, counts: true, ...given }, signal);
  const same = answer.weighting && { weighting: answer.weighting };
  // The day as a whole may have data although its periods have none: a row of 24 hours. If no row reaches over another,
  // the day is the sum of its periods.
  const whole = answer.mayHaveBounds
    ? await history.query({ unitId, over: { ranges: wholes }, ...given, ...same }, signal)
    : undefined;
  return { answer, days: dayIndices(asked, answer.rows, whole?.rows) };
}

/** A row of the history counts only if it lies in one period. */
function rangeOf(piece: Span, span: Span, within: Span): AskedRange | undefined {
  const from = minute(Math.max(piece.from, span.from));
  // The minute in which the span ends belongs to it.
  const to = piece.to <= span.to ? minute(piece.to) : minute(span.to + 59_999);
  const whole = { from: Math.min(from, minute(within.from)), to: Math.max(to, minute(within.to)) };
  return to > from ? { from, to, within: whole } : undefined;
}

const minute = (ms: number): number => Math.floor(ms / 60_000) * 60;

type Pages = AsyncIterable<readonly HistoryRow[]>;

async function* dayIndices(
  { days, span, preset, minCoverage }: AskedDays,
  pages: Pages,
  wholePages: Pages | undefined,
): AsyncGenerator<AskedDay, undefined> {
  const [rows, wholes] = [oneByOne(pages), wholePages && oneByOne(wholePages)];
  try {
    for (const day of days) {
      const pieces: (HistoryRow | undefined)[] = [];
      for (const piece of day.pieces) pieces.push(rangeOf(piece, span, piece.within) && (await rows.next()).value);
      const whole = wholes && rangeOf(day, span, day) && (await wholes.next()).value;
      const indexWith = (of: (row: HistoryRow) => HistoryRow) => {
        const levels = pieces.map((row) => (row ? spanLevelsOf(of(row)) : mergeLevels([])));
        return dayIndex(day, { pieces: levels, whole: whole && spanLevelsOf(of(whole)) }, preset, minCoverage);
      };
      const index = indexWith((row) => row);
      const isCut = [...pieces, whole].some((row) => row?.withExcluded);
      yield isCut ? { ...index, withExcluded: indexWith((row) => row.withExcluded ?? row) } : index;
    }
  } finally {
    await Promise.all([rows.return(undefined), wholes?.return(undefined)]);
  }
}

async function* oneByOne(pages: Pages): AsyncGenerator<HistoryRow, undefined> {
  for await (const page of pages) yield* page;
}

/** A row of the history as the levels of a span. Counts that do not cover all of its time are left out. */
export function spanLevelsOf(row: HistoryRow): SpanLevels {
  const counts = new LevelCounts();
  for (const [tenths, count] of row.counts ?? []) counts.addClass(tenths, count);
  const isCounted = counts.total >= row.measured * SAMPLES * (1 - UNCOUNTED);
  return {
    seconds: row.measured,
    ...levelsBy(KEPT, (name) => row[name]),
    bounds: levelsBy(EXTREMES, (name) => row.bounds[name]?.level ?? null),
    lmaxAt: row.lmaxAt === null ? null : row.lmaxAt * 1_000,
    counts: isCounted ? counts : null,
    readings: row.readings,
    flaggedS: doubtfulSeconds(row.flagged),
  };
}
