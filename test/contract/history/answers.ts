/** The content of an answer: levels, coverage, percentiles, source. */
import type { Test } from 'tap';
import type { Batch } from '../../../lib/history/contract.ts';
import {
  AF,
  both,
  CF,
  HOUR,
  hours,
  interval,
  minutes,
  PERCENTILES,
  reading,
  rowsOf,
  type Stage,
  second,
  stream,
} from './rows.ts';

export function answers(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('a steady level is that level in every step, with full coverage and nothing else', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'steady';
    const seconds = Array.from({ length: 7_200 }, (_, index) => second(HOUR + index, 60, { lp: Array(10).fill(60) }));
    t.strictSame(history.append(stream(unitId, seconds)), { taken: 7_200, lost: 0 });
    await history.flush();
    for (const step of [1, 10, 60, 900, 3_600, 7_200]) {
      const rows = await rowsOf(history, { unitId, ...hours(2, step, { percentiles: [10] }) });
      t.equal(rows.length, 7_200 / step);
      const levels = { leq: 60, lmax: 61, lmin: 59, lpeak: 72, lieq: 62, lp: null, ln: [60] };
      const rest = { measured: step, readings: 0, sources: ['stream'], resolution: 1 };
      for (const [index, row] of rows.entries()) {
        const flagged = { over: 0, under: 0, frozen: 0, implausible: 0, weighting: 0 };
        const from = HOUR + index * step;
        const bounds = { lmax: null, lmin: null, lpeak: null };
        const one = { from, to: from + step, ...levels, bounds, lmaxAt: from, ...rest, flagged };
        if (index < 3 || index > rows.length - 3) t.strictSame(row, one, `${step} s`);
      }
    }
  });

  t.test('percentiles of ten seconds, of one, and of the edge of a minute are of their own samples', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'edges';
    // 1.0 to 100.0 dB in ten seconds, the loudest first; a second without samples, and one with a single step.
    const seconds = Array.from({ length: 10 }, (_, index) =>
      second(HOUR + index, 60, { lp: Array.from({ length: 10 }, (_, step) => 100 - index * 10 - step) }),
    );
    const others = [second(HOUR + 20, 60, { lp: [] }), second(HOUR + 21, 60, { steps: 1, lp: [61.3] })];
    history.append(stream(unitId, [...others, ...seconds]));
    history.append({ unitId, source: 'poll', weighting: AF, seconds: [reading(HOUR + 30, 47.5)] });
    await history.flush();
    const ask = async (from: number, to: number, step: number) => {
      const percentiles = [10, 50, 90];
      return (await rowsOf(history, { unitId, over: { from: HOUR + from, to: HOUR + to, step }, percentiles })).map(
        ({ ln }) => ln,
      );
    };
    t.strictSame(await ask(0, 10, 10), [[90.1, 50.5, 10.9]]);
    t.strictSame((await ask(0, 2, 1))[1], [89.1, 85.5, 81.9]);
    t.strictSame(await ask(20, 22, 1), [
      [null, null, null],
      [61.3, 61.3, 61.3],
    ]);
    t.strictSame(await ask(30, 31, 1), [[47.5, 47.5, 47.5]], 'a reading is its own');
    const { rows } = await history.query({
      unitId,
      over: { ranges: [{ from: HOUR, to: HOUR + 10 }] },
      percentiles: [50],
    });
    for await (const [row] of rows) t.strictSame(row?.ln, [50.5]);
  });

  t.test('59 minutes at 50 dB and one at 80 dB are 62.47 dB', async (t) => {
    const { history } = await setUp(t);
    const seconds = Array.from({ length: 3_600 }, (_, index) => second(HOUR + index, index < 60 ? 80 : 50));
    history.append(stream('mean', seconds));
    await history.flush();
    const [row] = await rowsOf(history, { unitId: 'mean', ...hours(1, 3_600) });
    t.ok(Math.abs((row?.leq ?? 0) - 62.4674) < 0.005);
    t.equal(row?.lmaxAt, HOUR);
  });

  t.test('a gap is missing time: it lowers the coverage and no level', async (t) => {
    const { history } = await setUp(t);
    const seconds = [0, 1, 2, 120, 121].map((offset) => second(HOUR + offset, 60, { steps: offset === 1 ? 3 : 10 }));
    history.append(stream('gaps', seconds));
    await history.flush();
    const rows = await rowsOf(history, { unitId: 'gaps', ...hours(1, 60) });
    t.strictSame(
      rows.slice(0, 4).map(({ leq, measured }) => [leq, measured]),
      [
        [60, 2.3],
        [null, 0],
        [60, 2],
        [null, 0],
      ],
    );
    t.strictSame(rows[1]?.sources, []);
    t.equal(rows.length, 60, 'empty rows are there too');
  });

  t.test('the last row is cut where the span ends, and no row is outside of it', async (t) => {
    const { history } = await setUp(t);
    const seconds = Array.from({ length: 600 }, (_, index) => second(HOUR + index, 60));
    history.append(stream('cut', seconds));
    await history.flush();
    const over = { from: HOUR + 60, to: HOUR + 60 + 420, step: 300 };
    const rows = await rowsOf(history, { unitId: 'cut', over });
    t.strictSame(
      rows.map(({ from, to, measured }) => [from - HOUR, to - HOUR, measured]),
      [
        [60, 360, 300],
        [360, 480, 120],
      ],
    );
  });

  t.test('ranges of any length, seconds at their edges', async (t) => {
    const { history } = await setUp(t);
    const seconds = Array.from({ length: 7_300 }, (_, index) => second(HOUR + index, 50 + (index % 60) / 10));
    const range = (from: number, to: number) => ({ from: HOUR + from, to: HOUR + to });
    const ranges = [
      range(0, 3_600),
      range(3_607, 3_610),
      range(3_611, 3_725),
      range(3_780, 7_270),
      range(7_300, 9_000),
    ];
    await both(t, history, [stream('ranges', seconds)], [{ over: { ranges } }]);
  });

  t.test('an interval that reaches out of the span of its range counts as if it were not there', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'within';
    const card = [interval(HOUR, 3_600, 60), interval(HOUR + 3_600, 7_200, 80), interval(HOUR + 10_800, 3_600, 50)];
    const range = (from: number, to: number, begin = from, end = to) => ({
      from: HOUR + from,
      to: HOUR + to,
      within: { from: HOUR + begin, to: HOUR + end },
    });
    const ranges = [
      range(0, 3_600),
      range(3_600, 7_200),
      range(7_200, 9_000, 3_600, 10_800),
      range(9_000, 10_798, 3_602, 10_798),
      range(10_800, 12_600),
    ];
    const batches: Batch[] = [
      { unitId, source: 'card', weighting: AF, intervals: card },
      stream(unitId, [second(HOUR + 3_700, 55), second(HOUR + 10_900, 52)]),
    ];

    await both(t, history, batches, [{ over: { ranges }, percentiles: [10] }]);
    const rows = await rowsOf(history, { unitId, over: { ranges } });
    t.strictSame(
      rows.map(({ leq, measured, sources }) => [leq, measured, sources.join()]),
      [
        [60, 3_600, 'card'],
        [55, 1, 'stream'],
        [80, 1_800, 'card'],
        [80, 1_798, 'card'],
        [52, 1, 'stream'],
      ],
      'and a second of the stream in its place does; two seconds outside are within',
    );
  });

  t.test('excluded time counts as not measured, to the second', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'excluded';
    // 50 dB, and 90 dB from 00:10:05 to 00:20:30: what is not to count.
    const loud = { from: HOUR + 605, to: HOUR + 1_230 };
    const seconds = Array.from({ length: 7_200 }, (_, index) => {
      const at = HOUR + index;
      return second(at, at >= loud.from && at < loud.to ? 90 : 50);
    });
    const excluded = [loud, { from: HOUR + 5_400, to: HOUR + 5_460 }];
    const of = { excluded, withExcluded: true };
    const steps = [1, 10, 60, 300, 3_600, 7_200].map((step) => ({ ...hours(2, step, PERCENTILES), ...of }));
    await both(t, history, [stream(unitId, seconds)], steps);
    t.match(await rowsOf(history, { unitId, ...hours(1, 1_800), ...of }), [
      { leq: 50, measured: 1_175, withExcluded: { measured: 1_800, lmax: 91 } },
      { leq: 50, withExcluded: undefined },
    ]);
    const [whole] = await rowsOf(history, { unitId, ...hours(2, 7_200, { percentiles: [1] }), excluded });
    t.match(whole, { leq: 50, lmax: 51, ln: [50.9], measured: 7_200 - 625 - 60 });
    const [, , quiet, ...rest] = await rowsOf(history, { unitId, ...hours(1, 300), excluded });
    t.match(quiet, { leq: 50, measured: 5 });
    t.match(rest[0], { leq: null, lmax: null, measured: 0, sources: [] });
    const nothing = { unitId, ...hours(2, 7_200), excluded: [{ from: 0, to: HOUR + 9_000 }] };
    t.match(await rowsOf(history, nothing), [{ leq: null, measured: 0 }]);
  });

  t.test(
    'an interval that reaches into excluded time is left out, also where the rest of it is asked for',
    async (t) => {
      const { history } = await setUp(t);
      const unitId = 'excluded-intervals';
      const card = [interval(HOUR, 900, 60), interval(HOUR + 900, 900, 90), interval(HOUR + 1_800, 1_800, 55)];
      const batches: Batch[] = [{ unitId, source: 'card', weighting: AF, intervals: card }];
      const excluded = [{ from: HOUR + 902, to: HOUR + 1_000 }];
      const ranges = [
        { from: HOUR, to: HOUR + 840, within: { from: HOUR, to: HOUR + 900 } },
        { from: HOUR + 1_020, to: HOUR + 1_800 },
        { from: HOUR + 1_800, to: HOUR + 3_600 },
      ];
      const asked = [
        { ...hours(1, 900, { percentiles: [10] }), excluded },
        { over: { ranges }, excluded },
      ];
      await both(t, history, batches, asked);
      const rows = await rowsOf(history, { unitId, over: { ranges }, excluded });
      t.strictSame(
        rows.map(({ leq, measured }) => [leq, measured]),
        [
          [60, 840],
          [null, 0],
          [55, 1_800],
        ],
      );
      // Clocks are off by a second or two: an interval that reaches in by no more counts, but for the excluded time.
      const near = { unitId, over: { ranges }, excluded: [{ from: HOUR + 1_798, to: HOUR + 1_900 }] };
      t.match(await rowsOf(history, near), [{ measured: 840 }, { leq: 90, measured: 778 }, { leq: null, measured: 0 }]);
    },
  );

  t.test('steps that begin again where the clocks of a place change', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'restarts';
    const seconds = Array.from({ length: 14_400 }, (_, index) => second(HOUR + index, 50 + (index % 700) / 10));
    const over = { from: HOUR + 1_800, to: HOUR + 14_400, step: 3_600, restarts: [HOUR + 7_200, HOUR + 9_000] };
    await both(t, history, [stream(unitId, seconds)], [{ over }, { over: { ...over, step: 900 } }]);
    const rows = await rowsOf(history, { unitId, over });
    t.strictSame(
      rows.map(({ from, to }) => [from - HOUR, to - HOUR]),
      [
        [1_800, 5_400],
        [5_400, 7_200],
        [7_200, 9_000],
        [9_000, 12_600],
        [12_600, 14_400],
      ],
    );
    const none = await rowsOf(history, { unitId, over: { ...over, restarts: [] } });
    t.strictSame(none, await rowsOf(history, { unitId, over: { from: over.from, to: over.to, step: 3_600 } }));
  });

  t.test('an unknown unit has nothing, in as many rows as asked for', async (t) => {
    const { history } = await setUp(t);
    const answer = await history.query({ unitId: 'nobody', ...hours(1, 900) });
    t.match(answer, { weighting: null, otherWeightings: [], step: 900 });
    const rows = await rowsOf(history, { unitId: 'nobody', ...hours(1, 900) });
    t.equal(rows.length, 4);
    t.match(rows[0], { leq: null, measured: 0, sources: [], resolution: 0 });
  });

  t.test('flags are seconds, and level counts add up to the samples', async (t) => {
    const { history } = await setUp(t);
    const flags = (offset: number) => ({ over: offset < 5, frozen: offset % 2 === 0 });
    const seconds = Array.from({ length: 100 }, (_, offset) => second(HOUR + offset, 60, { flags: flags(offset) }));
    history.append(stream('flags', seconds));
    await history.flush();
    const [row] = await rowsOf(history, { unitId: 'flags', ...hours(1, 3_600, { counts: true }) });
    t.strictSame(row?.flagged, { over: 5, under: 0, frozen: 50, implausible: 0, weighting: 0 });
    t.strictSame(
      row?.counts,
      Array.from({ length: 10 }, (_, step) => [600 + step, 100]),
    );
  });
}

