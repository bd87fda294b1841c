/** Frames and readings in, rows out. */
import t from 'tap';
import { energyMean } from '../../../lib/domain/indices/index.ts';
import type { Batch, IntervalRow, SecondRow, Weighting } from '../../../lib/history/contract.ts';
import { type Reading, Recorder } from '../../../plugins/history/recorder.ts';
import { arrivals, type Link } from './support/frames.ts';

const WALL = Date.UTC(2026, 5, 15, 12);
const SECOND = WALL / 1_000;
const A_FAST: Weighting = { frequency: 'A', time: 'F' };
const C_SLOW: Weighting = { frequency: 'C', time: 'S' };

function recording(weighting: Weighting | null = A_FAST) {
  const batches: Batch[] = [];
  const recorder = new Recorder(
    { unitId: 'roof' },
    { frameMs: 100, lastCounter: 600 },
    (batch) => void batches.push(batch),
  );
  recorder.weigh(weighting);
  return {
    recorder,
    batches,
    stream(link: Partial<Link>, to: number, from?: number) {
      for (const frame of arrivals({ wall: WALL, ...link }, to, from)) recorder.frame(frame);
    },
    get seconds(): SecondRow[] {
      return batches.flatMap(({ seconds = [] }) => seconds);
    },
    get intervals(): IntervalRow[] {
      return batches.flatMap(({ intervals = [] }) => intervals);
    },
  };
}

t.test('ten frames are a row: the energy mean of Leq, the extremes, the peak, each Lp', async (t) => {
  const it = recording();
  const lp = ['50.0', '51.0', '52.5', '60.3', '61.0', '58.8', '57.1', '55.0', '53.2', '52.0'];
  it.stream(
    {
      main: (k) => ({
        lp: lp[k - 1] ?? '40.0',
        leq: k === 4 ? '70.0' : '50.0',
        lmax: k === 5 ? '61.4' : '60.0',
        lmin: k === 2 ? '48.7' : '50.0',
        lpeak: k === 4 ? '81.3' : '62.0',
      }),
    },
    11,
  );
  t.equal(it.seconds.length, 1, 'the second is a row as soon as a frame of the next one is there');
  const [row] = it.seconds;
  const mean = energyMean([
    { level: 70, seconds: 1 },
    { level: 50, seconds: 9 },
  ]);
  t.match(row, { at: SECOND, steps: 10, lmax: 61.4, lmin: 48.7, lpeak: 81.3, lp: lp.map(Number) });
  t.equal(row?.leq?.toFixed(6), mean?.toFixed(6));
  t.strictSame(row?.flags, { over: false, under: false, frozen: false, implausible: false });
  t.match(it.batches[0], { unitId: 'roof', source: 'stream', weighting: A_FAST });
});

t.test('rows lie on full seconds of UTC, wherever the stream begins', async (t) => {
  const it = recording();
  it.stream({ wall: WALL + 730 }, 30);
  it.recorder.flush();
  t.strictSame(
    it.seconds.map(({ at, steps }) => [at - SECOND, steps]),
    [
      [0, 3],
      [1, 10],
      [2, 10],
      [3, 7],
    ],
  );
});

t.test('a row tells how many steps came, and nothing is filled in', async (t) => {
  const it = recording();
  it.stream({ isLost: (k) => k === 3 || k === 7 || (k > 20 && k <= 40) }, 60);
  it.recorder.flush();
  t.strictSame(
    it.seconds.map(({ at, steps }) => [at - SECOND, steps]),
    [
      [0, 8],
      [1, 10],
      [4, 10],
      [5, 10],
    ],
    'two seconds of nothing are no rows',
  );
});

t.test('a frame without a level is missing time', async (t) => {
  const it = recording();
  const nothing = { lp: null, leq: null, lmax: null, lmin: null, lpeak: null };
  it.stream({ main: (k) => (k === 5 || k > 10 ? nothing : {}) }, 30);
  it.recorder.flush();
  t.strictSame(
    it.seconds.map(({ at, steps, lp }) => [at - SECOND, steps, lp?.length]),
    [[0, 9, 9]],
  );
});

t.test('over range and under range are flagged second by second', async (t) => {
  const over = recording();
  over.stream({ main: (k) => ({ over: k === 15, under: k === 25 }) }, 40);
  over.recorder.flush();
  t.strictSame(
    over.seconds.map(({ flags }) => [flags?.over, flags?.under]),
    [
      [false, false],
      [true, false],
      [false, true],
      [false, false],
    ],
  );
});

