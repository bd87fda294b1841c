import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { realClock, VirtualClock } from '../../simulator/clock.ts';
import { PacedClock } from '../../simulator/control/paced-clock.ts';

/** End of a wait for the last of some timers; each timer is set by the timer before it. */
async function endOf(clock: VirtualClock, delays: readonly number[], limitMs?: number): Promise<number> {
  const last = delays.reduce(
    (before, ms) => before.then(() => new Promise<void>((resolve) => clock.after(ms, resolve))),
    Promise.resolve(),
  );
  await clock.until(last, { stepMs: 20, ...(limitMs && { limitMs }) });
  return clock.elapsed();
}

t.test('a wait on a clock that is alone ends when it ends on one that steps', async (t) => {
  for (const delays of [[], [0], [1], [20], [21], [1_999], [5, 0, 700], [19, 1, 1], [300, 20, 20, 333]])
    t.equal(
      await endOf(new VirtualClock(0, { timersOnly: true }), delays),
      await endOf(new VirtualClock(0), delays),
      `after ${delays}`,
    );
  const year = 365 * 86_400_000;
  t.equal(await endOf(new VirtualClock(0, { timersOnly: true }), [year], 2 * year), year, 'without steps in between');
});

t.test('a wait that never ends is an error, alone or not', async (t) => {
  for (const timersOnly of [true, false])
    await t.rejects(
      new VirtualClock(0, { timersOnly }).until(new Promise(() => {}), { limitMs: 1_000 }),
      /still pending after 1000 ms/,
    );
});

t.test('a wait of thirty real days does not end at once', async (t) => {
  let fired = false;
  const cancel = realClock().after(30 * 86_400_000, () => {
    fired = true;
  });
  // Node makes a timer that is too long to 1 ms. Timers of 1 ms fire in the order of their start.
  await setTimeout(1);
  t.notOk(fired);
  cancel();
});

t.test(
  'the wall clock shows whole milliseconds, as that of a computer does, also where a timer fires between two',
  async (t) => {
    const clock = new VirtualClock(1_000);
    const shown: number[] = [];
    clock.after(5.75, () => shown.push(clock.now(), clock.elapsed()));
    await clock.advance(10);
    t.strictSame(shown, [1_005, 5.75]);
    const paced = new PacedClock();
    paced.speed = 0;
    await paced.advance(0.5);
    t.ok(Number.isInteger(paced.now()));
  },
);
