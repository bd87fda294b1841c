/** Card and stream of the same hour, compared. */
import { Readable } from 'node:stream';
import t from 'tap';
import type { History, HistoryRow, Query, Weighting } from '../../lib/history/contract.ts';
import { reconcile } from '../../plugins/mirror/parsing.ts';
import { standIn } from '../support/stand-in.ts';

const HOUR = 1_766_541_600;
const weighting = { frequency: 'A', time: 'F' } as const;

/** A history in which each source has a level by minute; null: nothing. */
const historyOf = (levels: Record<string, (minute: number) => number | null>, others: Weighting[] = []) =>
  standIn<History>({
    async query({ source = 'card', over }: Query) {
      if (!('from' in over)) throw new Error('asked for ranges');
      const rows = Array.from({ length: 60 }, (_, minute) => {
        const leq = levels[source]?.(minute) ?? null;
        return { from: over.from + minute * 60, leq, measured: leq === null ? 0 : 60 } as HistoryRow;
      });
      return { otherWeightings: others, rows: Readable.from([rows]) };
    },
  });

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
  const others = [{ frequency: 'C' as const, time: 'S' as const }];
  t.match(await hourOf(historyOf({ card: () => 50 }, others)), {
    compared: 0,
    meanDifference: null,
    filled: 3_600,
    otherWeighting: 'CS',
  });
});

t.test(
  'the card fills whole seconds, also when its rows are tenths of a second: a database keeps no others',
  async (t) => {
    const history = standIn<History>({
      async query({ source = 'card', over }: Query) {
        const from = 'from' in over ? over.from : 0;
        const row = { from, leq: 50, measured: source === 'card' ? 58.3 : 56.6 } as HistoryRow;
        return { otherWeightings: [], rows: Readable.from([[row]]) };
      },
    });
    t.equal((await hourOf(history))?.filled, 2);
  },
);
