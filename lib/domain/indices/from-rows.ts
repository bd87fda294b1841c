/** Indices of days from what the history answers: which ranges to ask for, and what their rows become. */
import type { HistoryRow, Range } from '../../history/contract.ts';
import { doubtfulSeconds } from '../flags.ts';
import { KEPT, levelsBy } from '../quantities.ts';
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

/** One range for each piece of each day, as far as it lies in the span; on full minutes. */
export const rangesOf = (days: readonly LocalDay[], span: Span): Range[] =>
  days.flatMap(({ pieces }) => pieces.flatMap((piece) => rangeOf(piece, span) ?? []));

function rangeOf(piece: Span, span: Span): Range | undefined {
  const from = minute(Math.max(piece.from, span.from));
  // The minute in which the span ends belongs to it.
  const to = piece.to <= span.to ? minute(piece.to) : minute(span.to + 59_999);
  return to > from ? { from, to } : undefined;
}

const minute = (ms: number): number => Math.floor(ms / 60_000) * 60;

/** One day after the other, as the rows come. `pages`: one row for each range, in their order, with level counts. */
export async function* dayIndices(
  days: readonly LocalDay[],
  span: Span,
  pages: AsyncIterable<readonly HistoryRow[]>,
  preset: Preset,
  minCoverage: number,
): AsyncGenerator<DayIndex> {
  const rows = oneByOne(pages);
  for (const day of days) {
    const pieces: SpanLevels[] = [];
    for (const piece of day.pieces) {
      const row = rangeOf(piece, span) && (await rows.next()).value;
      pieces.push(row ? levelsOf(row) : mergeLevels([]));
    }
    yield dayIndex(day, pieces, preset, minCoverage);
  }
}

async function* oneByOne<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, undefined> {
  for await (const page of pages) yield* page;
}

/** A row of the history as the levels of a span. Counts that do not cover all of its time are left out. */
export function levelsOf(row: HistoryRow): SpanLevels {
  const counts = new LevelCounts();
  for (const [tenths, count] of row.counts ?? []) counts.addClass(tenths, count);
  const isCounted = counts.total >= row.measured * SAMPLES * (1 - UNCOUNTED);
  return {
    seconds: row.measured,
    ...levelsBy(KEPT, (name) => row[name]),
    lmaxAt: row.lmaxAt === null ? null : row.lmaxAt * 1_000,
    counts: isCounted ? counts : null,
    readings: row.readings,
    flaggedS: doubtfulSeconds(row.flagged),
  };
}
