import t from 'tap';
import { PacedClock } from '../../../simulator/control/paced-clock.ts';

t.test('at a standstill nothing passes until time is moved, and then in order', async (t) => {
  const clock = new PacedClock(0);
  const fired: string[] = [];
  clock.after(20, () => fired.push(`b ${clock.elapsed()}`));
  clock.after(10, () => {
    fired.push(`a ${clock.elapsed()}`);
    clock.after(5, () => fired.push(`c ${clock.elapsed()}`));
  });
  const cancel = clock.after(12, () => fired.push('never'));
  cancel();
  const before = clock.now();
  await clock.advance(9);
  t.same(fired, []);
  await clock.advance(20);
  t.same(fired, ['a 10', 'c 15', 'b 20']);
  t.equal(clock.elapsed(), 29);
  t.equal(clock.now() - before, 29);
});

t.test('moves that overlap are made one after the other', async (t) => {
  const clock = new PacedClock(0);
  await Promise.all([clock.advance(100), clock.advance(50)]);
  t.equal(clock.elapsed(), 150);
});

t.test('a timer that throws while time is moved fails that move alone', async (t) => {
  const clock = new PacedClock(0);
  clock.after(5, () => {
    throw new Error('broken');
  });
  await t.rejects(clock.advance(10), { message: 'broken' });
  await clock.advance(10);
  t.equal(clock.elapsed(), 15);
});

t.test('a change of speed holds for timers that are already waiting, and no timer is early', async (t) => {
  const clock = new PacedClock(0.001);
  const rang = new Promise<number>((resolve) => {
    clock.after(60_000, () => resolve(clock.elapsed()));
  });
  clock.speed = 1_000;
  t.equal(clock.speed, 1_000);
  const at = await rang;
  t.ok(at >= 60_000, `${at}`);
  clock.speed = 0;
  const still = clock.elapsed();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(clock.elapsed(), still);
});

t.test('a speed that makes no sense is refused', async (t) => {
  const clock = new PacedClock();
  for (const speed of [-1, 1_001, Number.NaN]) {
    t.throws(() => {
      clock.speed = speed;
    }, RangeError);
  }
  t.equal(clock.speed, 1);
});
