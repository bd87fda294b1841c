/** The rows as they are stored, as lines: the same while they are in memory, on the disk, and after a new start. */
import t from 'tap';
import type { Batch, StoredKind } from '../../lib/history/contract.ts';
import { STORED_COLUMNS } from '../../lib/history/stored/stored-lines.ts';
import { openedHistory } from '../support/history.ts';

const HALF_PAST = Date.UTC(2025, 11, 24, 2, 30) / 1_000;
const weighting = { frequency: 'A', time: 'F' } as const;
const roof = { unitId: 'roof', weighting } as const;
const BATCHES: readonly Batch[] = [
  {
    ...roof,
    source: 'stream',
    seconds: [
      { at: HALF_PAST - 1, steps: 10, leq: 40, lmax: 41, lmin: 39, lpeak: 50 },
      { at: HALF_PAST, steps: 3, leq: 54.321, lmax: 60, lmin: 50, lp: [54.3, 54.4, 54.3], flags: { over: true } },
      { at: HALF_PAST + 3_600, steps: 10, leq: 55, lmax: 56, lmin: 54, lpeak: 70 },
    ],
  },
  {
    ...roof,
    source: 'card',
    intervals: [{ at: HALF_PAST + 60, duration: 900, leq: 61.5, lmax: 70, ln: { 10: 63.2, 90: 55 } }],
  },
  { ...roof, source: 'stream', channel: 'sub1', seconds: [{ at: HALF_PAST, steps: 10, leq: 66 }] },
  { unitId: 'gate', weighting, source: 'stream', seconds: [{ at: HALF_PAST, steps: 10, leq: 30 }] },
];

t.test('a span has the rows that begin in it, whatever hour they are kept in', async (t) => {
  const { advance, path, ...first } = await openedHistory(t);
  let { history } = first;
  const all = async (kind: StoredKind, to = HALF_PAST + 3_600) => {
    const lines: string[] = [];
    for await (const page of history.lines({ unitId: 'roof', kind, from: HALF_PAST, to })) lines.push(...page);
    return lines;
  };
  for (const batch of BATCHES) history.append(batch);
  const cells = (kind: StoredKind, line = '') => {
    const values = line.split(',');
    return Object.fromEntries(STORED_COLUMNS[kind].map((name, place) => [name, values[place]]));
  };
  const kept = async () => Promise.all((['seconds', 'minutes', 'intervals'] as const).map((kind) => all(kind)));
  const inMemory = await kept();
  t.same(
    inMemory.map(({ length }) => length),
    [2, 2, 1],
    'not the second before, not the end, not the other unit',
  );
  const [[second, ofSub], [minute], [interval]] = inMemory as [string[], string[], string[]];
  t.match(cells('seconds', second), {
    time: '2025-12-24T02:30:00Z',
    source: 'stream',
    frequency_weighting: 'A',
    time_weighting: 'F',
    steps: '3',
    flags: 'over',
    leq: '54.32',
    lmax: '60.00',
    lmin: '50.00',
    lpeak: '',
    samples: '54.3 54.3 54.4',
  });
  t.match(cells('seconds', ofSub), { source: 'stream/sub1', frequency_weighting: 'A', leq: '66.00' });
  t.match(cells('minutes', minute), {
    time: '2025-12-24T02:30:00Z',
    steps: '3',
    leq: '54.32',
    lmax: '60.00',
    over: '1',
    counts: '54.3:2 54.4:1',
  });
  t.match(cells('intervals', interval), {
    time: '2025-12-24T02:31:00Z',
    source: 'card',
    duration: '900',
    leq: '61.50',
    lmax: '70.00',
    ln: '10:63.2 90:55',
  });
  t.equal((await all('seconds', HALF_PAST + 3_601)).length, 3);
  // Hours are folded five minutes after their end.
  await advance(3 * 3_600_000, 5_000);
  t.same(await kept(), inMemory, 'after the hours are on the disk');
  await history.close();
  history = (await openedHistory(t, { path })).history;
  t.same(await kept(), inMemory, 'after a new start');
});
