import t from 'tap';
import {
  energyMean,
  exceededLevel,
  exposureLevel,
  levelOf,
  meanSquareOf,
} from '../../../simulator/acoustics/levels.ts';

const isNear = (found: number, wanted: number, within = 0.0005) => Math.abs(found - wanted) <= within;

t.test('levels are those of the table of numbers to check against', async (t) => {
  t.ok(isNear(energyMean([80, 80.3, 80.6, 80.4, 79.7, 76.9]), 79.807), 'energy mean of six levels');
  const hour = Array.from({ length: 60 }, (_, minute) => (minute < 59 ? 50 : 80));
  t.ok(isNear(energyMean(hour), 62.467), '59 min at 50 dB and 1 min at 80 dB');
  t.ok(isNear(levelOf(2 * meanSquareOf(60)), 63.0103), 'twice the energy');
  t.ok(isNear(exposureLevel(44.9, 3.1), 49.8, 0.05), 'LE of the captured DLC line');
  t.ok(isNear(exposureLevel(70, 3600) - 70, 35.563), 'LE - Leq of an hour');
});

t.test('a sine of 1 Pa amplitude has 90.97 dB, and its peak lies 3.01 dB above', async (t) => {
  const reference = 20e-6;
  const level = levelOf(0.5 / reference ** 2);
  t.ok(isNear(level, 90.97, 0.005), 'level');
  t.ok(isNear(levelOf(1 / reference ** 2) - level, 3.0103), 'peak over level');
});

t.test('percentiles interpolate between order statistics, whatever order the samples come in', async (t) => {
  const levels = Array.from({ length: 100 }, (_, place) => ((place * 37) % 100) + 1);
  t.ok(isNear(exceededLevel(levels, 10), 90.1), 'L10');
  t.ok(isNear(exceededLevel(levels, 50), 50.5), 'L50');
  t.ok(isNear(exceededLevel(levels, 90), 10.9), 'L90');
  t.equal(exceededLevel([42], 50), 42);
});
