/** Rows, questions and comparisons for the contract suite of the history. */
import type { Test } from 'tap';
import type {
  Batch,
  History,
  HistoryRow,
  IntervalRow,
  Query,
  SecondRow,
  Weighting,
} from '../../../lib/history/contract.ts';
import { PlainHistory } from '../../support/plain-history.ts';

export interface Stage {
  readonly history: History;
  /** Lets so much time pass for the history, and what it does by itself be done. */
  advance(ms: number): Promise<void>;
  /** ms since 1970. */
  now(): number;
}

export const AF: Weighting = { frequency: 'A', time: 'F' };
export const CF: Weighting = { frequency: 'C', time: 'F' };
/** 2025-12-23 22:00 UTC, a full hour. */
export const HOUR = 1_766_527_200;

const tenth = (level: number) => Math.round(level * 10) / 10;

export const second = (at: number, leq: number, more: Partial<SecondRow> = {}): SecondRow => ({
  at,
  steps: 10,
  leq,
  lmax: tenth(leq + 1),
  lmin: tenth(leq - 1),
  lpeak: tenth(leq + 12),
  lieq: tenth(leq + 2),
  lp: Array.from({ length: more.steps ?? 10 }, (_, step) => tenth(leq + step / 10)),
  ...more,
});
export const reading = (at: number, lp: number): SecondRow => ({
  at,
  steps: 0,
  leq: null,
  lmax: null,
  lmin: null,
  lpeak: null,
  lp: [lp],
});
export const interval = (at: number, duration: number, leq: number, more: Partial<IntervalRow> = {}): IntervalRow => ({
  at,
  duration,
  leq,
  lmax: leq + 5,
  lmin: leq - 5,
  lpeak: null,
  ...more,
});
export const stream = (unitId: string, seconds: readonly SecondRow[], weighting = AF): Batch => ({
  unitId,
  source: 'stream',
  weighting,
  seconds,
});

export async function rowsOf(history: History, query: Query): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for await (const page of (await history.query(query)).rows) rows.push(...page);
  return rows;
}

/** Levels are kept to 0.01 dB: each mean may be off by that much. */
export function sameRows(t: Test, found: readonly HistoryRow[], wanted: readonly HistoryRow[]): void {
  const near = (a: number | null, b: number | null) => (a === null || b === null ? a === b : Math.abs(a - b) < 0.021);
  const level = (a: number | null, b: number | null) => (near(a, b) ? b : a);
  const rounded = (row: HistoryRow, like: HistoryRow | undefined): HistoryRow => ({
    ...row,
    leq: level(row.leq, like?.leq ?? null),
    lieq: level(row.lieq, like?.lieq ?? null),
    lp: level(row.lp, like?.lp ?? null),
    ln: row.ln.map((value, place) => level(value, like?.ln[place] ?? null)),
    ...(row.withExcluded && { withExcluded: rounded(row.withExcluded, like?.withExcluded) }),
  });
  t.strictSame(
    found.map((row, index) => rounded(row, wanted[index])),
    wanted,
  );
}

export const hours = (count: number, step: number, more: Partial<Query> = {}) => ({
  over: { from: HOUR, to: HOUR + count * 3_600, step },
  ...more,
});
/** The first five minutes, in steps. */
export const minutes = (step: number, more: Partial<Query> = {}) => ({
  over: { from: HOUR, to: HOUR + 300, step },
  ...more,
});
export const PERCENTILES = { percentiles: [1, 10, 50, 90, 99] };

/** The same question to a history and to the plain history. */
export async function both(
  t: Test,
  history: History,
  batches: readonly Batch[],
  queries: readonly Omit<Query, 'unitId'>[],
) {
  const plain = new PlainHistory(() => 0);
  for (const batch of batches) {
    history.append(batch);
    plain.append(batch);
  }
  await history.flush();
  const unitId = batches[0]?.unitId ?? '';
  for (const query of queries) {
    const [found, wanted] = [await history.query({ ...query, unitId }), await plain.query({ ...query, unitId })];
    const { rows: _rows, ...head } = found;
    const { rows: _wantedRows, ...wantedHead } = wanted;
    t.strictSame(head, wantedHead);
    sameRows(t, await rowsOf(history, { ...query, unitId }), await rowsOf(plain, { ...query, unitId }));
  }
}
