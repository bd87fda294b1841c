/** Maxima and minima at the edges of rows, and percentiles beside levels of another source. The truth is worked out here, by hand. */
import type { Test } from 'tap';
import type { Batch, HistoryRow, IntervalRow } from '../../../lib/history/contract.ts';
import { AF, both, HOUR, hours, interval, minutes, PERCENTILES, rowsOf, type Stage, second, stream } from './rows.ts';

const millionths = (level: number) => Math.round(level * 1e6) / 1e6;

/** Rows of 15 minutes that begin a second early, as a meter's clock that is a second off makes them; one of them is loud. */
const early = (loud: number): IntervalRow[] =>
  Array.from({ length: 12 }, (_, index) =>
    interval(HOUR - 1 + index * 900, 900, 60, {
      lmax: index === loud ? 110 : 75,
      lmin: index === loud ? 20 : 55,
      lpeak: index === loud ? 121 : 90,
    }),
  );

const batchOf = (unitId: string, source: Batch['source'], intervals: readonly IntervalRow[]): Batch => ({
  unitId,
  source,
  weighting: AF,
  intervals,
});

const shown = ({ lmax, lmin, lpeak, bounds }: HistoryRow) => [
  ...[lmax, lmin, lpeak],
  ...[bounds.lmax?.level ?? null, bounds.lmin?.level ?? null, bounds.lpeak?.level ?? null],
];

