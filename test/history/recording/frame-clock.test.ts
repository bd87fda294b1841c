/** When a frame was measured, whatever the link and the clocks do. */
import fc from 'fast-check';
import t from 'tap';
import { type ArrivedFrame, FrameClock } from '../../../plugins/history/frame-clock.ts';
import { arrivals, frameOf, type Link } from './support/frames.ts';

const WALL = Date.UTC(2026, 5, 15, 12);
const FIRST = WALL / 100;
const TIMING = { frameMs: 100, lastCounter: 600 };

/** The step of each frame, by the order of their coming. */
const placed = (frames: readonly ArrivedFrame[], clock = new FrameClock(TIMING)): number[] => {
  const steps = frames.flatMap((frame) => clock.take(frame).map(({ step }) => step));
  return [...steps, ...clock.flush().map(({ step }) => step)];
};
const stepsOf = (link: Partial<Link>, to: number, from = 1) => placed(arrivals({ wall: WALL, ...link }, to, from));
/** Where they belong: frame k is the k-th step. */
const truth = (to: number, isLost: (k: number) => boolean = () => false) =>
  Array.from({ length: to }, (_, index) => index + 1).flatMap((k) => (isLost(k) ? [] : FIRST + k - 1));

t.test('frame after frame lies in step after step, also when the counter comes back to 1', async (t) => {
  t.strictSame(stepsOf({}, 2_000), truth(2_000));
});

t.test('a bunch at the very beginning is spread over the time in which it was measured', async (t) => {
  const delay = (k: number) => Math.max(0, 5_000 - k * 100);
  t.strictSame(stepsOf({ delay }, 300), truth(300), 'the answer to the request was in time');
  const late = arrivals({ wall: WALL, delay }, 300).map((frame) => ({ ...frame, begun: 10_000 }));
  t.strictSame(placed(late), truth(300), 'the answer came with the bunch');
});

t.test('frames that are lost before the first that came leave their steps empty', async (t) => {
  const isLost = (k: number) => k < 50;
  t.strictSame(stepsOf({ isLost }, 100), truth(100, isLost));
});

t.test('a new request begins its counter at 1, even when the number could go on', async (t) => {
  const clock = new FrameClock(TIMING);
  const before = arrivals({ wall: WALL }, 597);
  // 1.5 s later. By its number, frame 1 could be the frame 0.4 s after frame 597.
  const after = arrivals({ wall: WALL + 61_200, begun: 66_200 }, 20);
  t.strictSame(placed([...before, ...after], clock), [...truth(597), ...after.map(({ k }) => FIRST + 612 + k - 1)]);
});

t.test('frames that come twice count once', async (t) => {
  const frames = arrivals({ wall: WALL }, 50);
  t.strictSame(placed(frames.flatMap((frame) => [frame, { ...frame, elapsed: frame.elapsed + 1 }])), truth(50));
});

t.test('in a stream that has run for hours, a new listener places frames by their arrival', async (t) => {
  t.strictSame(
    stepsOf({}, 100_500, 100_001),
    truth(100_500).slice(100_000),
    'the counter has come back to 1 many times unseen',
  );
});

t.test('a wall clock that is set moves later frames, by the same time', async (t) => {
  for (const set of [3_600_000, -3_600_000, 1_000, -1_000]) {
    const steps = stepsOf({ jump: (k) => (k > 500 ? set : 0) }, 1_000);
    t.strictSame(steps.slice(0, 500), truth(500), `${set} ms: nothing that was before`);
    t.strictSame(
      steps.slice(500),
      truth(1_000)
        .slice(500)
        .map((step) => step + set / 100),
      `${set} ms: all that is after`,
    );
  }
  t.strictSame(stepsOf({ jump: (k) => (k % 2) * 40 }, 1_000), truth(1_000), 'a tremble of it moves nothing');
});

t.test('a crystal that is slower or faster never takes a frame more than two steps away', async (t) => {
  for (const stepMs of [100.005, 99.995]) {
    const hours = arrivals({ wall: WALL, stepMs, delay: (k) => (k % 13 === 0 ? 80 : 5) }, 216_000);
    const clock = new FrameClock(TIMING);
    let worst = 0;
    let slips = 0;
    let last: number | undefined;
    for (const frame of hours) {
      for (const { step } of clock.take(frame)) {
        if (last !== undefined && step !== last + 1) slips += 1;
        last = step;
      }
      if (last !== undefined) worst = Math.max(worst, Math.abs(last - FIRST - ((frame.k - 1) * stepMs) / 100));
    }
    t.ok(worst <= 2, `${stepMs}: at most ${worst.toFixed(2)} steps`);
    t.ok(slips <= 11, `${stepMs}: ${slips} steps left out or doubled, of 216,000`);
  }
});

t.test('a counter that counts otherwise is not believed: frames lie at their arrival', async (t) => {
  const toThousand = arrivals({ wall: WALL }, 2_500).map((frame) => ({
    ...frame,
    frame: frameOf(((frame.k - 1) % 999) + 1),
  }));
  t.strictSame(placed(toThousand), truth(2_500), 'it comes back to 1 after 999');
});

t.test('on every link, frames keep their order and their distance, and are at most a step away', async () => {
  const delays = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 20, maxLength: 20 });
  const lost = fc.array(fc.integer({ min: 1, max: 1_500 }), { maxLength: 400 });
  fc.assert(
    fc.property(delays, lost, (delays, lost) => {
      const gone = new Set(lost);
      const link = {
        wall: WALL,
        // Every third stretch the link is fine; otherwise it holds frames back.
        delay: (k: number) => (Math.floor(k / 25) % 3 === 0 ? 0 : (delays[Math.floor(k / 75) % 20] ?? 0)),
        isLost: (k: number) => gone.has(k),
      };
      const frames = arrivals(link, 1_500);
      const steps = placed(frames);
      return frames.every(({ k }, index) => steps[index] === FIRST + k - 1);
    }),
    { numRuns: 40 },
  );
});

t.test('length and counter are those of the family: frames of 50 ms, counted to 20', async (t) => {
  const clock = new FrameClock({ frameMs: 50, lastCounter: 20 });
  const frames = Array.from({ length: 50 }, (_, index) => {
    const at = (index + 1) * 50;
    return { frame: frameOf((index % 20) + 1), time: WALL + at, elapsed: at, begun: 0 };
  });
  const steps = placed(frames, clock);
  t.strictSame(
    steps,
    frames.map((_, index) => WALL / 50 + index),
  );
});
