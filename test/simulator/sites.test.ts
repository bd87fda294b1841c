/** The week of the five meters that the demo begins with. */
import t from 'tap';
import { UnusualTimes } from '../../simulator/demo/permits.ts';
import { PlaceClock, SITE_METERS } from '../../simulator/demo/sites.ts';
import { PastSounds } from '../../simulator/demo/week.ts';

const HOUR_S = 3_600;
/** A Wednesday afternoon in Berlin. */
const NOW = Date.parse('2026-11-25T15:30:00Z') / 1_000;
const clock = new PlaceClock('Europe/Berlin', NOW);
const unusual = new UnusualTimes(clock);
const [WORKS = 0, SCHOOL = 1, RAIL = 2, CLUB = 3, YARD = 4] = SITE_METERS.keys();

const soundsOf = (index: number, seed = 1): PastSounds => {
  const site = SITE_METERS[index];
  if (!site) throw new RangeError(`there is no meter ${index}`);
  return new PastSounds(site, clock, unusual.of(`sim-${index + 1}`), seed);
};

/** Energy mean of some hours of a day, so many days before today. */
function leqOf(index: number, days: number, fromHour: number, toHour: number): number {
  const rows = soundsOf(index).minutes({ from: clock.ago(days, fromHour), to: clock.ago(days, toHour) });
  return 10 * Math.log10(rows.reduce((sum, { leq }) => sum + 10 ** (leq / 10), 0) / rows.length);
}

t.test('each site is loud when somebody is there, and quiet when nobody is', async (t) => {
  const tuesday = 8;
  t.ok(leqOf(WORKS, tuesday, 9, 11) > 65, 'machines in the morning');
  t.ok(leqOf(WORKS, tuesday, 12, 13) < 58, 'a break at noon');
  t.ok(leqOf(WORKS, tuesday, 23, 24) < 42, 'nothing at night');
  t.ok(leqOf(WORKS, 3, 9, 11) < 58, 'nothing on Sunday');
  t.ok(leqOf(SCHOOL, tuesday, 9.5, 9.8) > 66, 'children in the break');
  t.ok(leqOf(SCHOOL, 3, 9.5, 9.8) < 55, 'none on Sunday');
  t.ok(leqOf(RAIL, 2, 6, 22) > 58 && leqOf(RAIL, 2, 6, 22) < 64, 'trains by day');
  t.ok(leqOf(CLUB, 4, 21, 23) > 73, 'music on Saturday evening');
  t.ok(leqOf(CLUB, 1, 21, 23) < 60, 'none on Tuesday');
  t.ok(leqOf(YARD, 2, 1, 4) < 40, 'the yard sleeps');
  t.ok(leqOf(YARD, 2, 5, 9) > leqOf(YARD, 2, 1, 4) + 4, 'birds in the morning');
});

t.test('between two trains it is quiet', async (t) => {
  const rows = soundsOf(RAIL).minutes({ from: clock.ago(2, 10), to: clock.ago(2, 11) });
  const loud = rows.filter(({ lmax }) => lmax > 68).length;
  t.ok(loud >= 5 && loud <= 7, `${loud} minutes with a train in an hour`);
  t.ok(rows.filter(({ lmax }) => lmax < 55).length > 45);
});

t.test('seconds and minutes of the same time have the same levels; a gap has none', async (t) => {
  const span = { from: clock.ago(1, 8), to: clock.ago(1, 10) };
  const minutes = soundsOf(YARD).minutes(span);
  const seconds = soundsOf(YARD).seconds(span);
  t.equal(minutes.length, 60, 'the link is down from nine on');
  t.equal(seconds.length, HOUR_S);
  for (const { at, leq, lmax } of minutes) {
    const own = seconds.filter((one) => one.at >= at && one.at < at + 60);
    const energy = own.reduce((sum, one) => sum + 10 ** (one.leq / 10), 0) / own.length;
    t.ok(Math.abs(10 * Math.log10(energy) - leq) < 0.001);
    t.equal(Math.max(...own.map((one) => one.lmax)), lmax);
  }
});

t.test('the same seed gives the same hour, another seed another one', async (t) => {
  const hour = (seed: number) =>
    JSON.stringify(soundsOf(WORKS, seed).seconds({ from: clock.ago(1, 9), to: clock.ago(1, 10) }));
  const [one, again, other] = [hour(1), hour(1), hour(2)];
  t.ok(one === again);
  t.ok(one !== other);
});

t.test('the clock of a place knows midnight on the days when clocks change', async (t) => {
  const after = new PlaceClock('Europe/Berlin', Date.parse('2026-10-26T12:00:00Z') / 1_000);
  t.equal(new Date(after.ago(0, 0) * 1_000).toISOString(), '2026-10-25T23:00:00.000Z');
  t.equal(new Date(after.ago(1, 0) * 1_000).toISOString(), '2026-10-24T22:00:00.000Z');
  t.strictSame(after.at(after.ago(1, 12)), { day: 0, minute: 720 });
  t.equal(after.lastDay([5, 6], 2), 2, 'two days before Monday it was Saturday');
});