export function placed(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  for (const source of ['poll', 'card'] as const)
    t.test(
      `a maximum of the ${source} that cannot be placed is a bound of each row that it may belong to`,
      async (t) => {
        const { history } = await setUp(t);
        const unitId = `early-${source}`;
        const queries = [...[900, 1_800, 3_600, 7_200, 60].map((step) => hours(2, step, PERCENTILES)), minutes(1)];
        await both(t, history, [batchOf(unitId, source, early(4))], queries);
        const ask = async (step: number) => (await rowsOf(history, { unitId, ...hours(2, step) })).map(shown);

        // The loud one lasts from 59:59 to 74:59: a second of the fourth quarter of an hour, and all but a second of the fifth.
        const [bound, quiet] = [
          [null, null, null, 110, 20, 121],
          [null, null, null, 75, 55, 90],
        ];
        t.strictSame(await ask(900), [quiet, quiet, quiet, bound, bound, quiet, quiet, quiet]);
        const calm = [75, 55, 90, null, null, null];
        t.strictSame(await ask(1_800), [calm, bound, bound, calm]);
        t.strictSame(await ask(3_600), [bound, bound], 'it may be of either hour');
        t.strictSame(await ask(7_200), [[110, 20, 121, null, null, null]], 'of two hours it is certain');
        const [row] = await rowsOf(history, { unitId, ...hours(1, 3_600) });
        t.strictSame(row?.bounds.lmax, { level: 110, from: HOUR + 3_599, to: HOUR + 4_499 });
        t.equal(row?.lmaxAt, null);
        t.equal(row?.measured, 3_600);
      },
    );

  t.test('no row ever gives a maximum below, or a minimum above, what may have been', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'never-lower';
    const rows = early(4).map((row, index) => ({
      ...row,
      lmax: 60 + ((index * 7) % 12),
      lmin: 50 - ((index * 5) % 12),
    }));
    history.append(batchOf(unitId, 'card', rows));
    await history.flush();
    for (const step of [60, 300, 900, 1_800, 3_600]) {
      for (const row of await rowsOf(history, { unitId, ...hours(2, step) })) {
        const touching = rows.filter(({ at, duration }) => at < row.to && at + duration > row.from);
        const inside = touching.filter(({ at, duration }) => at >= row.from && at + duration <= row.to);
        const [most, least] = [Math.max(...touching.map((r) => r.lmax)), Math.min(...touching.map((r) => r.lmin))];
        const isCertain = inside.some((r) => r.lmax === most);
        t.equal(row.lmax ?? row.bounds.lmax?.level, most);
        t.equal(row.lmax !== null, isCertain);
        t.equal(row.lmin ?? row.bounds.lmin?.level, least);
      }
    }
  });

  t.test('a maximum stays where another source has the beginning of its interval', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'begun';
    const seconds = Array.from({ length: 120 }, (_, index) => second(HOUR + index, 60));
    const batches = [
      batchOf(unitId, 'poll', [interval(HOUR, 900, 62, { lmax: 110, lmin: 30 })]),
      stream(unitId, seconds),
    ];
    await both(t, history, batches, [hours(1, 900), hours(1, 3_600)]);
    const [row] = await rowsOf(history, { unitId, ...hours(1, 900) });
    t.match(row, { lmax: 110, lmin: 30, sources: ['stream', 'poll'], bounds: { lmax: null, lmin: null } });
  });

  t.test('where the stream measured in the row itself, a longer interval is not spread over it', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'in-place';
    // The second and third minute; the third only for 44 of its 60 seconds: the interval has the other 16.
    const seconds = [...Array(104).keys()].map((index) => second(HOUR + 60 + index, 50, { lmax: 55 }));
    const batches = [batchOf(unitId, 'card', [interval(HOUR, 900, 70, { lmax: 90 })]), stream(unitId, seconds)];
    await both(t, history, batches, [hours(1, 60), hours(1, 900), minutes(1), hours(1, 3_600)]);
    const rows = await rowsOf(history, { unitId, ...hours(1, 60) });
    t.strictSame(
      rows.slice(0, 4).map(({ leq, lmax, bounds, measured }) => [leq, lmax, bounds.lmax?.level ?? null, measured]),
      [
        [70, null, 90, 60],
        [50, 55, null, 60],
        [millionths(10 * Math.log10((44 * 10 ** 5 + 16 * 10 ** 7) / 60)), null, 90, 60],
        [70, null, 90, 60],
      ],
    );
    const [quarter] = await rowsOf(history, { unitId, ...hours(1, 900) });
    t.match(quarter, { leq: 70, lmax: 90, sources: ['card'] }, 'a row that it lies in is that of the card');
  });

  t.test(
    'a second that the stream has counts before a longer interval, and for percentiles less than 1 % may lack samples',
    async (t) => {
      const { history } = await setUp(t);
      const measured = async (unitId: string, count: number) => {
        const seconds = Array.from({ length: count }, (_, index) => second(HOUR + index, 50));
        await both(
          t,
          history,
          [batchOf(unitId, 'card', [interval(HOUR, 900, 70)]), stream(unitId, seconds)],
          [minutes(60)],
        );
        return (await rowsOf(history, { unitId, ...minutes(60) }))[0]?.leq;
      };
      for (const count of [45, 44])
        t.equal(
          await measured(`${count}`, count),
          millionths(10 * Math.log10((count * 10 ** 5 + (60 - count) * 10 ** 7) / 60)),
        );
      const lacking = async (unitId: string, steps: number) => {
        const seconds = Array.from({ length: 100 }, (_, index) =>
          second(HOUR + index, 50, { lp: Array(index === 0 ? 10 - steps : 10).fill(50) }),
        );
        await both(t, history, [stream(unitId, seconds)], [hours(1, 3_600, PERCENTILES)]);
        return (await rowsOf(history, { unitId, ...hours(1, 3_600, { percentiles: [50] }) }))[0]?.ln;
      };
      t.strictSame(await lacking('one-percent', 10), [50]);
      const two = Array.from({ length: 100 }, (_, index) =>
        second(HOUR + index, 50, { lp: Array(index < 2 ? 4 : 10).fill(50) }),
      );
      await both(t, history, [stream('more', two)], [hours(1, 3_600, PERCENTILES)]);
      t.strictSame((await rowsOf(history, { unitId: 'more', ...hours(1, 3_600, { percentiles: [50] }) }))[0]?.ln, [
        null,
      ]);
      // Three quarters of the minute of an interval that counts in no period are measured: its maximum lies beside the row, or was heard.
      const beside = async (unitId: string, count: number) => {
        const seconds = Array.from({ length: count }, (_, index) => second(HOUR + index, 50));
        const long = interval(HOUR - 1_800, 1_860, 70, { lmax: 110 });
        const ranges = [{ from: HOUR, to: HOUR + 60, within: { from: HOUR, to: HOUR + 60 } }];
        await both(t, history, [batchOf(unitId, 'card', [long]), stream(unitId, seconds)], [{ over: { ranges } }]);
        return (await rowsOf(history, { unitId, over: { ranges } }))[0]?.bounds.lmax?.level ?? null;
      };
      t.strictSame([await beside('heard', 45), await beside('not-heard', 44)], [null, 110]);
    },
  );

  t.test('a row that counts in no period may still have the maximum of the day', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'beside';
    const day = { from: HOUR, to: HOUR + 3 * 3_600 };
    const range = (from: number, to: number) => ({ from: HOUR + from, to: HOUR + to, within: day });
    const seconds = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => second(HOUR + from + i, 60));
    const batches = [
      batchOf(unitId, 'card', [
        interval(HOUR - 1_800, 3_600, 70, { lmax: 110 }),
        interval(HOUR + 9_000, 3_600, 70, { lmax: 100 }),
      ]),
      // The first 23 minutes of the hour that is missing are measured: in the others the loudest may lie.
      stream(unitId, [...seconds(0, 1_380), ...seconds(9_000, 1_800)]),
    ];
    const ranges = [range(0, 7_200), range(7_200, 10_800)];
    await both(t, history, batches, [{ over: { ranges } }]);
    const rows = await rowsOf(history, { unitId, over: { ranges } });
    t.strictSame(
      rows.map(({ lmax, bounds, measured }) => [lmax, bounds.lmax?.level ?? null, measured]),
      [
        [null, 110, 1_380],
        [61, null, 1_800],
      ],
      'but not where something else measured all of its time in the day',
    );
  });

  t.test('a head says whether rows may have bounds', async (t) => {
    const { history } = await setUp(t);
    history.append(batchOf('on-time', 'card', [interval(HOUR, 900, 60), interval(HOUR + 900, 900, 60)]));
    history.append(batchOf('no-maxima', 'poll', [interval(HOUR + 5, 900, 60, { lmax: null, lmin: null })]));
    history.append(stream('seconds', [second(HOUR, 60)]));
    await history.flush();
    const ask = async (unitId: string, from: number, to: number, step: number) =>
      (await history.query({ unitId, over: { from: HOUR + from, to: HOUR + to, step } })).mayHaveBounds;
    t.strictSame(
      [
        await ask('on-time', 0, 3_600, 900),
        await ask('on-time', 0, 3_600, 3_600),
        await ask('on-time', -3_600, 7_200, 1_800),
        await ask('on-time', 0, 1_740, 900),
        await ask('on-time', 60, 3_660, 900),
        await ask('on-time', 0, 3_600, 300),
        await ask('on-time', 1_800, 3_600, 300),
        await ask('no-maxima', 0, 3_600, 60),
        await ask('seconds', 0, 3_600, 60),
      ],
      [false, false, false, true, true, true, false, false, false],
    );
  });
}

