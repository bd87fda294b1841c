/** A level is above a limit when it is shown above it. The truth here is the number as text. */
import fc from 'fast-check';
import t from 'tap';
import { energyMean, firstAbove, isAbove } from '../../../lib/domain/indices/index.ts';
import { shownTenths } from '../../../lib/domain/tables/index.ts';

t.test('a limit that is met exactly is kept, also by a mean whose last bit is above it', async (t) => {
  for (const [level, limit, above] of [
    [75, 75, false],
    [74.9951, 75, false],
    // 74.95 in the API, and so 75.0 for people.
    [74.9499, 74.9, true],
    [74.9449, 74.9, false],
    [74.95, 74.9, true],
    [74.95, 75, false],
    [75.04, 75, false],
    [75.0499, 75, true],
    [75.0449, 75, false],
    [75.05, 75, true],
    [75.1, 75, true],
    [74.9, 75, false],
    [75.24, 75.25, false],
    [75.25, 75.25, true],
  ] as const)
    t.equal(isAbove(level, limit), above, `${level} dB, limit ${limit}`);
  for (const level of [74.944, 74.9449, 74.9451, 74.9499, 74.95, 75.044, 75.046, 49.846])
    for (const limit of [74.9, 75, 49.8])
      t.equal(isAbove(level, limit), shownTenths(level) > limit, `${level} dB, limit ${limit}: as it is shown`);
  t.equal(isAbove(75.004, 75, 2), false);
  t.equal(isAbove(75.005, 75, 2), true);
  t.equal(isAbove(75.49, 75, 0), false);
  t.equal(isAbove(75.5, 75, 0), true);
});

t.test(
  '400 constant levels at their limit are not above it, whatever the mean of their energies makes of them',
  async (t) => {
    const wrong: number[] = [];
    for (let tenths = 400; tenths < 800; tenths++) {
      const limit = tenths / 10;
      const mean = energyMean(Array.from({ length: 900 }, () => ({ level: limit, seconds: 1 }))) ?? 0;
      if (isAbove(mean, limit)) wrong.push(limit);
    }
    t.strictSame(wrong, []);
  },
);

t.test('of every level in hundredths the text that is shown decides', async (t) => {
  const tenths = fc.integer({ min: -100, max: 1_400 });
  const failed = fc.check(
    fc.property(tenths, fc.integer({ min: -9, max: 9 }), (limit, hundredths) => {
      const level = (limit * 10 + hundredths) / 100;
      // Half a step is rounded up: in whole numbers, which have no last bit.
      const shown = Math.floor((limit * 10 + hundredths + 5) / 10);
      return isAbove(level, limit / 10) === shown > limit;
    }),
    { numRuns: 2_000 },
  ).counterexample;
  t.equal(failed, null);
  t.equal(firstAbove(75), 75.045);
});
