/** The clock of a gateway that runs: also waits that are longer than a timer of Node can be. */
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';

t.test('a wait of thirty days does not end at once', async (t) => {
  let fired = false;
  const cancel = systemClock.after(30 * 86_400_000, () => {
    fired = true;
  });
  // Node makes a millisecond of what is too long for it, and timers of a millisecond fire in the order they were set.
  await setTimeout(1);
  t.notOk(fired);
  cancel();
});
