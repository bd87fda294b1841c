/** The inside of the thread of the history: its work goes on one step at a time, as a test says. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Batch, HistoryRow, Query } from '../../../lib/history/contract.ts';
import { openShared } from '../../../lib/history/postgres/index.ts';
import { HistoryCalls } from '../../../lib/history/sqlite/history-calls.ts';
import { prepareFile } from '../../../lib/history/sqlite/prepare.ts';
import { storedInterval } from '../../../lib/history/stored/columns.ts';
import { rowAt } from '../../../lib/history/stored/row-numbers.ts';
import { finished, type Work } from '../../../lib/history/stored/work.ts';
import { PackedRows } from '../../../lib/history/write-queue.ts';

const FOR_EVER = { secondsDays: 0, minutesDays: 0 };

/** Work that goes on when a test says so. */
export class Stepped<T> {
  readonly #work: Work<T>;
  #ended: { readonly value: T } | undefined;
  /** Number of finished steps. */
  steps = 0;

  constructor(work: Work<T>) {
    this.#work = work;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** So many steps. The result that a step waits for is there then, but the work has not gone on. */
  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps && !this.#ended; step++) {
      const { done, value } = this.#work.next();
      if (done) this.#ended = { value };
      else await value;
      this.steps += 1;
    }
  }

  /** All that is left. */
  async value(): Promise<T> {
    await this.run(Number.POSITIVE_INFINITY);
    if (!this.#ended) throw new Error('the work has not ended');
    return this.#ended.value;
  }
}

/** `database`: undefined for a file alone. Nothing was asked yet. */
export async function openCalls(t: Test, path: string, database?: string): Promise<HistoryCalls> {
  const file = await prepareFile(path);
  await file.makeTables();
  const calls = new HistoryCalls({ path, maxBytes: 0, minFreeBytes: 0, database }, database ? openShared : undefined);
  t.teardown(async () => {
    await finished(calls.close());
    file.release();
  });
  return calls;
}

/** A history that records into a database and has taken over from nobody. */
export async function openBeside(t: Test, folder: string, database: string): Promise<HistoryCalls> {
  const calls = await openCalls(t, join(folder, 'history.db'), database);
  await finished(calls.ready());
  await finished(calls.takeOver());
  return calls;
}

/** As the main thread hands them over. */
export function write(calls: HistoryCalls, batches: readonly Batch[]): void {
  for (const { seconds = [], intervals = [], ...key } of batches) {
    const rows = new PackedRows();
    for (const row of seconds) rows.add(0, row);
    const own = intervals.map((row) => ({ series: 0, row: storedInterval(row) }));
    calls.write({ batch: { series: [key], rows: rows.bytes, intervals: own }, sync: false });
  }
}

/** Regular work at a time, s since 1970. */
export const tick = (calls: HistoryCalls, now: number) => calls.tick({ now, retention: FOR_EVER });

/** The whole answer of a question. */
export function* answered(calls: HistoryCalls, query: Query) {
  const { cursor, head } = yield* calls.query(query);
  const rows: HistoryRow[] = [];
  for (;;) {
    const page = yield* calls.next(cursor);
    if (!page) return { head, rows };
    for (let index = 0; index < page.rows; index++)
      rows.push(rowAt(page.numbers, index, query.percentiles?.length ?? 0, page.counts?.[index]));
  }
}
