/** Laws that hold for all levels. */
import fc from 'fast-check';
import t from 'tap';
import { energyMean, LevelCounts, mergeLevels, type SpanLevels } from '../../../lib/domain/indices/index.ts';
import { EXTREMES, KEPT, levelsBy } from '../../../lib/domain/quantities.ts';

const tenths = fc.integer({ min: 200, max: 1_400 });
const level = tenths.map((value) => value / 10);
const part = fc.record({ level, seconds: fc.integer({ min: 1, max: 10_000 }) });
const parts = fc.array(part, { minLength: 1, maxLength: 30 });
const close = (a: number | null, b: number | null) => a !== null && b !== null && Math.abs(a - b) < 1e-9;

const countsOf = (levels: readonly number[]) => {
  const counts = new LevelCounts();
  for (const each of levels) counts.add(each);
  return counts;
};

/** A span of samples of 100 ms. */
const measured = fc.array(level, { minLength: 1, maxLength: 50 }).map(
  (levels): SpanLevels => ({
    ...levelsBy(KEPT, () => null),
    seconds: levels.length / 10,
    leq: energyMean(levels.map((each) => ({ level: each, seconds: 0.1 }))),
    lmax: Math.max(...levels),
    lmaxAt: 0,
    bounds: levelsBy(EXTREMES, () => null),
    lmin: Math.min(...levels),
    lpeak: Math.max(...levels) + 12,
    counts: countsOf(levels),
    readings: 0,
    flaggedS: 0,
  }),
);
const spans = fc.array(measured, { minLength: 1, maxLength: 8 });

t.test('the order of parts does not matter', async () => {
  fc.assert(fc.property(parts, (all) => close(energyMean(all), energyMean(all.toReversed()))));
});

t.test('a whole is the merge of its parts, however it is cut', async () => {
  fc.assert(
    fc.property(parts, fc.nat(), (all, where) => {
      const cut = where % all.length;
      const halves = [all.slice(0, cut), all.slice(cut)].flatMap((half) => {
        const mean = energyMean(half);
        return mean === null ? [] : { level: mean, seconds: half.reduce((sum, { seconds }) => sum + seconds, 0) };
      });
      return close(energyMean(all), energyMean(halves));
    }),
  );
});

t.test('twice the energy is 3.0103 dB more', async () => {
  fc.assert(
    fc.property(parts, (all) => {
      const louder = all.map((each) => ({ ...each, level: each.level + 10 * Math.log10(2) }));
      return close((energyMean(louder) ?? 0) - (energyMean(all) ?? 0), 10 * Math.log10(2));
    }),
  );
});

t.test('a mean lies between its least and its greatest part', async () => {
  fc.assert(
    fc.property(parts, (all) => {
      const mean = energyMean(all) ?? Number.NaN;
      const levels = all.map((each) => each.level);
      return mean >= Math.min(...levels) - 1e-9 && mean <= Math.max(...levels) + 1e-9;
    }),
  );
});

t.test('LN falls as N grows, and stays between the lowest and the highest level', async () => {
  fc.assert(
    fc.property(fc.array(level, { minLength: 1, maxLength: 2_000 }), (levels) => {
      const counts = countsOf(levels);
      const all = [1, 5, 10, 50, 90, 95, 99].map((percent) => counts.exceeded(percent) ?? Number.NaN);
      const falling = all.every((value, index) => index === 0 || value <= (all[index - 1] ?? 0) + 1e-9);
      return falling && (all[0] ?? 999) <= Math.max(...levels) && (all.at(-1) ?? -999) >= Math.min(...levels);
    }),
  );
});

t.test('LN is within half a class of the order statistics', async () => {
  const exact = (levels: readonly number[], percent: number) => {
    const sorted = levels.toSorted((a, b) => a - b);
    const position = (sorted.length - 1) * (1 - percent / 100);
    const [low = 0, high = low] = sorted.slice(Math.floor(position), Math.floor(position) + 2);
    return low + (high - low) * (position - Math.floor(position));
  };
  fc.assert(
    fc.property(
      fc.array(level, { minLength: 1, maxLength: 500 }),
      fc.integer({ min: 1, max: 99 }),
      (levels, percent) => {
        return Math.abs((countsOf(levels).exceeded(percent) ?? 999) - exact(levels, percent)) <= 0.05 + 1e-9;
      },
    ),
  );
});

t.test('merged spans say what one span of all samples would have said', async () => {
  fc.assert(
    fc.property(spans, (all) => {
      const whole = mergeLevels(all);
      const levels = all.flatMap(({ counts }) => [...(counts ?? [])].flatMap(([at, n]) => Array(n).fill(at / 10)));
      const same = countsOf(levels);
      return (
        close(whole.leq, energyMean(levels.map((each) => ({ level: each, seconds: 0.1 })))) &&
        close(whole.seconds, levels.length / 10) &&
        [1, 10, 50, 90, 99].every((percent) => whole.counts?.exceeded(percent) === same.exceeded(percent)) &&
        whole.lmax === Math.max(...levels) &&
        whole.lmin === Math.min(...levels)
      );
    }),
  );
});

t.test('Lmin <= L90 <= L50 <= L10 <= Lmax, and Leq <= Lmax', async () => {
  fc.assert(
    fc.property(spans, (all) => {
      const { lmin, lmax, leq, counts } = mergeLevels(all);
      const ladder = [lmin, counts?.exceeded(90), counts?.exceeded(50), counts?.exceeded(10), lmax];
      const rising = ladder.every((value, index) => index === 0 || (value ?? 0) >= (ladder[index - 1] ?? 0) - 1e-9);
      return rising && (leq ?? 999) <= (lmax ?? 0) + 1e-9;
    }),
  );
});
