/** Card and stream of the same hour, compared. */
import t from 'tap';
import type { History, HistoryRow } from '../../lib/history/contract.ts';
import { reconcile } from '../../plugins/mirror/reconcile.ts';

const HOUR = 1_766_541_600;
const weighting = { frequency: 'A', time: 'F' } as const;

/** A history in which each source has a level by minute; null: nothing. */
const historyOf = (levels: Record<string, (minute: number) => number | null>, others: object[] = []) =>
  ({
    async query({ source, over }: { source: string; over: { from: number } }) {
      const rows = Array.from({ length: 60 }, (_, minute) => {
        const leq = levels[source]?.(minute) ?? null;
        return { from: over.from + minute * 60, leq, measured: leq === null ? 0 : 60 } as HistoryRow;
      });
      return { otherWeightings: others, rows: [rows] };
    },
  }) as unknown as History;

async function hourOf(history: History) {
  const span = { from: HOUR + 5, to: HOUR + 3_000, weighting };
  for await (const hour of reconcile(history, 'roof', span, new AbortController().signal)) return hour;
  return undefined;
}

t.test('an hour has its mean and largest difference, and what the card fills', async (t) => {
  const stream = (minute: number) => (minute < 40 ? 50 : null);
  const card = (minute: number) => (minute === 3 ? 48 : 50.5);
  t.match(await hourOf(historyOf({ stream, card })), {
    hour: HOUR,
    compared: 40,
    meanDifference: (39 * 0.5 - 2) / 40,
    largestDifference: 2,
    filled: 1_200,
    otherWeighting: null,
  });
});

t.test('without a minute of both there is no difference; a stream of another weighting is named', async (t) => {
  const others = [{ frequency: 'C', time: 'S' }];
  t.match(await hourOf(historyOf({ card: () => 50 }, others)), {
    compared: 0,
    meanDifference: null,
    filled: 3_600,
    otherWeighting: 'CS',
  });
});
