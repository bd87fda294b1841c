/** Rows of the history without excluded time, each also with its values including that time. */
import { type History, type HistoryAnswer, type HistoryQuery, type HistoryRow, tables } from '../../lib/index.ts';
import type { ExcludedTime } from './contract.ts';
import { excludedSeconds } from './excluded.ts';

/** A row that may be partly excluded. */
export interface ExcludingRow extends HistoryRow {
  /** Its excluded seconds; absent: none. */
  readonly excludedS?: number;
  /** The Leq including the excluded time, dB; absent: its own Leq. */
  readonly leqAll?: number | null;
}

/** The column of excluded time in tables of rows that have this time in their levels. */
export const excludedColumn = (excluded: ExcludedTime): tables.MoreColumns => ({
  header: ['excluded_s'],
  cellsOf: (row) => [excludedSeconds(excluded, row)],
});

/** The columns in tables of rows without excluded time, after the usual ones. */
export const excludingColumns = (excluded: ExcludedTime): tables.MoreColumns<ExcludingRow> => ({
  header: ['excluded_s', 'leq_all'],
  cellsOf: (row) => [excludedSeconds(excluded, row), tables.decibels(row.leqAll === undefined ? row.leq : row.leqAll)],
});

/** Errors: as `History.query`. */
export async function queryExcluding(
  history: Pick<History, 'query'>,
  query: HistoryQuery,
  excluded: ExcludedTime,
  signal?: AbortSignal,
): Promise<HistoryAnswer & { readonly rows: AsyncIterable<readonly ExcludingRow[]> }> {
  const { ranges } = excluded;
  const answer = await history.query({ ...query, excluded: ranges, withExcluded: ranges.length > 0 }, signal);
  return { ...answer, rows: pagesOf(answer, excluded) };
}

async function* pagesOf({ rows }: HistoryAnswer, excluded: ExcludedTime): AsyncGenerator<readonly ExcludingRow[]> {
  for await (const page of rows)
    yield page.map(({ withExcluded, ...row }) =>
      withExcluded ? { ...row, excludedS: excludedSeconds(excluded, row), leqAll: withExcluded.leq } : row,
    );
}
