/** When a meter is read next: the pace on average, the spread among many, the slowing down. */
import t from 'tap';
import { numbersFrom, slowed, spread } from '../../plugins/polling/poller.ts';

t.test('the pace is the interval on average, and never further from it than a twentieth', async (t) => {
  const random = numbersFrom('roof');
  const spans = Array.from({ length: 10_000 }, () => spread(60_000, random));
  t.ok(Math.min(...spans) >= 57_000 && Math.max(...spans) <= 63_000);
  const mean = spans.reduce((sum, span) => sum + span, 0) / spans.length;
  t.ok(Math.abs(mean - 60_000) < 60, `${mean}`);
});

t.test('a unit has the same numbers each time, and other ones than its neighbours', async (t) => {
  const first = (unitId: string) => numbersFrom(unitId)();
  t.equal(first('sim-1'), first('sim-1'));
  const thousand = Array.from({ length: 1_000 }, (_, index) => first(`sim-${index + 1}`));
  t.equal(new Set(thousand).size, 1_000);
  const tenths = Array.from({ length: 10 }, (_, tenth) => thousand.filter((x) => Math.floor(x * 10) === tenth).length);
  t.ok(
    tenths.every((count) => count > 70 && count < 130),
    `units that are called alike do not begin together: ${tenths}`,
  );
});

t.test(
  'an unreachable meter is tried at half the pace each time, to a limit, but never faster than its own',
  async (t) => {
    t.same(
      [0, 1, 2, 3, 4, 30, 2_000].map((failures) => slowed(60_000, failures, 300_000)),
      [60_000, 120_000, 240_000, 300_000, 300_000, 300_000, 300_000],
    );
    t.equal(slowed(3_600_000, 5, 300_000), 3_600_000);
  },
);
