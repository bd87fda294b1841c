/** The formulas, held against numbers that were worked out beside the code (docs/assessment.md names them). */
import t from 'tap';
import {
  EventFinder,
  energyShare,
  loudest,
  MovingLeq,
  meanOfLevels,
  ratingLevel,
  specificLevel,
  spreadOf,
  sumOfEvents,
  taktLevel,
} from '../../plugins/assessment/model/index.ts';
import { addedBy, correctionOf, levelOfEvents } from '../../plugins/assessment/model/rating.ts';

const HOUR_S = 3_600;
const near = (found: number | null | undefined, wanted: number) => Math.abs((found ?? Number.NaN) - wanted) < 0.005;

t.test('the rating level is a mean over the whole reference time', async (t) => {
  const parts = [
    { level: 60, seconds: 2 * HOUR_S },
    { level: 50, seconds: 6 * HOUR_S },
  ];
  t.ok(near(ratingLevel(parts), 55.12), 'two hours of 60 dB and six of 50');
  t.ok(
    near(ratingLevel([{ level: 60, seconds: HOUR_S }], 16 * HOUR_S), 47.96),
    'one hour of 60 dB of 16, else silence',
  );
  t.equal(ratingLevel([]), null);
});

t.test('the residual level is taken off as energy, and refused where nobody can tell the source', async (t) => {
  t.ok(near(specificLevel(65, 60)?.level, 63.35));
  t.equal(specificLevel(65, 60)?.sure, false, '5 dB apart: marked');
  t.equal(specificLevel(65, 62.01), null, '2.99 dB apart: refused');
  t.ok(near(specificLevel(65, 62)?.level, 61.98), '3 dB apart are enough');
  t.equal(specificLevel(65, 55)?.sure, true, '10 dB apart: sure');
});

t.test('a rating level has the corrections for events, takts and steps', async (t) => {
  t.ok(near(levelOfEvents(85, 10, 16 * HOUR_S), 47.4), 'ten events of LAE 85 in 16 h');
  t.ok(near(taktLevel([50, 50, 80]), 75.24));
  t.equal(taktLevel([]), null);
  const steps = [
    { above: 10, db: 3 },
    { above: 15, db: 6 },
  ];
  t.strictSame(
    [9, 10, 10.1, 15, 15.1].map((difference) => addedBy(steps, difference)),
    [0, 0, 3, 3, 6],
  );
  const corrections = [
    { up_to_s: 60, db: 6 },
    { up_to_s: 300, db: 5 },
  ];
  t.strictSame(
    [60, 61, 300, 301].map((seconds) => correctionOf(corrections, seconds)),
    [6, 5, 5, 0],
  );
});

t.test('the mean of days is a mean of energies, each day alike, with its standard error', async (t) => {
  const { level, error, count } = meanOfLevels([60, 63, 57]);
  t.ok(near(level, 60.6651));
  t.ok(near(error, 1.6365));
  t.equal(count, 3);
  t.equal(meanOfLevels([60]).error, null);
  t.equal(meanOfLevels([]).level, null);
});

t.test('a moving mean has a value where three quarters of its window were measured', async (t) => {
  const moving = new MovingLeq(900, 0.75);
  const minute = (at: number, leq: number | null) =>
    moving.add({ from: at * 60, to: at * 60 + 60, leq, measured: leq === null ? 0 : 60 });
  const values = Array.from({ length: 30 }, (_, at) => minute(at, at < 15 ? 60 : 70));
  t.strictSame(
    values.slice(0, 12).map(({ leq }) => leq === null),
    Array.from({ length: 12 }, (_, at) => at < 11),
    'eleven minutes are 73 %, twelve are 80 %',
  );
  t.ok(near(values[14]?.leq, 60));
  t.ok(near(values[29]?.leq, 70));
  // 5 minutes of 70 dB and 10 of 60: 10 lg((5 * 10^7 + 10 * 10^6) / 15)
  t.ok(near(values[19]?.leq, 66.0206));
  t.match(values[19], { from: 300, to: 1_200 });
  for (let at = 30; at < 35; at++) minute(at, null);
  t.equal(minute(35, 70).leq, null, 'with 6 of 15 minutes missing, no level');
});

t.test('the loudest hour was measured', async (t) => {
  const rows = [
    { leq: 60, coverage: 1 },
    { leq: 90, coverage: 0.5 },
    { leq: 61, coverage: 0.75 },
    { leq: 61, coverage: 1 },
  ];
  t.equal(loudest(rows, 0.75), rows[2]);
  t.equal(loudest([], 0.75), undefined);
});

t.test('the spread of the background has classes, mode and median', async (t) => {
  t.strictSame(spreadOf([40, 41, 41.4, 42.5, 39]), {
    count: 5,
    classes: [
      { level: 39, count: 1 },
      { level: 40, count: 1 },
      { level: 41, count: 2 },
      { level: 43, count: 1 },
    ],
    mode: 41,
    median: 41,
    lowest: 39,
    highest: 42.5,
  });
  t.equal(spreadOf([40, 42]).median, 41);
  t.equal(spreadOf([40, 42]).mode, 40, 'of equals the lower one');
  t.match(spreadOf([]), { count: 0, mode: null, median: null });
});

