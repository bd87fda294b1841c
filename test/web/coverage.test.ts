/** The measured time in the strip below the chart. */
import t from 'tap';
import { coveredOf, stretchesOf } from '../../web/history/coverage.ts';
import { percent } from '../../web/state/numbers.ts';

const columns = ['start', 'leq', 'coverage', 'quality'];

t.test('an hour measured for six minutes is a tenth of an hour, and the rest is missing', async (t) => {
  const rows = [
    ['2026-11-21T00:00:00Z', 50, 1, 'measured'],
    ['2026-11-21T01:00:00Z', 50, 0.1, 'measured'],
    ['2026-11-21T02:00:00Z', null, 0, 'none'],
    ['2026-11-21T03:00:00Z', null, 0, 'sampled'],
  ];
  const history = { columns, rows, to: '2026-11-21T03:30:00Z' };
  t.strictSame(stretchesOf(history), [
    { quality: 'measured', seconds: 3_960 },
    { quality: 'none', seconds: 6_840 },
    { quality: 'sampled', seconds: 1_800 },
  ]);
  const after = { columns, rows: [...rows.slice(2, 3), ['2026-11-21T03:00:00Z', 50, 0.5, 'measured']], to: history.to };
  t.strictSame(
    stretchesOf(after),
    [
      { quality: 'none', seconds: 4_500 },
      { quality: 'measured', seconds: 900 },
    ],
    'behind a gap the gap goes on first',
  );
  t.equal(coveredOf(history), 3_960 / 12_600, 'a last row that is shorter counts for less');
  t.equal(coveredOf({ columns, rows: [], to: '2026-11-21T03:30:00Z' }), 0);
});

t.test('a part is never 100 %', async (t) => {
  t.equal(percent(1), '100 %');
  t.equal(percent(0.9999), '99.9 %');
  t.equal(percent(0.29), '29 %');
  t.equal(percent(0.4), '40 %');
});
