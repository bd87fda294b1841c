/** One choice of sources: a row is what its seconds are, whatever is excluded. */
import t, { type Test } from 'tap';
import type { HistoryRow, Range } from '../../lib/history/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { openedHistory } from '../support/history.ts';

const weighting = { frequency: 'A', time: 'F' } as const;
const FROM = Date.UTC(2026, 10, 21, 6) / 1_000;

async function opened(t: Test) {
  const { history } = await openedHistory(t, { clock: new VirtualClock((FROM + 7_200) * 1_000) });
  const levels = (leq: number) => ({ leq, lmax: leq + 3, lmin: leq - 3, lpeak: leq + 10 });
  const stream = (at: number, leq: number, steps = 10) => ({
    at: FROM + at,
    steps,
    ...levels(leq),
    lp: Array(steps).fill(leq),
  });
  const interval = (at: number, duration: number, leq: number) => ({ at: FROM + at, duration, ...levels(leq) });
  const row = async (excluded: readonly Range[] = [], to = 3_600): Promise<HistoryRow> => {
    const over = { ranges: [{ from: FROM, to: FROM + to }] };
    const shifted = excluded.map((range) => ({ from: FROM + range.from, to: FROM + range.to }));
    const { rows } = await history.query({ unitId: 'roof', over, excluded: shifted });
    for await (const [found] of rows) if (found) return found;
    throw new Error('no row');
  };
  const append = async (source: 'stream' | 'card', seconds: ReturnType<typeof stream>[]) => {
    history.append({ unitId: 'roof', source, weighting, seconds });
    await history.flush();
  };
  const bring = (intervals: ReturnType<typeof interval>[]) =>
    history.import(
      { unitId: 'roof', channel: 'main', weighting },
      (async function* () {
        yield intervals;
      })(),
    );
  return { append, bring, stream, interval, row };
}

const lost = (second: number) => second >= 20 && second < 29;

t.test(
  'a stream of 60 dB that lost 9 s, and an import of just these at 90 dB: nothing excluded changes the choice',
  async (t) => {
    const { append, bring, stream, interval, row } = await opened(t);
    const seconds = Array.from({ length: 60 }, (_, second) => second);
    await append(
      'stream',
      seconds.filter((second) => !lost(second)).map((second) => stream(second, 60)),
    );
    await bring([interval(20, 9, 90)]);
    const leq = (quiet: number) => 10 * Math.log10((quiet * 10 ** 6 + 9 * 10 ** 9) / (quiet + 9));
    const whole = await row([], 60);
    t.equal(whole.measured, 60, 'all of the minute is known');
    t.ok(Math.abs((whole.leq ?? 0) - leq(51)) < 1e-4, `${whole.leq} dB`);
    const less = await row([{ from: 40, to: 41 }], 60);
    t.equal(less.measured, 59, 'less time is less data');
    t.ok(Math.abs((less.leq ?? 0) - leq(50)) < 1e-4, `${less.leq} dB`);
  },
);

t.test('a second that lost a frame counts by its stream, in a row of each length', async (t) => {
  const { append, bring, stream, interval, row } = await opened(t);
  const seconds = Array.from({ length: 60 }, (_, second) => stream(second, 60, second === 5 ? 9 : 10));
  await append('stream', seconds);
  await bring([interval(0, 10, 90), interval(10, 50, 90)]);
  for (const length of [1, 10, 60, 3_600]) t.equal((await row([], length)).leq, 60, `${length} s`);
});

t.test('rows of random sources are what their seconds are, and no exclusion gives more data', async (t) => {
  const { append, bring, stream, interval, row } = await opened(t);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const card = new Map<number, number>();
  const own = new Map<number, { level: number; steps: number }>();
  const imported = new Map<number, number>();
  for (let at = 0; at < 3_600; at++) {
    // Whole minutes of the card, minutes without it, and minutes that it has in part.
    if (at % 600 < 240 || (at % 600 < 480 && random(3) > 0)) card.set(at, 50 + random(200) / 10);
    if (random(8) > 0) own.set(at, { level: 40 + random(400) / 10, steps: 1 + random(10) });
  }
  const intervals = [];
  for (let at = random(50); at < 3_500; at += 20 + random(100)) {
    const [duration, level] = [5 + random(15), 60 + random(300) / 10];
    intervals.push(interval(at, duration, level));
    for (let second = at; second < at + duration; second++) imported.set(second, level);
  }
  await append(
    'card',
    [...card].map(([at, level]) => stream(at, level)),
  );
  await append(
    'stream',
    [...own].map(([at, { level, steps }]) => stream(at, level, steps)),
  );
  await bring(intervals);
  /** The source with the most steps of each second, but seconds with three quarters of them before an import; of equals the card, then the stream. */
  const expected = (isLeft: (at: number) => boolean) => {
    let [energy, steps] = [0, 0];
    for (let at = 0; at < 3_600; at++) {
      const all = [
        { level: card.get(at), steps: card.has(at) ? 10 : 0 },
        { level: own.get(at)?.level, steps: own.get(at)?.steps ?? 0 },
        { level: imported.get(at), steps: imported.has(at) ? 10 : 0 },
      ];
      const most = all.reduce((best, one) => (one.steps > best.steps ? one : best));
      const best = most === all[2] && (all[1]?.steps ?? 0) >= 7.5 ? (all[1] ?? most) : most;
      if (best.level === undefined || !isLeft(at)) continue;
      energy += best.steps * 10 ** (best.level / 10);
      steps += best.steps;
    }
    return { leq: 10 * Math.log10(energy / steps), measured: steps / 10 };
  };
  const whole = await row();
  const { leq, measured } = expected(() => true);
  t.ok(Math.abs(whole.measured - measured) < 1e-6, `${whole.measured} of ${measured} s`);
  t.ok(Math.abs((whole.leq ?? 0) - leq) < 1e-4, `${whole.leq} of ${leq} dB`);
  let most = 0;
  for (let turn = 0; turn < 40; turn++) {
    // Not within a row of the import, which counts as a whole.
    const free = Array.from({ length: 3_600 }, (_, at) => at).filter((at) => !imported.has(at));
    const at = free[random(free.length)] ?? 0;
    const less = await row([{ from: at, to: at + 1 }]);
    const wanted = expected((second) => second !== at);
    most = Math.max(most, less.measured - whole.measured);
    if (Math.abs(less.measured - wanted.measured) > 1e-6 || Math.abs((less.leq ?? 0) - wanted.leq) > 1e-4)
      t.fail(`without second ${at}: ${less.measured} of ${wanted.measured} s, ${less.leq} of ${wanted.leq} dB`);
  }
  t.ok(most <= 0, `less time never gives more data: ${most} s`);
});
