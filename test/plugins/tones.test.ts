/** The tone of a calibrator in levels of seconds: its edges, its level, and sound that is none. */
import t from 'tap';
import { type Second, tonesIn } from '../../plugins/calibration/tones.ts';

const BEGIN = 1_767_225_600;
/** One second for each level; `moves`: how far its levels lie apart. */
const seconds = (levels: readonly number[], moves = 0.1): Second[] =>
  levels.map((level, index) => ({ at: BEGIN + index, level, low: level - moves / 2, high: level + moves / 2 }));
const times = (count: number, level: number): number[] => Array(count).fill(level);
/** Sound of a street: other levels each second. */
const street = (count: number): number[] => Array.from({ length: count }, (_, index) => 60 + ((index * 7) % 11));
const placesOf = (levels: readonly number[], within = 2) =>
  tonesIn(seconds(levels), { within }).map(({ from, to, level, nominal }) => [
    from - BEGIN,
    to - BEGIN,
    level,
    nominal,
  ]);

t.test('a steady tone has its edges to the second, its level and the nearest level of a calibrator', async (t) => {
  t.strictSame(placesOf([...street(30), ...times(20, 94.3), ...street(30)]), [[30, 50, 94.3, 94]]);
  t.strictSame(placesOf([...street(5), ...times(40, 113.6)]), [[5, 45, 113.6, 114]]);
  t.strictSame(
    placesOf([...street(5), ...times(15, 94.6), ...times(15, 94), ...street(5)]),
    [
      [5, 20, 94.6, 94],
      [20, 35, 94, 94],
    ],
    'before and after the meter was adjusted',
  );
  const own = tonesIn(seconds(times(20, 93.9)), { nominals: [93.85, 94, 114], within: 6 });
  t.match(own, [{ nominal: 93.85 }], 'the level of a certificate');
  t.equal(own[0]?.spread, 0.1);
});

t.test('what is too short, moves, or has another level is no tone', async (t) => {
  t.strictSame(placesOf([...street(5), ...times(9, 94), ...street(5)]), [], 'nine seconds');
  t.equal(placesOf([...street(5), ...times(10, 94), ...street(5)]).length, 1, 'ten are enough');
  t.strictSame(tonesIn(seconds(times(60, 94), 0.4), { within: 2 }), [], 'it moves by 0.4 dB within each second');
  t.equal(tonesIn(seconds(times(60, 94), 0.3), { within: 2 }).length, 1, '0.3 dB are steady');
  t.strictSame(placesOf(times(60, 96.1)), [], 'more than 2 dB beside');
  t.equal(placesOf(times(60, 96.1), 6).length, 1, 'unless somebody announced a calibrator');
  t.strictSame(placesOf(times(60, 104)), []);
  t.strictSame(
    placesOf(Array.from({ length: 60 }, (_, index) => 93 + index * 0.05)),
    [],
    'a level that drifts by 0.05 dB a second',
  );
  t.strictSame(placesOf([]), []);
});

t.test('other commands interrupt the stream for some seconds, and it is one tone', async (t) => {
  const all = seconds(times(60, 94));
  const tone = { from: BEGIN, to: BEGIN + 60, level: 94, spread: 0.1, nominal: 94 };
  const without = (from: number, to: number) => all.filter(({ at }) => at < BEGIN + from || at >= BEGIN + to);
  t.strictSame(tonesIn(without(20, 34), { within: 2 }), [tone]);
  t.equal(tonesIn(without(20, 35), { within: 2 }).length, 2, 'after a longer gap it is another one');
});

t.test('when a machine hums at another level for two days, each second is looked at once', async (t) => {
  let looks = 0;
  const hum = seconds(times(172_800, 104)).map(({ at, ...rest }) => ({
    ...rest,
    get at() {
      looks += 1;
      return at;
    },
  }));
  t.strictSame(tonesIn(hum, { within: 2 }), []);
  t.ok(looks < 4 * hum.length, `${looks} looks`);
});