export function counted(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  const bare = (at: number, leq: number) => second(at, leq, { lp: [] });

  t.test('level counts of the stream stay when the card brings levels without them', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'counts';
    const seconds = Array.from({ length: 3_600 }, (_, index) => second(HOUR + index, 50 + (index % 30)));
    const before = stream(unitId, seconds);
    history.append(before);
    await history.flush();
    const asked = [...[60, 900, 3_600].map((step) => hours(1, step, PERCENTILES)), minutes(1, PERCENTILES)];
    const percentiles = async () => {
      const all = [];
      for (const query of asked) all.push((await rowsOf(history, { unitId, ...query })).map(({ ln }) => ln));
      return all;
    };
    const wanted = await percentiles();
    t.ok(wanted.flat(2).every((level) => level !== null));
    const card: Batch = { ...before, source: 'card', seconds: seconds.map(({ at, leq }) => bare(at, (leq ?? 0) + 1)) };
    await both(t, history, [card], []);
    t.strictSame(await percentiles(), wanted, 'of seconds that have only levels');
    const [row] = await rowsOf(history, { unitId, ...hours(1, 3_600) });
    t.strictSame(row?.sources, ['card'], 'levels are those of the card');
    await both(
      t,
      history,
      [before, card].map((batch) => ({ ...batch, unitId: 'counts-2' })),
      asked,
    );
  });

  t.test('samples that are few for the time of the levels give no percentile', async (t) => {
    const { history } = await setUp(t);
    const percentile = async (unitId: string, streamed: number) => {
      const batches: Batch[] = [
        stream(
          unitId,
          Array.from({ length: streamed }, (_, index) => second(HOUR + index, 50, { lp: Array(10).fill(50) })),
        ),
        batchOf(unitId, 'card', [interval(HOUR, 60, 52)]),
      ];
      await both(t, history, batches, [hours(1, 60, PERCENTILES)]);
      const [row] = await rowsOf(history, { unitId, ...hours(1, 60, { percentiles: [50] }) });
      t.equal(row?.measured, 60);
      return row?.ln[0];
    };
    t.equal(await percentile('most', 45), 50);
    t.equal(await percentile('few', 44), null);
    const streamed = (unitId: string, count: number) =>
      stream(
        unitId,
        Array.from({ length: count }, (_, index) => second(HOUR + index, 50, { lp: Array(10).fill(50) })),
      );
    for (const [count, wanted] of [
      [90, 50],
      [89, null],
    ] as const) {
      const unitId = `share-${count}`;
      const card: Batch = {
        ...batchOf(unitId, 'card', []),
        seconds: Array.from({ length: 120 }, (_, i) => bare(HOUR + i, 52)),
      };
      await both(t, history, [streamed(unitId, count), card], [hours(1, 1_800, PERCENTILES)]);
      const [row] = await rowsOf(history, {
        unitId,
        over: { from: HOUR, to: HOUR + 120, step: 120 },
        percentiles: [50],
      });
      t.equal(row?.ln[0], wanted, `${count} of 120 seconds`);
    }
  });

  t.test(
    'of two sources with equally many samples the stream has the counts, one with more has them before it',
    async (t) => {
      const { history } = await setUp(t);
      const samples = (source: Batch['source'], level: number, count: number): Batch => ({
        unitId: `samples-${count}`,
        source,
        weighting: AF,
        seconds: [second(HOUR, level, { lp: Array(count).fill(level) })],
      });
      const ask = async (count: number) =>
        (await rowsOf(history, { unitId: `samples-${count}`, ...hours(1, 60, { percentiles: [50] }) }))[0];
      await both(
        t,
        history,
        [samples('card', 60, 10), samples('stream', 50, 10)],
        [hours(1, 60, PERCENTILES), minutes(1, PERCENTILES)],
      );
      t.match(await ask(10), { leq: 60, ln: [50] });
      const fewer = { ...samples('stream', 50, 9), unitId: 'samples-8' };
      await both(t, history, [fewer, { ...samples('card', 60, 10), unitId: 'samples-8' }], [hours(1, 60, PERCENTILES)]);
      t.match(await ask(8), { leq: 60, ln: [60] });
    },
  );
}
