/** The delay of the event loop is measured only while somebody asks for it. */
import t from 'tap';
import { LoopDelay } from '../../lib/status/metrics/loop-delay.ts';
import { VirtualClock } from '../../simulator/clock.ts';

t.test('nothing wakes the process before the first question and ten minutes after the last one', async (t) => {
  const clock = new VirtualClock();
  const delay = new LoopDelay(clock);
  t.equal(delay.running, false);
  t.equal(clock.pending, 0);
  t.strictSame(delay.sinceLastAsked([0.5, 1]), [], 'the first question begins it');
  t.equal(delay.running, true);
  const seconds = delay.sinceLastAsked([0.5, 1]);
  t.equal(seconds.length, 2);
  t.ok(seconds.every((value) => value >= 0));
  await clock.advance(599_999);
  delay.sinceLastAsked([1]);
  await clock.advance(599_999);
  t.equal(delay.running, true);
  await clock.advance(1);
  t.equal(delay.running, false);
  t.equal(clock.pending, 0);
  delay.sinceLastAsked([1]);
  delay.close();
  t.equal(delay.running, false);
  t.equal(clock.pending, 0);
});
