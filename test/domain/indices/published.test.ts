/** Values that others published, and what must hold at the edges of each formula. */
import t from 'tap';
import { budget, exposureLevel, LevelCounts, leqBetween, mergeLevels } from '../../../lib/domain/indices/index.ts';
import { PUBLISHED } from './support/published.ts';
import { spanOf } from './support/spans.ts';

const round = (value: number | null, digits: number) => (value === null ? null : Number(value.toFixed(digits)));

t.test('the values that others published come out', async (t) => {
  for (const [what, actual, expected, digits] of PUBLISHED)
    t.equal(round(actual, digits), round(expected, digits), what);
});

t.test('the Leq between two readings of LE is that of the sound between them', async (t) => {
  // A minute at 60 dB, then a minute at 66: LE 77.7815 and 84.7547.
  const between = leqBetween({ le: exposureLevel(60, 60), at: 0 }, { le: 84.7547, at: 60 });
  t.equal(round(between?.leq ?? null, 2), 66);
  t.equal(between?.seconds, 60);
});

t.test('the uncertainty follows from the steps of LE; above 0.5 dB no level is given', async (t) => {
  const early = leqBetween({ le: 77.8, at: 0 }, { le: 80.8, at: 60 });
  t.ok(
    early && early.uncertainty > 0.05 && early.uncertainty < 0.2,
    'after a minute of measuring a tenth matters little',
  );
  const late = leqBetween({ le: 95.6, at: 0 }, { le: 95.7, at: 60 });
  t.equal(late, null, 'after an hour a minute is lost in the steps');
  t.equal(leqBetween({ le: 95.6, at: 0 }, { le: 95.6, at: 60 }), null, 'no growth at all is no silence');
  t.equal(leqBetween({ le: 80, at: 0 }, { le: 70, at: 60 }), null, 'LE that fell is another measurement');
  t.equal(leqBetween({ le: 70, at: 60 }, { le: 80, at: 60 }), null, 'no time, no mean');
  const timed = leqBetween({ le: 77.8, at: 0 }, { le: 80.8, at: 60 }, 1);
  t.ok(timed && early && timed.uncertainty > early.uncertainty, 'doubt about the time is added');
  t.equal(leqBetween({ le: 40, at: 0 }, { le: 60, at: 1 }, 1), null, 'a time that may have been none');
});

t.test('a budget has its rest, says that it is spent, and predicts when it will be', async (t) => {
  const half = { limit: 75, windowS: 900, elapsedS: 450 };
  const spent = budget({ ...half, leq: 80, measuredS: 450 });
  t.strictSame(spent, { remainingMayAverage: null, exceeded: true, willExceedInS: null });
  const quiet = budget({ ...half, leq: 70, measuredS: 450, goingOn: 70 });
  t.equal(quiet.willExceedInS, null, 'it may go on like this');
  const loud = budget({ ...half, leq: 75, measuredS: 450, goingOn: 78.0103 });
  t.equal(round(loud.willExceedInS, 1), 225, 'twice the energy: half the time');
  const fresh = budget({ ...half, elapsedS: 0, leq: null, measuredS: 0 });
  t.equal(round(fresh.remainingMayAverage, 6), 75, 'nothing is spent yet');
  const gap = budget({ ...half, leq: 75, measuredS: 150 });
  t.equal(round(gap.remainingMayAverage, 6), 75, 'a gap gives nothing away');
  t.equal(budget({ ...half, elapsedS: 900, leq: 70, measuredS: 900 }).remainingMayAverage, null, 'the window is over');
});

t.test('parts without counts leave no percentile, parts without data change nothing', async (t) => {
  const counts = new LevelCounts();
  counts.add(60);
  const known = spanOf({ leq: 60, seconds: 10, counts });
  t.equal(mergeLevels([known, spanOf({ leq: null, seconds: 0, counts: null })]).counts?.exceeded(50), 60);
  t.equal(mergeLevels([known, spanOf({ leq: 50, seconds: 10, counts: null })]).counts, null);
});
