/** Sums of parts of hours stay in memory: as long as the hour is the same, and not without end. */
import t from 'tap';
import type { HourRecord } from '../../lib/history/stored/columns.ts';
import { KeptParts } from '../../lib/history/stored/loaded-hours.ts';
import { RowSum } from '../../lib/history/stored/row-sum.ts';

const PART = { from: 3_600, to: 5_000 };
const record: HourRecord = {
  hour: 1,
  levels: [6_000, 7_000],
  lmaxAt: 5,
  lp: 0,
  steps: 36_000,
  readings: 0,
  flagged: [0, 1],
  counts: new Uint8Array([3, 4]),
  spans: new Uint8Array([0, 9]),
  secondBytes: 800,
  minuteBytes: 90,
};

function partOf(at: number) {
  const sum = new RowSum({ percentiles: [], counts: true });
  sum.begin(at, at + 60);
  return sum.toPart();
}

t.test('a sum is there for its part of its hour, until anything of the hour is another', async (t) => {
  const changes: Partial<HourRecord>[] = [
    { levels: [6_000, 7_001] },
    { levels: [6_000] },
    { lmaxAt: 6 },
    { steps: 35_990 },
    { readings: 1 },
    { lp: 5_000 },
    { flagged: [0, 2] },
    { counts: new Uint8Array([3, 5]) },
    { spans: new Uint8Array([0, 8]) },
    { secondBytes: 0 },
    { minuteBytes: 91 },
  ];
  for (const change of changes) {
    const kept = new KeptParts();
    const part = partOf(0);
    kept.keep({ series: 1, record }, PART, part);
    t.equal(kept.find({ series: 1, record: { ...record } }, PART), part);
    t.equal(kept.find({ series: 2, record }, PART), undefined, 'of another series');
    t.equal(kept.find({ series: 1, record }, { ...PART, to: 5_001 }), undefined, 'of another part');
    t.equal(kept.find({ series: 1, record: { ...record, ...change } }, PART), undefined, Object.keys(change).join());
    t.equal(kept.find({ series: 1, record }, PART), undefined, 'what was of an earlier state is gone');
  }
});

t.test('those that were not asked for for the longest time make room', async (t) => {
  const kept = new KeptParts();
  const hour = { series: 1, record };
  const [first, second] = [PART, { from: 3_600, to: 4_000 }];
  kept.keep(hour, first, partOf(0));
  kept.keep(hour, second, partOf(1));
  for (let n = 0; n < 1_998; n++) kept.keep(hour, { from: 10_000 + n, to: 20_000 }, partOf(n));
  t.ok(kept.find(hour, first), 'all 2,000 are there');
  kept.keep(hour, { from: 0, to: 1 }, partOf(2));
  t.ok(kept.find(hour, first), 'it was asked for just now');
  t.equal(kept.find(hour, second), undefined);
});