/** All events of seconds from 0 on; null: no data. */
function eventsOf(levels: readonly (number | null)[], rule: { readonly minS: number; readonly holdS: number }) {
  const finder = new EventFinder({ ...rule, threshold: () => 60 });
  const found = levels.flatMap((leq, at) =>
    leq === null ? [] : (finder.add({ at, leq, lmax: leq + 1, seconds: 1 }) ?? []),
  );
  return [...found, finder.end()].filter((event) => event !== undefined);
}
const times = (count: number, level: number | null) => Array.from({ length: count }, () => level);

t.test('an event starts above the threshold, ends below it for the hold time, and has its exposure', async (t) => {
  const rule = { minS: 3, holdS: 5 };
  const [event, ...others] = eventsOf([...times(10, 50), ...times(10, 70), ...times(20, 50)], rule);
  t.strictSame(others, []);
  t.match(event, { from: 10, to: 20, lmax: 71, lmaxAt: 10, missingS: 0, threshold: 60 });
  t.ok(near(event?.lae, 80), '10 s of 70 dB: 70 + 10 lg 10');
  t.ok(near(event?.lae10, 80));
  t.strictSame(eventsOf([...times(5, 60), ...times(5, 50)], rule), [], 'a level at the threshold is not above it');
  t.strictSame(eventsOf([70, 70, ...times(9, 50)], rule), [], 'two seconds are too short for three');
  t.equal(eventsOf([70, 70, 70], rule).length, 1, 'three are enough, also at the end of the data');
  const two = (pause: number) => eventsOf([...times(4, 70), ...times(pause, 50), ...times(4, 70)], rule).length;
  t.strictSame([two(4), two(5), two(6)], [1, 2, 2], 'after five seconds below it has ended');
});

t.test('the exposure within 10 dB of the maximum leaves the quiet part of an event out', async (t) => {
  const [event] = eventsOf([...times(10, 80), ...times(10, 69), ...times(10, 50)], { minS: 1, holdS: 5 });
  t.ok(near(event?.lae10, 90));
  // 10 lg(10 * 10^8 + 10 * 10^6.9)
  t.ok(near(event?.lae, 90.3316));
});

t.test('10 dB below the loudest second is decided with rounded figures', async (t) => {
  // 64.9 - 10 is a little more than 54.9 in binary fractions.
  const finder = new EventFinder({ minS: 1, holdS: 5, threshold: () => 50 });
  for (const [at, leq] of [64.9, 54.9].entries()) finder.add({ at, leq, lmax: leq, seconds: 1 });
  const event = finder.end();
  t.ok(near(event?.lae10, event?.lae ?? 0), `${event?.lae10} ${event?.lae}`);
});

t.test('the time of the maximum is that of its second, also where another second has the highest Leq', async (t) => {
  const finder = new EventFinder({ minS: 1, holdS: 5, threshold: () => 50 });
  const levels = [
    [70, 72],
    [65, 80],
    [68, 70],
  ] as const;
  for (const [at, [leq, lmax]] of levels.entries()) finder.add({ at, leq, lmax, seconds: 1 });
  t.match(finder.end(), { lmax: 80, lmaxAt: 1 });
});

t.test('time without data within an event is listed, and ends the event like silence', async (t) => {
  const [event] = eventsOf([...times(4, 70), ...times(3, null), ...times(4, 70)], { minS: 1, holdS: 5 });
  t.match(event, { from: 0, to: 11, missingS: 3 });
  t.equal(eventsOf([...times(4, 70), ...times(6, null), ...times(4, 70)], { minS: 1, holdS: 5 }).length, 2);
});

t.test('a second that was measured in part has the energy of this part, and the missing part is listed', async (t) => {
  const finder = new EventFinder({ minS: 1, holdS: 5, threshold: () => 60 });
  // Half of the frames were lost: 100 s of 70 dB, half of them measured.
  for (let at = 0; at < 100; at++) finder.add({ at, leq: 70, lmax: 72, seconds: at < 10 ? 0.3 : 0.5 });
  const event = finder.end();
  const measured = 10 * 0.3 + 90 * 0.5;
  t.equal(event?.missingS, 100 - measured);
  t.ok(near(event?.lae, 10 * Math.log10(measured * 10 ** 7)), `LAE ${event?.lae}`);
  const whole = 10 * Math.log10((measured * 10 ** 7 + 100 * 10 ** 6) / (measured + 100));
  const share = energyShare(event?.lae ?? null, whole, measured + 100) ?? 0;
  t.ok(near(share, (measured * 10 ** 7) / (measured * 10 ** 7 + 100 * 10 ** 6)), `share ${share}`);
});

t.test('events together: number above, and their share of the energy', async (t) => {
  const events = eventsOf([...times(10, 70), ...times(20, 50), ...times(10, 64), ...times(20, 50)], {
    minS: 1,
    holdS: 5,
  });
  const sum = sumOfEvents(events, [60, 65, 71]);
  t.strictSame(
    sum.nat.map(({ count }) => count),
    [2, 2, 1],
    'a maximum at the level counts',
  );
  // 10 * 10^7 + 10 * 10^6.4
  t.ok(near(sum.lae, 80.9732));
  t.ok(near(energyShare(80, 62.2185, 60), 1), '10 s of 70 dB in a minute of 62.2 dB: all of it');
  t.equal(energyShare(null, 50, 60), 0);
  t.equal(energyShare(80, null, 0), null);
});
