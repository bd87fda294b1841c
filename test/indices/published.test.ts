/** Published and recomputed values: ISO 1996-1, directive 2002/49/EC Annex I, 24 CFR 51, California CNEL. docs/measuring.md shows them. */
import t from 'tap';
import {
  budget,
  energyMean,
  exposureLevel,
  indexOf,
  LevelCounts,
  leqBetween,
  mergeLevels,
  type PeriodName,
  PRESETS,
} from '../../lib/indices/index.ts';
import { spanOf } from './support/spans.ts';

const round = (value: number | null, digits: number) => (value === null ? null : Number(value.toFixed(digits)));
const equally = (...levels: number[]) => levels.map((level) => ({ level, seconds: 1 }));

const indexFor = (preset: keyof typeof PRESETS, ...periods: [name: PeriodName, hours: number, level: number][]) =>
  indexOf(
    periods.map(([period, hours, leq]) => ({ period, hours, levels: spanOf({ leq, seconds: hours * 3_600 }) })),
    PRESETS[preset],
  );
const flat = (preset: keyof typeof PRESETS, day: number, evening: number, night: number) =>
  indexFor(preset, ['day', day, 60], ['evening', evening, 60], ['night', night, 60]);

const ONE_TO_HUNDRED = new LevelCounts();
for (let level = 1; level <= 100; level++) ONE_TO_HUNDRED.add(level);

const MIXED = [80, 80.3, 80.6, 80.4, 79.7, 76.9];

const TABLE: readonly [what: string, actual: number | null, expected: number, digits: number][] = [
  ['Leq of 80, 80.3, 80.6, 80.4, 79.7, 76.9', energyMean(equally(...MIXED)), 79.80699, 5],
  ['LE of the same, 1 s each', exposureLevel(energyMean(equally(...MIXED)) ?? 0, 6), 87.5885, 5],
  ['the mean of 50 and 70 is no 60', energyMean(equally(50, 70)), 67.03, 2],
  [
    '59 min at 50 and 1 min at 80: LAeq,1h',
    energyMean([
      { level: 50, seconds: 59 * 60 },
      { level: 80, seconds: 60 },
    ]),
    62.4674,
    4,
  ],
  ['doubled energy', (energyMean(equally(60)) ?? 0) + 10 * Math.log10(2) - 60, 3.0103, 4],
  [
    'Lden of day 80, evening 65, night 45',
    indexFor('eu', ['day', 12, 80], ['evening', 4, 65], ['night', 8, 45]),
    77.14096,
    5,
  ],
  ['Ldn of day 80, night 45', indexFor('us', ['day', 15, 80], ['night', 9, 45]), 77.96703, 5],
  ['flat 60: Lden', flat('eu', 12, 4, 8), 66.3952, 4],
  ['flat 60: Ldn', indexFor('us', ['day', 15, 60], ['night', 9, 60]), 66.4098, 4],
  ['flat 60: CNEL', flat('cnel', 12, 3, 9), 66.6511, 4],
  ['day 70, evening 65, night 60: Lden', indexFor('eu', ['day', 12, 70], ['evening', 4, 65], ['night', 8, 60]), 70, 10],
  ['flat 60, spring day of 23 h with a night of 7 h: Lden', flat('eu', 12, 4, 7), 66.1439, 4],
  ['levels 1 to 100: L10', ONE_TO_HUNDRED.exceeded(10), 90.1, 10],
  ['levels 1 to 100: L50', ONE_TO_HUNDRED.exceeded(50), 50.5, 10],
  ['levels 1 to 100: L90', ONE_TO_HUNDRED.exceeded(90), 10.9, 10],
  [
    'limit 75 over 15 min, 10 min at 74: the rest may average',
    budget({ limit: 75, windowS: 900, elapsedS: 600, measuredS: 600, leq: 74 }).remainingMayAverage,
    76.4963,
    4,
  ],
];

t.test('the values that others published come out', async (t) => {
  for (const [what, actual, expected, digits] of TABLE) t.equal(round(actual, digits), round(expected, digits), what);
});

t.test('the Leq between two readings of LE is what was heard between them', async (t) => {
  // A minute at 60 dB, then a minute at 66: LE 77.7815 and 84.7547.
  const between = leqBetween({ le: exposureLevel(60, 60), at: 0 }, { le: 84.7547, at: 60 });
  t.equal(round(between?.leq ?? null, 2), 66);
  t.equal(between?.seconds, 60);
});

t.test('how uncertain it is follows from the steps of LE, and above 0.5 dB there is none', async (t) => {
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

t.test('a budget says what is left, that it is spent, and when it will be', async (t) => {
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
