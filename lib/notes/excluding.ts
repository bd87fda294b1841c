/** Rows of the history without excluded time, each with what it would be with it. */
import { decibels, type MoreColumns } from '../domain/tables/index.ts';
import type { Answer, History, HistoryRow, Query } from '../history/contract.ts';
import type { ExcludedTime } from './contract.ts';
import { excludedSeconds } from './excluded.ts';

/** A row of which a part may be excluded. */
export interface ExcludingRow extends HistoryRow {
  /** Seconds of it that are excluded; absent: none. */
  readonly excludedS?: number;
  /** The Leq with the excluded time, dB; absent: its own. */
  readonly leqAll?: number | null;
}

/** Columns of a table of such rows, behind the usual ones. */
export const EXCLUDING_COLUMNS: MoreColumns<ExcludingRow> = Object.freeze({
  header: ['excluded_s', 'leq_all'],
  cellsOf: ({ excludedS = 0, leq, leqAll = leq }: ExcludingRow) => [excludedS, decibels(leqAll)],
});

/** Errors: as `History.query`. */
export async function queryExcluding(
  history: Pick<History, 'query'>,
  query: Query,
  excluded: ExcludedTime,
  signal?: AbortSignal,
): Promise<Answer & { readonly rows: AsyncIterable<readonly ExcludingRow[]> }> {
  const answer = await history.query({ ...query, excluded: excluded.ranges }, signal);
  const { unitId, source } = query;
  const { channel } = answer;
  const same = { channel, ...(source && { source }), ...(answer.weighting && { weighting: answer.weighting }) };
  async function* pages(): AsyncGenerator<readonly ExcludingRow[]> {
    for await (const page of answer.rows) {
      const ranges = page.filter((row) => excludedSeconds(excluded, row) > 0).map(({ from, to }) => ({ from, to }));
      if (ranges.length === 0) {
        yield page;
        continue;
      }
      const whole = await rowsOf(await history.query({ unitId, over: { ranges }, ...same }, signal));
      yield page.map((row) => {
        const excludedS = excludedSeconds(excluded, row);
        return excludedS === 0 ? row : { ...row, excludedS, leqAll: whole.shift()?.leq ?? null };
      });
    }
  }
  return { ...answer, rows: pages() };
}

async function rowsOf({ rows }: Answer): Promise<HistoryRow[]> {
  const found: HistoryRow[] = [];
  for await (const page of rows) found.push(...page);
  return found;
}