t.test('levels are frozen from the 600th frame that repeats them, not one earlier and not one later', async (t) => {
  for (const [changesAt, frozenSeconds] of [
    [601, []],
    [602, [60]],
    [701, [60, 61, 62, 63, 64, 65, 66, 67, 68, 69]],
  ] as const) {
    const it = recording();
    it.stream({ main: (k) => (k >= changesAt ? { lp: '50.1' } : {}) }, 800);
    const found = it.seconds.flatMap(({ flags }, at) => (flags?.frozen ? [at] : []));
    t.strictSame(found, frozenSeconds, `the first other level is that of frame ${changesAt}`);
  }
});

t.test('a change of weighting begins new rows: no second mixes two', async (t) => {
  const it = recording();
  const frames = arrivals({ wall: WALL }, 35);
  for (const frame of frames.slice(0, 15)) it.recorder.frame(frame);
  it.recorder.weigh(C_SLOW);
  for (const frame of frames.slice(15)) it.recorder.frame(frame);
  it.recorder.flush();
  t.strictSame(
    it.batches.flatMap(({ weighting, seconds = [] }) =>
      seconds.map(({ at, steps }) => [weighting.frequency, at - SECOND, steps]),
    ),
    [
      ['A', 0, 10],
      ['A', 1, 5],
      ['C', 1, 5],
      ['C', 2, 10],
      ['C', 3, 5],
    ],
  );
  it.recorder.weigh(C_SLOW);
  t.equal(it.batches.length, 5, 'the same weighting again is no change');
});

t.test('levels without a weighting are not recorded, but counted', async (t) => {
  const it = recording(null);
  it.stream({}, 35);
  it.recorder.reading(reading(0, 60));
  t.strictSame(it.batches, []);
  t.equal(it.recorder.unweighted, 36);
});

/** A reading so many seconds after the start of a measurement with this Leq so far. */
function reading(at: number, lp: number, levels: Partial<Reading> = {}): Reading {
  return {
    time: WALL + at * 1_000,
    elapsed: 5_000 + at * 1_000,
    lp,
    leq: null,
    le: null,
    measuring: false,
    flags: { over: false, under: false, frozen: false, implausible: false },
    ...levels,
  };
}

/** The same with a measurement that began at 0 and heard these levels, a second each. Shown in tenths. */
function measured(at: number, heard: readonly number[], levels: Partial<Reading> = {}): Reading {
  const leq = energyMean(heard.slice(0, at).map((level) => ({ level, seconds: 1 }))) ?? 0;
  const tenths = (level: number) => Math.round(level * 10) / 10;
  return reading(at, heard[at - 1] ?? 0, {
    measuring: true,
    leq: tenths(leq),
    le: tenths(leq + 10 * Math.log10(at)),
    ...levels,
  });
}

t.test('a reading of a meter that does not measure is its Lp at that moment, for no time at all', async (t) => {
  const it = recording();
  it.recorder.reading(reading(0, 47.3));
  it.recorder.reading(reading(60.4, 51.2));
  t.match(it.seconds, [
    { at: SECOND, steps: 0, leq: null, lmax: null, lp: [47.3] },
    { at: SECOND + 60, steps: 0, leq: null, lmax: null, lp: [51.2] },
  ]);
  t.strictSame(it.intervals, [], 'and says nothing about the time between');
  t.match(it.batches, [{ source: 'poll' }, { source: 'poll' }]);
});

t.test('two readings of one measurement give the Leq between them', async (t) => {
  const heard = [...Array(60).fill(60), ...Array(60).fill(66), ...Array(60).fill(63)];
  const it = recording();
  for (const at of [60, 120, 180]) it.recorder.reading(measured(at, heard));
  t.strictSame(
    it.intervals.map(({ at, duration }) => [at - SECOND, duration]),
    [
      [60, 60],
      [120, 60],
    ],
    'neighbours meet',
  );
  const [second, third] = it.intervals;
  t.ok(Math.abs((second?.leq ?? 0) - 66) <= 0.25, `${second?.leq}`);
  t.ok(Math.abs((third?.leq ?? 0) - 63) <= 0.5, `${third?.leq}`);
});

