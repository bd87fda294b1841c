/** Frames of a meter as the lines of its chart. */
import t from 'tap';
import { type Frame, linesOf } from '../../web/live/frame-lines.ts';

const frame = (index: number, more: Partial<Frame> = {}): Frame => ({
  at: index * 100,
  lp: 50,
  leq: 51,
  over: false,
  missed: 0,
  ...more,
});

t.test('an hour of frames keeps each frame, also a frame that is over range', async (t) => {
  const frames = Array.from({ length: 36_000 }, (_, index) =>
    frame(index, index === 12_345 ? { lp: 105, over: true } : {}),
  );
  const [x, leq, lp, over] = linesOf(frames, [], 0, 3_600_000);
  t.equal(x.length, 36_000);
  t.equal(leq.length, 36_000);
  t.equal(Math.max(...lp.map(Number)), 105);
  t.strictSame(
    over.flatMap((level, index) => (level === null ? [] : [[x[index], level]])),
    [[1_234.5, 105]],
  );
});

t.test('a time without frames is a gap, however much is shown', async (t) => {
  for (const seconds of [2, 36, 600]) {
    const later = [frame(0), frame(1), frame(1 + seconds * 10), frame(2 + seconds * 10)];
    const [x, , lp] = linesOf(later, [], 0, 3_600_000);
    t.strictSame(lp, [50, 50, null, 50, 50], `${seconds} s`);
    t.ok(Number(x[2]) > 0.1 && Number(x[2]) < 0.1 + seconds);
  }
  t.strictSame(linesOf([frame(0), frame(9)], [], 0, 1_000)[2], [50, 50], 'frames that came late are none');
  t.strictSame(
    linesOf([frame(0), frame(3, { missed: 2 })], [], 0, 1_000)[2],
    [50, null, 50],
    'frames left out are one',
  );
});

t.test('only what is shown is drawn', async (t) => {
  const frames = Array.from({ length: 100 }, (_, index) => frame(index));
  t.strictSame(linesOf(frames, [], 2_000, 2_200)[0], [2, 2.1, 2.2]);
  t.strictSame(linesOf(frames, [], 20_000, 30_000)[0], []);
  t.strictSame(linesOf([], [], 0, 1)[0], []);
  t.strictSame(linesOf([frame(1, { lp: null, over: true })], [], 0, 200)[3], [51], 'a frame without Lp is marked, too');
});

t.test('recorded values are before the first frame and in the gaps, and nowhere else', async (t) => {
  const second = (at: number, level = 60) => ({ at: at * 1_000 + 500, level });
  const recorded = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => second(at));
  const frames = [...[40, 41, 42].map((index) => frame(index)), ...[70, 71].map((index) => frame(index))];
  const [x, , lp, , line] = linesOf(frames, recorded, 1_000, 8_000);
  const drawn = (levels: readonly (number | null)[]) => x.filter((_, index) => levels[index] !== null);
  t.strictSame(drawn(lp), [4, 4.1, 4.2, 7, 7.1]);
  t.strictSame(
    drawn(line),
    [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5],
    'after the last frame, too: the stream may have ended',
  );
  t.strictSame(
    [...x].sort((one, other) => one - other),
    x,
    'in the order of time',
  );
  t.strictSame(linesOf([], [second(1), second(40)], 0, 60_000)[4], [60, null, 60], 'single readings are not joined');
});
