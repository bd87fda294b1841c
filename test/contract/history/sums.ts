/** However the rows come, the sums are the same; what there is of a unit; what goes with time. */
import fc from 'fast-check';
import type { Test } from 'tap';
import type { Batch, HistoryRow, Query } from '../../../lib/history/contract.ts';
import { PlainHistory } from '../../support/plain-history.ts';
import { AF, HOUR, interval, rowsOf, type Stage, sameRows, second, stream } from './rows.ts';

/** Rows of a few minutes around a full hour, of two sources, each second once. */
const someRows = fc.uniqueArray(
  fc.record({
    offset: fc.integer({ min: -150, max: 330 }),
    steps: fc.integer({ min: 1, max: 10 }),
    tenths: fc.integer({ min: 250, max: 1_100 }),
    over: fc.boolean(),
    source: fc.constantFrom('stream' as const, 'card' as const),
  }),
  { selector: ({ offset, source }) => `${source} ${offset}`, minLength: 1, maxLength: 120 },
);

export function sums(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('a digest changes with the rows of its span, and with nothing else', async (t) => {
    const { history, advance } = await setUp(t);
    const unitId = 'digest';
    const span = { from: HOUR, to: HOUR + 7_200 };
    const ask = async (more: Partial<Query> = {}) =>
      (await history.query({ unitId, over: { ...span, step: 1 }, digest: true, ...more })).digest;
    t.equal((await history.query({ unitId, over: { ...span, step: 60 } })).digest, null, 'only for who asks');
    const seen = new Set<string | null>([await ask()]);
    const changed = async (what: string) => {
      await history.flush();
      const [digest, again] = [await ask(), await ask()];
      t.equal(digest, again);
      t.notOk(seen.has(digest), what);
      seen.add(digest);
    };
    history.append(stream(unitId, [second(HOUR, 60), second(HOUR + 3_600, 60)]));
    await changed('rows where there were none');
    history.append(stream(unitId, [second(HOUR + 1, 60)]));
    await changed('a second more');
    history.append(stream(unitId, [second(HOUR + 1, 70), second(HOUR + 20_000, 60)]));
    history.append(stream('digest-2', [second(HOUR + 2, 60)]));
    await history.flush();
    t.ok(seen.has(await ask()), 'a second that is there already, one of another time, and one of another unit');
    await advance(30_000);
    t.ok(seen.has(await ask()), 'and the work of the store');
    history.append({ unitId, source: 'card', weighting: AF, intervals: [interval(HOUR + 900, 900, 55)] });
    await changed('an interval');
    await history.remove(unitId, HOUR, HOUR + 60);
    await changed('rows that are gone');
    t.not(await ask({ source: 'card' }), await ask(), 'of one source');
  });

  t.test('any order of any batches, sent twice in part, gives the same answers, and counts add up', async (t) => {
    const { history, advance } = await setUp(t);
    let unit = 0;
    await fc.assert(
      fc.asyncProperty(someRows, fc.infiniteStream(fc.nat({ max: 9 })), async (rows, numbers) => {
        const unitId = `any-${unit++}`;
        const number = () => numbers.next().value ?? 0;
        const batches = rows
          .map(({ offset, steps, tenths, over, source }) => {
            const seconds = [second(HOUR + offset, tenths / 10, { steps, flags: { over } })];
            return { order: number(), batch: { unitId, source, weighting: AF, seconds } satisfies Batch };
          })
          .sort((a, b) => a.order - b.order);
        const plain = new PlainHistory(() => 0);
        for (const { batch } of batches) {
          history.append(batch);
          plain.append(batch);
          if (number() === 0) history.append(batch);
          if (number() === 0) await history.flush();
          if (number() === 0 && number() < 3) await advance(6_000);
        }
        await history.flush();
        const over = { from: HOUR - 180, to: HOUR + 360, step: 60 };
        const queries: Query[] = [
          { unitId, over, percentiles: [10, 50, 90], counts: true },
          { unitId, over: { ...over, step: 540 }, percentiles: [10], counts: true },
          { unitId, over: { ...over, step: 7 }, percentiles: [10, 90], counts: true },
          { unitId, over: { ranges: [{ from: HOUR - 100, to: HOUR + 299 }] }, percentiles: [50], source: 'card' },
        ];
        for (const query of queries) sameRows(t, await rowsOf(history, query), await rowsOf(plain, query));
        const [whole] = await rowsOf(history, { unitId, over: { ...over, step: 540 }, counts: true });
        const parts = await rowsOf(history, { unitId, over, counts: true });
        const samples = (row: HistoryRow | undefined) => (row?.counts ?? []).reduce((sum, [, count]) => sum + count, 0);
        t.equal(
          parts.map(samples).reduce((sum, count) => sum + count, 0),
          samples(whole),
        );
      }),
      { numRuns: 15 },
    );
  });

  t.test('the extent of a unit: its ends, sources, measured time and gaps', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'extent';
    const seconds = [0, 1, 60, 61, 123, 124, 4_000, 4_001].map((offset) => second(HOUR + offset, 60));
    history.append(stream(unitId, seconds));
    history.append({ unitId, source: 'card', weighting: AF, intervals: [interval(HOUR + 7_000, 900, 50)] });
    await history.flush();
    const gaps = [
      { from: HOUR + 4_002, to: HOUR + 7_000 },
      { from: HOUR + 125, to: HOUR + 4_000 },
      { from: HOUR + 62, to: HOUR + 123 },
    ];
    const extent = await history.extent(unitId);
    t.match(extent, { first: HOUR, last: HOUR + 7_900, gaps, gapCount: 3, secondsFrom: HOUR });
    t.match(extent.series, [
      { source: 'card', weighting: AF, first: HOUR + 7_000, last: HOUR + 7_900, measured: 900, readings: 0 },
      { source: 'stream', weighting: AF, first: HOUR, last: HOUR + 4_002, measured: 8, readings: 0 },
    ]);
    t.ok(extent.bytes > 0);
    t.equal((await history.extent(unitId, { gapSeconds: 3_000 })).gapCount, 1);
    t.ok((await history.units()).includes(unitId));
    t.match(await history.extent('nobody'), {
      first: null,
      last: null,
      series: [],
      gaps: [],
      gapCount: 0,
      secondsFrom: null,
    });
    t.ok((await history.bytes()).total > 0);
  });

  t.test('seconds go when they are old, minutes stay; the answer says that it is in minutes', async (t) => {
    const { history, advance, now } = await setUp(t);
    const unitId = 'retained';
    const today = Math.floor(now() / 3_600_000) * 3_600;
    const old = today - 3 * 86_400;
    const older = today - 9 * 86_400;
    const hour = (from: number) => Array.from({ length: 3_600 }, (_, index) => second(from + index, 60));
    for (const from of [older, old, today]) history.append(stream(unitId, hour(from)));
    await history.flush();
    await advance(20_000);
    history.retain({ secondsDays: 2, minutesDays: 7 });
    await advance(150_000);
    const stepOf = async () => (await history.query({ unitId, over: { from: old + 5, to: old + 125, step: 1 } })).step;
    // A database on a busy computer needs more turns.
    for (let tries = 0; tries < 10 && (await stepOf()) !== 60; tries += 1) await advance(30_000);
    t.equal(await stepOf(), 60);
    const rows = await rowsOf(history, { unitId, over: { from: old + 5, to: old + 125, step: 1 } });
    t.strictSame(
      rows.map(({ from, leq, measured }) => [from - old, leq, measured]),
      [
        [0, 60, 60],
        [60, 60, 60],
        [120, 60, 60],
      ],
    );
    // A minute that excluded time cuts is left out as a whole, where its seconds are gone.
    const ask = (day: number, from: number, to: number) => ({
      unitId,
      over: { from: day, to: day + 3_600, step: 3_600 },
      excluded: [{ from: day + from, to: day + to }],
    });
    const cases = [
      { query: ask(old, 90, 150), cutMinutes: true, measured: 3_480 },
      { query: ask(old, 60, 180), cutMinutes: false, measured: 3_480 },
      { query: ask(today, 90, 150), cutMinutes: false, measured: 3_540 },
    ];
    for (const { query, cutMinutes, measured } of cases) {
      t.equal((await history.query(query)).cutMinutes, cutMinutes);
      t.match(await rowsOf(history, query), [{ measured }]);
    }
    t.equal((await rowsOf(history, { unitId, over: { from: today, to: today + 10, step: 1 } })).length, 10);
    t.strictSame((await history.query({ unitId, over: { from: today, to: today + 10, step: 1 } })).step, 1);
  });
}