t.test('late in a measurement LE is too coarse: then there is a reading and no Leq', async (t) => {
  const it = recording();
  const heard = Array(7_260).fill(60);
  it.recorder.reading(measured(7_200, heard));
  it.recorder.reading(measured(7_260, heard));
  t.equal(it.seconds.length, 2);
  t.strictSame(it.intervals, []);
});

t.test('readings that are too near for a Leq give one over several of them', async (t) => {
  const it = recording();
  const heard = Array.from({ length: 120 }, (_, second) => (second < 60 ? 60 : 72));
  for (let at = 5; at <= 120; at += 5) it.recorder.reading(measured(at, heard));
  t.equal(it.seconds.length, 24);
  t.ok(it.intervals.length >= 5, `${it.intervals.length}`);
  for (const [index, { at, duration, leq }] of it.intervals.entries()) {
    const next = it.intervals[index + 1];
    t.ok(duration <= 30 && (!next || next.at === at + duration), 'they meet, and are as short as they can be');
    const own = heard.slice(at - SECOND, at - SECOND + duration);
    const truth = 10 * Math.log10(own.reduce((sum, level) => sum + 10 ** (level / 10), 0) / own.length);
    t.ok(Math.abs(leq - truth) <= 0.5, `${leq} of ${truth}`);
  }
  t.equal(it.intervals[0]?.at, SECOND + 5);
});

t.test('a reading is no beginning any more a quarter of an hour later', async (t) => {
  const it = recording();
  const heard = Array<number>(30_000).fill(60);
  // After an hour, a minute changes LE by less than its tenths show. A quarter of an hour changes it by a decibel; after
  // eight hours by less.
  for (let at = 3_000; at <= 4_500; at += 60) it.recorder.reading(measured(at, heard));
  t.ok(
    it.intervals.length > 0 &&
      it.intervals.every(({ duration, leq }) => duration > 60 && duration <= 900 && Math.abs(leq - 60) <= 0.5),
  );
  const late = recording();
  for (let at = 27_000; at <= 29_700; at += 60) late.recorder.reading(measured(at, heard));
  t.strictSame(late.intervals, []);
});

t.test('the Leq between two readings is of a day at most: the history takes no longer interval', async (t) => {
  const it = recording();
  const heard = Array<number>(90_000).fill(60);
  for (const at of [60, 86_460]) it.recorder.reading(measured(at, heard));
  t.match(it.intervals, [{ at: SECOND + 60, duration: 86_400 }]);
  const longer = recording();
  for (const at of [60, 86_461]) longer.recorder.reading(measured(at, heard));
  t.same(longer.intervals, []);
  t.equal(longer.seconds.length, 2);
});

t.test('no Leq is made across a pause, a new start, a stop or a change of weighting', async (t) => {
  const heard = Array(300).fill(60);
  const between = (before: Reading, now: Reading, meanwhile = (_: Recorder) => {}) => {
    const it = recording();
    it.recorder.reading(before);
    meanwhile(it.recorder);
    it.recorder.reading(now);
    return it.intervals.length;
  };
  t.equal(between(measured(60, heard), measured(120, heard)), 1, 'without any of them there is one');
  t.equal(between(measured(60, heard), measured(120, heard, { measuring: false })), 0, 'stopped or paused');
  t.equal(between(measured(60, heard, { measuring: false }), measured(120, heard)), 0, 'was paused');
  const louder = measured(40, Array(40).fill(80));
  t.equal(between(measured(60, heard), { ...louder, ...at(120) }), 0, 'a new start that is louder than all before');
  t.equal(
    between(measured(60, heard), { ...measured(80, heard), ...at(120) }),
    0,
    'forty seconds of pause that nobody saw',
  );
  t.equal(
    between(measured(60, heard), measured(120, heard), (recorder) => recorder.weigh(C_SLOW)),
    0,
  );
});

const at = (seconds: number) => ({ time: WALL + seconds * 1_000, elapsed: 5_000 + seconds * 1_000 });

t.test('a wall clock that is set between two readings does not stretch the Leq between them', async (t) => {
  const heard = Array(120).fill(60);
  const it = recording();
  it.recorder.reading(measured(60, heard));
  it.recorder.reading({ ...measured(120, heard), time: WALL + 3_720_000 });
  t.strictSame(
    it.intervals.map(({ at, duration }) => [at - SECOND, duration]),
    [[3_660, 60]],
  );
});
