/** The rows of an answer, page by page as they are taken. */
import type { HistoryRow } from '../contract.ts';
import type { RowPage } from './query.ts';
import { isNone, rowAt } from './row-numbers.ts';

/** `next`: null after the last page. `leave`: the rest is not wanted. */
export async function* rowPages(
  next: () => Promise<RowPage | null>,
  leave: () => void,
  percentiles: number,
): AsyncGenerator<readonly HistoryRow[]> {
  let isOpen = true;
  try {
    for (;;) {
      const page = await next();
      if (!page) break;
      yield Array.from({ length: page.rows }, (_, index) => {
        const row = rowAt(page.numbers, index, percentiles, page.counts?.[index]);
        const { whole } = page;
        return whole && !isNone(whole, index) ? { ...row, withExcluded: rowAt(whole, index, 0, undefined) } : row;
      });
    }
    isOpen = false;
  } finally {
    if (isOpen) leave();
  }
}
