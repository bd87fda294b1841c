/** How long the present noise may go on within the window of a limit. */
import t from 'tap';
import { runningLimit } from '../../plugins/permits/judge.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const after = (minutes: number, level: number | null, measured: number, goingOn: number | null, limit = 60) =>
  runningLimit(
    { from: 0, to: HOUR, level, measured: measured * 60, added: 0 },
    { limit, decimals: 1, goingOn, now: minutes * MINUTE },
  );

t.test('at the limit itself, the noise may go on to the end of the window', async (t) => {
  t.match(after(20, 60, 20, 60), { leq: 60, present_db: 60, may_go_on_s: null });
});

t.test('10 dB above the limit from the beginning, a tenth of the window is allowed', async (t) => {
  const { may_go_on_s } = after(0, null, 0, 70.05);
  t.equal(may_go_on_s, 360);
  t.equal(after(3, 70.05, 3, 70.05).may_go_on_s, 180, 'and half of it is left when half of it is spent');
});

t.test('after a quiet half of the window, noise 3 dB above the limit may go on to its end', async (t) => {
  t.equal(after(30, 0, 30, 63).may_go_on_s, null);
  t.ok((after(30, 0, 30, 64).may_go_on_s ?? 0) > 20 * 60);
});

t.test('when the limit is exceeded whatever follows, nothing may go on', async (t) => {
  t.equal(after(30, 70, 30, 40).may_go_on_s, 0);
});

t.test('time without levels is neither spent nor allowed', async (t) => {
  const whole = after(30, 50, 30, 66).may_go_on_s ?? 0;
  const half = after(30, 50, 15, 66).may_go_on_s ?? 0;
  t.ok(half < whole, `${half} s, and ${whole} s with all levels`);
});

t.test('without a present level nothing is said', async (t) => {
  t.match(after(30, 50, 30, null), { leq: 50, present_db: null, may_go_on_s: null });
});

t.test('additions count for the level so far and for the present one', async (t) => {
  const window = { from: 0, to: HOUR, level: 56, measured: 1_800, added: 6 };
  const { present_db } = runningLimit(window, { limit: 60, decimals: 1, goingOn: 58, now: HOUR / 2 });
  t.equal(present_db, 64);
});
