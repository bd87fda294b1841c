/** The delay of the event loop is measured only while somebody asks for it, and what was counted stays. */
import t from 'tap';
import { LoopDelay } from '../../plugins/metrics/loop-delay.ts';
import { VirtualClock } from '../../simulator/clock.ts';

/** Until the timer of Node has fired some times, late once by at least `ms`. */
async function late(delay: LoopDelay, ms: number, more: number): Promise<void> {
  const before = delay.measured.count;
  const until = performance.now() + ms;
  while (performance.now() < until);
  while (delay.measured.count < before + more) await new Promise((resolve) => setImmediate(resolve));
}

t.test('nothing wakes the process before the first question and ten minutes after the last one', async (t) => {
  const clock = new VirtualClock();
  const delay = new LoopDelay(clock);
  t.equal(delay.running, false);
  t.equal(clock.pending, 0);
  t.equal(delay.measured.count, 0, 'the first question begins it');
  t.equal(delay.running, true);
  await clock.advance(599_999);
  t.ok(delay.measured.count >= 0);
  await clock.advance(599_999);
  t.equal(delay.running, true);
  await clock.advance(1);
  t.equal(delay.running, false);
  t.equal(clock.pending, 0);
  delay.close();
});

t.test('any number may ask: the counts only grow, also over an end of the measurement', async (t) => {
  const clock = new VirtualClock();
  const delay = new LoopDelay(clock);
  // Node measures from its first tick on.
  await late(delay, 0, 2);
  await late(delay, 60, 3);
  const first = delay.measured;
  const second = delay.measured;
  t.ok(first.count >= 3 && second.count >= first.count, 'a second one does not take them away from the first');
  for (const [index, [edge, count]] of second.classes.entries()) {
    t.ok(count >= (first.classes[index]?.[1] ?? 0), `${edge} s`);
    t.ok(count >= (second.classes[index - 1]?.[1] ?? 0), 'each class holds those below it');
    t.ok(count <= second.count);
  }
  const upTo = (edge: number) => second.classes.find(([each]) => each === edge)?.[1] ?? Number.NaN;
  t.ok(upTo(0.02) < second.count, 'one of them was late by 50 ms');
  t.ok(second.sum >= 0.03, `${second.sum} s`);
  delay.close();
  t.ok(delay.measured.count >= second.count);
  delay.close();
  t.equal(clock.pending, 0);
});
