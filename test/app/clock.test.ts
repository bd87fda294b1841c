/** The clock of a gateway that runs: also waits that are longer than a timer of Node can be. */
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';

t.test('a wait of thirty days does not end at once', async (t) => {
  let fired = false;
  const cancel = systemClock.after(30 * 86_400_000, () => {
    fired = true;
  });
  // Node makes a timer that is too long to 1 ms. Timers of 1 ms fire in the order of their start.
  await setTimeout(1);
  t.notOk(fired);
  cancel();
});