export function choices(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  const minutesOf = (unitId: string, source: Batch['source'], offsets: readonly number[], leq: number): Batch => ({
    unitId,
    source,
    weighting: AF,
    seconds: offsets.flatMap((from) => Array.from({ length: 60 }, (_, index) => second(HOUR + from * 60 + index, leq))),
  });

  t.test('the better source wins where both measured, the other fills its gaps', async (t) => {
    const { history } = await setUp(t);
    const batches = [minutesOf('best', 'stream', [0, 1, 2], 60), minutesOf('best', 'card', [1, 3], 70)];
    await both(t, history, batches, [
      hours(1, 60, PERCENTILES),
      hours(1, 3_600, PERCENTILES),
      hours(1, 10),
      hours(1, 60, { source: 'stream' }),
    ]);
    const rows = await rowsOf(history, { unitId: 'best', ...hours(1, 60) });
    t.strictSame(
      rows.slice(0, 5).map(({ leq, sources }) => [leq, ...sources]),
      [[60, 'stream'], [70, 'card'], [60, 'stream'], [70, 'card'], [null]],
    );
  });

  t.test(
    'in a minute that the better source has in part only, each second has its own choice, as in rows of seconds',
    async (t) => {
      const { history } = await setUp(t);
      const card = { ...minutesOf('part', 'card', [], 0), seconds: [second(HOUR + 5, 90)] };
      await both(t, history, [minutesOf('part', 'stream', [0], 60), card], [minutes(60), minutes(1)]);
      const [row] = await rowsOf(history, { unitId: 'part', ...hours(1, 60) });
      const leq = 10 * Math.log10((59 * 10 ** 6 + 10 ** 9) / 60);
      t.match(row, { measured: 60, sources: ['card', 'stream'] });
      t.ok(Math.abs((row?.leq ?? 0) - leq) < 1e-5, `${row?.leq} of ${leq} dB`);
    },
  );

  t.test('readings count only where nothing was measured', async (t) => {
    const { history } = await setUp(t);
    const seconds = [10, 70, 130].map((offset) => reading(HOUR + offset, 40 + offset / 10));
    const polled: Batch = { unitId: 'polled', source: 'poll', weighting: AF, seconds };
    await both(
      t,
      history,
      [minutesOf('polled', 'stream', [1], 60), polled],
      [minutes(60, PERCENTILES), hours(1, 3_600), minutes(1)],
    );
    const rows = await rowsOf(history, { unitId: 'polled', ...hours(1, 60, { percentiles: [50] }) });
    t.match(rows[0], { leq: null, lp: 41, ln: [41], readings: 1, measured: 0, sources: ['poll'] });
    t.match(rows[1], { leq: 60, lp: null, readings: 0, measured: 60, sources: ['stream'] });
  });

  t.test('weightings are never mixed: most hours decide, or the weighting in the request', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'weightings';
    history.append(stream(unitId, [second(HOUR, 60), second(HOUR + 3_600, 61)]));
    history.append(stream(unitId, [second(HOUR + 1, 80)], CF));
    await history.flush();
    const usual = await history.query({ unitId, ...hours(2, 7_200) });
    t.match(usual, { weighting: AF, otherWeightings: [CF] });
    const [row] = await rowsOf(history, { unitId, ...hours(2, 7_200, { weighting: CF }) });
    t.match(row, { leq: 80, measured: 1 });
    const none = await history.query({ unitId, ...hours(2, 7_200, { weighting: { frequency: 'Z', time: 'S' } }) });
    t.match(none, { weighting: null, otherWeightings: [AF, CF] });
  });

  t.test(
    'an interval is spread evenly; its extremes stay where it lies whole, its own percentiles where it is the row',
    async (t) => {
      const { history } = await setUp(t);
      const rows = [
        interval(HOUR, 900, 55, { ln: { 10: 58.5, 50: 54 } }),
        interval(HOUR + 900, 900, 65),
        interval(HOUR + 1_830, 5_400, 60),
      ];
      const batch: Batch = { unitId: 'intervals', source: 'card', weighting: AF, intervals: rows };
      const asked = [60, 900, 1_800, 3_600, 1].map((step) => hours(3, step, PERCENTILES));
      await both(t, history, [batch], asked);
      const [row] = await rowsOf(history, { unitId: 'intervals', ...hours(3, 900, { percentiles: [10, 50, 90] }) });
      t.match(row, { leq: 55, lmax: 60, ln: [58.5, 54, null], measured: 900, resolution: 900 });
    },
  );
}
