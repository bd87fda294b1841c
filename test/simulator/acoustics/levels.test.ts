import t from 'tap';
import {
  energyMean,
  energySum,
  exceededLevel,
  exposureLevel,
  levelOf,
  meanSquareOf,
  mergeLeq,
  REFERENCE_PA,
} from '../../../simulator/acoustics/levels.ts';

const isNear = (found: number, wanted: number, within = 0.0005) => Math.abs(found - wanted) <= within;

t.test('levels are those of the table of numbers to check against', async (t) => {
  t.ok(isNear(energyMean([80, 80.3, 80.6, 80.4, 79.7, 76.9]), 79.807), 'energy mean of six levels');
  t.ok(
    isNear(
      mergeLeq([
        { leq: 50, duration: 59 },
        { leq: 80, duration: 1 },
      ]),
      62.467,
    ),
    '59 min at 50 dB and 1 min at 80 dB',
  );
  t.ok(isNear(energySum([60, 60]), 63.0103), 'twice the energy');
  t.ok(isNear(exposureLevel(44.9, 3.1), 49.8, 0.05), 'LE of the captured DLC line');
  t.ok(isNear(exposureLevel(70, 3600) - 70, 35.563), 'LE - Leq of an hour');
});

t.test('a sine of 1 Pa amplitude has 90.97 dB, and its peak lies 3.01 dB above', async (t) => {
  const level = levelOf(0.5 / REFERENCE_PA ** 2);
  t.ok(isNear(level, 90.97, 0.005), 'level');
  t.ok(isNear(levelOf(1 / REFERENCE_PA ** 2) - level, 3.0103), 'peak over level');
});

t.test('percentiles interpolate between order statistics, whatever order the samples come in', async (t) => {
  const levels = Array.from({ length: 100 }, (_, place) => ((place * 37) % 100) + 1);
  t.ok(isNear(exceededLevel(levels, 10), 90.1), 'L10');
  t.ok(isNear(exceededLevel(levels, 50), 50.5), 'L50');
  t.ok(isNear(exceededLevel(levels, 90), 10.9), 'L90');
  t.equal(exceededLevel([42], 50), 42);
});

t.test('merging parts gives what the whole gives', async (t) => {
  const levels = [40, 55.5, 61, 47, 70.2, 52];
  const half = (part: number[]) => ({ leq: energyMean(part), duration: part.length });
  t.ok(isNear(mergeLeq([half(levels.slice(0, 2)), half(levels.slice(2))]), energyMean(levels), 1e-9), 'two parts');
  t.ok(isNear(levelOf(meanSquareOf(73.3)), 73.3, 1e-9), 'there and back');
});

t.test('no levels have no mean, no percentile and no merged Leq', async (t) => {
  t.throws(() => energyMean([]), RangeError);
  t.throws(() => exceededLevel([], 50), RangeError);
  t.throws(() => exceededLevel([1], 101), RangeError);
  t.throws(() => mergeLeq([{ leq: 50, duration: 0 }]), RangeError);
  t.equal(energySum([]), Number.NEGATIVE_INFINITY);
});
