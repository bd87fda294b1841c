/** A clock that is far ahead must not make everything old. */
import t from 'tap';
import { agesCountFrom } from '../../lib/domain/ages.ts';

const DAY = 86_400_000;

t.test('ages follow a right clock, and a clock that is years ahead by a day in an hour', async (t) => {
  const clock = { wall: 1_000 * DAY, passed: 5, now: () => clock.wall, elapsed: () => clock.passed };
  const from = agesCountFrom(clock, 999 * DAY);
  t.equal(from(), 1_000 * DAY);
  clock.wall += DAY / 24;
  clock.passed += DAY / 24;
  t.equal(from(), clock.wall);
  const before = clock.wall;
  clock.wall += 3_650 * DAY;
  t.equal(from(), before);
  clock.passed += DAY / 24;
  t.equal(from(), before + DAY, 'a day in an hour');
  clock.passed += 30 * DAY;
  t.equal(from(), before + 32 * DAY, 'a day more where it was not asked for long');
  clock.wall = before + DAY / 2;
  t.equal(from(), clock.wall, 'and back');
  clock.wall -= 100 * DAY;
  t.equal(from(), clock.wall);
});

t.test('where nothing is kept yet they begin with the clock', async (t) => {
  const clock = { now: () => 7 * DAY, elapsed: () => 0 };
  t.equal(agesCountFrom(clock, undefined)(), 7 * DAY);
});

t.test('a clock that is far behind at the start holds nothing back later', async (t) => {
  const clock = { wall: 0, passed: 0, now: () => clock.wall, elapsed: () => clock.passed };
  const from = agesCountFrom(clock, 999 * DAY);
  t.equal(from(), 0);
  clock.wall = 1_000 * DAY;
  clock.passed = DAY / 24;
  t.equal(from(), 1_000 * DAY);
});
