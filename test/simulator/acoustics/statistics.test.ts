import t from 'tap';
import { meanSquareOf } from '../../../simulator/acoustics/levels.ts';
import { MovingMean, TaktMaximum } from '../../../simulator/acoustics/measurement.ts';
import { LevelClasses } from '../../../simulator/acoustics/tally.ts';

t.test('LN is the class of 0.1 dB that is reached or exceeded N % of the time', async (t) => {
  const classes = new LevelClasses('nearest');
  classes.add(43.749);
  t.equal(classes.exceeded(50), 43.7, 'the class that it would be shown as');
  classes.clear();
  for (let level = 1; level <= 100; level++) classes.add(level);
  t.same(
    [10, 50, 90, 99, 1].map((percent) => classes.exceeded(percent)),
    [91, 51, 11, 2, 100],
  );
});

t.test('outer edges: LN up to L50 is the upper edge of its class, above that the lower one', async (t) => {
  const classes = new LevelClasses('outer edges');
  for (const level of [43.36, 43.75, 44.12]) classes.add(level);
  t.same(
    [5, 50, 51, 95].map((percent) => classes.exceeded(percent)),
    [44.2, 43.8, 43.7, 43.3],
    'Lmax 44.1 and Lmin 43.4, as in a captured result',
  );
});

t.test('rounded: the tenth that a level is shown as, and LN the next one outwards', async (t) => {
  const classes = new LevelClasses();
  for (const level of [43.36, 43.74, 44.12]) classes.add(level);
  t.same(
    [5, 49, 50, 51, 95].map((percent) => classes.exceeded(percent)),
    [44.2, 43.8, 43.7, 43.6, 43.3],
    'Lmax 44.1 and Lmin 43.4, as in a captured result',
  );
});

t.test('levels beyond any meter are counted at the ends instead of being lost', async (t) => {
  const classes = new LevelClasses('nearest');
  classes.add(Number.NEGATIVE_INFINITY);
  classes.add(500);
  t.equal(classes.total, 2);
  t.same([classes.exceeded(1), classes.exceeded(99)], [200, -60]);
});

t.test('Leq,mov forgets what is older than its window', async (t) => {
  const moving = new MovingMean(10_000, 100);
  const second = (value: number) => moving.add(new Float64Array(10).fill(value), 0, 10);
  t.equal(moving.mean, null, 'nothing before the first second');
  second(8);
  t.equal(moving.mean, 8);
  for (let count = 0; count < 9; count++) second(2);
  t.equal(moving.mean, (8 + 9 * 2) / 10);
  second(2);
  t.equal(moving.mean, 2);
});

t.test('a window of a day is held in parts, and still ends', async (t) => {
  const moving = new MovingMean(86_400_000, 100);
  moving.add(new Float64Array(240).fill(7), 0, 240);
  t.equal(moving.mean, 7, 'one part of 24 s');
});

t.test('Ltm5 is the energy mean of the maxima of blocks of five seconds, and needs a whole one', async (t) => {
  const takt = new TaktMaximum(100);
  const block = Float64Array.from({ length: 50 }, (_, place) => meanSquareOf(place === 30 ? 80 : 50));
  takt.add(block, 0, 49);
  t.equal(takt.mean, null);
  takt.add(block, 49, 50);
  takt.add(new Float64Array(50).fill(meanSquareOf(70)), 0, 50);
  t.ok(Math.abs((takt.mean ?? 0) - (meanSquareOf(80) + meanSquareOf(70)) / 2) < 1e-3);
});
