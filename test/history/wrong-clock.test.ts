/**
 * The age of levels counts from the newest levels. A clock that is far ahead deletes no history, and stops nothing when it is
 * right again.
 */
import t, { type Test } from 'tap';
import { VirtualClock } from '../../simulator/clock.ts';
import { HOUR, rowsOf, second, stream } from '../contract/history/rows.ts';
import { openedHistory } from '../support/history.ts';

const DAY = 86_400;
const YEARS = 10 * 365 * DAY;

class SetClock extends VirtualClock {
  /** How far it was set forward, s. */
  ahead = 0;

  override now(): number {
    return super.now() + this.ahead * 1_000;
  }
}

/** A history with a second of levels on each of these days, counted from a first one. */
async function recorded(t: Test, days: readonly number[], retention = { secondsDays: 2, minutesDays: 5 }) {
  // The hour of the last levels is over: they are on the disk as a whole hour.
  const clock = new SetClock((HOUR + 2 * 3_600 + (days.at(-1) ?? 0) * DAY) * 1_000);
  const { history } = await openedHistory(t, { clock, retention });
  const record = async (...at: readonly number[]) => {
    for (const day of at) history.append(stream('roof', [second(HOUR + day * DAY, 60)]));
    await history.flush();
  };
  /** The days that still have levels. Some minutes pass before: it goes in small steps. */
  const kept = async (most = days.length + 5) => {
    for (let step = 0; step < 30; step += 1) {
      await clock.advance(5_000);
      // Its work is done in turns with questions.
      for (let turn = 0; turn < 20; turn += 1) await history.bytes();
    }
    const found: number[] = [];
    for (let day = 0; day < most; day += 1) {
      const from = HOUR + day * DAY;
      const [row] = await rowsOf(history, { unitId: 'roof', over: { ranges: [{ from, to: from + 3_600 }] } });
      if (row && row.measured > 0) found.push(day);
    }
    return found;
  };
  await record(...days);
  return { clock, history, record, kept };
}

const upTo = (end: number) => Array.from({ length: end }, (_, day) => day);

t.test('levels of every day: those of more days than are kept go', async (t) => {
  const { kept } = await recorded(t, upTo(12));
  t.strictSame(await kept(), [7, 8, 9, 10, 11]);
});

t.test('a clock that is set ten years ahead takes nothing, also while levels come with its time', async (t) => {
  const { clock, record, kept } = await recorded(t, upTo(12));
  const before = await kept();
  clock.ahead = YEARS;
  t.strictSame((await kept()).at(-1), 11);
  for (let day = 0; day < 6; day += 1) await record(11 + YEARS / DAY + day);
  clock.ahead += 5 * DAY;
  t.strictSame(
    await kept(),
    before.filter((day) => day >= 8),
    'a day beyond the newest levels is believed',
  );

  clock.ahead = 3 * DAY;
  await record(12, 13, 14);
  t.strictSame(await kept(), [10, 11, 12, 13, 14], 'set right again, it goes on');
});

t.test('after a long pause the levels before it go when there are some of a week', async (t) => {
  const { clock, record, kept } = await recorded(t, upTo(6));
  clock.ahead = 35 * DAY;
  await record(40, 41, 42, 43, 44, 45);
  clock.ahead = 40 * DAY;
  t.ok((await kept(50)).includes(5));
  await record(46);
  clock.ahead = 41 * DAY;
  t.strictSame(await kept(50), [42, 43, 44, 45, 46]);
});

t.test(
  'a gateway that is off at weekends keeps no more than others; a gateway that measures twice a month keeps days longer',
  async (t) => {
    const weekdays = upTo(24).filter((day) => day % 7 < 5);
    const working = await recorded(t, weekdays, { secondsDays: 2, minutesDays: 4 });
    t.strictSame(
      await working.kept(30),
      weekdays.filter((day) => day >= 19),
    );
    const monthly = await recorded(t, [0, 1, 30, 31, 60, 61, 90, 91, 120, 121, 150, 151]);
    t.strictSame((await monthly.kept(160))[0], 60);
  },
);
