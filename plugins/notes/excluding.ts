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

/** Additional columns of a table of such rows, after the usual ones. */
export const EXCLUDING_COLUMNS: tables.MoreColumns<ExcludingRow> = Object.freeze({
  header: ['excluded_s', 'leq_all'],
  cellsOf: ({ excludedS = 0, leq, leqAll = leq }: ExcludingRow) => [excludedS, tables.decibels(leqAll)],
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
