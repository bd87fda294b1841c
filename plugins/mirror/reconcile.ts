/** Compares levels of the card with live levels, hour by hour. */
import type { History, HistoryRow, Weighting } from '../../lib/index.ts';

/** One hour: the difference of card and stream, dB. */
export interface Reconciled {
  /** Seconds since 1970 at which the hour begins. */
  readonly hour: number;
  /** Minutes that are complete in both. */
  readonly compared: number;
  /** Card minus live, dB: mean of the compared minutes, and the largest absolute difference. Null without compared minutes. */
  readonly meanDifference: number | null;
  readonly largestDifference: number | null;
  /** Whole seconds that only the card has. */
  readonly filled: number;
  /** The weighting of the live levels, if it differs from the card's. */
  readonly otherWeighting: string | null;
}

const HOUR = 3_600;
const MINUTE = 60;
/** Seconds that a complete minute needs. */
const WHOLE = 58;

/** Hours with minutes of both. */
export async function* reconcile(
  history: History,
  unitId: string,
  { from, to, weighting }: { readonly from: number; readonly to: number; readonly weighting: Weighting },
  signal: AbortSignal,
): AsyncGenerator<Reconciled> {
  for (let hour = Math.floor(from / HOUR) * HOUR; hour < to; hour += HOUR) {
    const over = { from: hour, to: hour + HOUR, step: MINUTE };
    const ask = async (source: 'card' | 'stream') => {
      const answer = await history.query({ unitId, over, source, weighting }, signal);
      const rows: HistoryRow[] = [];
      for await (const page of answer.rows) rows.push(...page);
      return { rows, others: answer.otherWeightings };
    };
    const card = await ask('card');
    const live = await ask('stream');
    const seen = live.rows.some(({ measured }) => measured > 0);
    const [other] = live.others;
    yield {
      hour,
      ...compared(card.rows, live.rows),
      otherWeighting: !seen && other ? other.frequency + other.time : null,
    };
  }
}

function compared(card: readonly HistoryRow[], live: readonly HistoryRow[]) {
  const byMinute = new Map(live.map((row) => [row.from, row]));
  const differences: number[] = [];
  let filled = 0;
  for (const row of card) {
    const other = byMinute.get(row.from);
    filled += Math.max(0, row.measured - (other?.measured ?? 0));
    if (row.leq === null || !other || other.leq === null) continue;
    if (row.measured >= WHOLE && other.measured >= WHOLE) differences.push(row.leq - other.leq);
  }
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return {
    compared: differences.length,
    meanDifference: differences.length > 0 ? mean : null,
    largestDifference: differences.length > 0 ? Math.max(...differences.map(Math.abs)) : null,
    filled: Math.round(filled),
  };
}
