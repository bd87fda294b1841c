import t from 'tap';
import { bell, poisson, smoothNoise, streamSeed, uniform } from '../../../simulator/acoustics/noise.ts';

function moments(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(square) };
}

t.test('noise has mean 0 and deviation 1, at lattice points and between them', async (t) => {
  for (const [name, value] of [
    ['bell', (i: number) => bell(7, i)],
    ['smooth', (i: number) => smoothNoise(7, i * 0.37)],
  ] as const) {
    const { mean, deviation } = moments(Array.from({ length: 20_000 }, (_, i) => value(i - 10_000)));
    t.ok(Math.abs(mean) < 0.05, `${name}: mean`, { mean });
    t.ok(Math.abs(deviation - 1) < 0.05, `${name}: deviation`, { deviation });
  }
});

t.test('streams of different names and seeds do not resemble each other', async (t) => {
  for (const [one, other] of [
    [streamSeed(1, 'slow'), streamSeed(1, 'fast')],
    [streamSeed(1, 'slow'), streamSeed(2, 'slow')],
  ] as const) {
    let product = 0;
    for (let i = 0; i < 10_000; i++) product += bell(one, i) * bell(other, i);
    t.ok(Math.abs(product / 10_000) < 0.05);
  }
});

t.test('chances lie strictly between 0 and 1', async (t) => {
  let [least, most] = [1, 0];
  for (let i = 0; i < 100_000; i++) {
    least = Math.min(least, uniform(3, i));
    most = Math.max(most, uniform(3, i));
  }
  t.ok(least > 0 && least < 0.001 && most < 1 && most > 0.999, 'the whole range', { least, most });
});

t.test('counts of events have the mean they are asked for', async (t) => {
  const { mean, deviation } = moments(Array.from({ length: 20_000 }, (_, i) => poisson(4, uniform(11, i))));
  t.ok(Math.abs(mean - 4) < 0.1 && Math.abs(deviation - 2) < 0.1, 'Poisson', { mean, deviation });
  t.equal(poisson(0, 0.999999), 0);
});
