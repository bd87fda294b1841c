/** Imports, removals, and what is refused. */
import type { Test } from 'tap';
import { isGatewayError } from '../../../lib/errors.ts';
import type { Batch, IntervalRow, Query, SecondRow } from '../../../lib/history/contract.ts';
import { AF, CF, HOUR, hours, interval, reading, rowsOf, type Stage, second, stream } from './rows.ts';

const isInvalid = (error: unknown) => isGatewayError(error, 'INVALID');
async function* pagesOf(...pages: readonly (readonly IntervalRow[])[]) {
  yield* pages;
}

export function imports(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  const target = (unitId: string) => ({ unitId, weighting: AF });

  t.test('an import is there as a whole, in any order of its rows', async (t) => {
    const { history } = await setUp(t);
    const rows = [3, 0, 2, 1].map((place) => interval(HOUR + place * 900, 900, 50 + place, { line: place + 2 }));
    const done = await history.import(target('imported'), pagesOf(rows.slice(0, 2), rows.slice(2)));
    t.strictSame(done, { rows: 4, from: HOUR, to: HOUR + 3_600 });
    const found = await rowsOf(history, { unitId: 'imported', ...hours(1, 900) });
    t.strictSame(
      found.map(({ leq, sources }) => [leq, ...sources]),
      [50, 51, 52, 53].map((leq) => [leq, 'import']),
    );
    await history.import(target('imported'), pagesOf([interval(HOUR + 3_600, 900, 60)]));
    const [, later] = await rowsOf(history, { unitId: 'imported', ...hours(2, 3_600) });
    t.match(later, { leq: 60, measured: 900 }, 'a second import beside it');
  });

  t.test('rows that overlap each other or an earlier import: named by their lines, and none is kept', async (t) => {
    const { history } = await setUp(t);
    await history.import(target('refused'), pagesOf([interval(HOUR, 900, 50, { line: 2 })]));
    const rows = [
      interval(HOUR + 1_800, 900, 60, { line: 2 }),
      interval(HOUR + 2_400, 900, 60, { line: 3 }),
      interval(HOUR + 899, 10, 60, { line: 4 }),
    ];
    const error = await history.import(target('refused'), pagesOf(rows)).catch((error: unknown) => error);
    t.ok(isInvalid(error));
    t.match(error, { errors: [{ path: '/line/4' }, { path: '/line/3' }] });
    const [row] = await rowsOf(history, { unitId: 'refused', ...hours(1, 3_600) });
    t.equal(row?.measured, 900);
    await t.resolves(
      history.import({ unitId: 'refused', weighting: CF }, pagesOf([interval(HOUR, 900, 50)])),
      'another weighting is something else',
    );
  });

  t.test('an import that breaks off, or has a row that cannot be, leaves nothing', async (t) => {
    const { history } = await setUp(t);
    const broken = new Error('the file ends');
    async function* breaking() {
      yield [interval(HOUR, 900, 50)];
      throw broken;
    }
    await t.rejects(history.import(target('broken'), breaking()), broken);
    const wrong = [interval(HOUR, 900, 50, { line: 7 }), interval(HOUR + 900, 900, Number.NaN, { line: 8 })];
    const error = await history.import(target('broken'), pagesOf(wrong)).catch((error: unknown) => error);
    t.match(error, { code: 'INVALID', errors: [{ path: '/line/8' }] });
    const leaving = new AbortController();
    async function* left() {
      yield [interval(HOUR, 900, 50)];
      leaving.abort(broken);
      yield [interval(HOUR + 900, 900, 50)];
    }
    await t.rejects(history.import(target('broken'), left(), leaving.signal), broken);
    const [row] = await rowsOf(history, { unitId: 'broken', ...hours(1, 3_600) });
    t.equal(row?.measured, 0);
    t.match(await history.extent('broken'), { first: null, series: [] });
  });
}

export function doubts(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('a doubt is raised at the seconds of one series in a span, wherever they are, and stays', async (t) => {
    const { history, advance } = await setUp(t);
    const unitId = 'doubts';
    const seconds = Array.from({ length: 4_000 }, (_, index) =>
      second(HOUR + index, 60, { flags: { over: index === 100 } }),
    );
    history.append(stream(unitId, seconds));
    history.append(stream(unitId, [second(HOUR + 100, 80)], CF));
    history.append({ unitId, source: 'poll', weighting: AF, seconds: [reading(HOUR + 5_000, 50)] });
    const doubt = { unitId, source: 'stream' as const, weighting: AF, flag: 'weighting' as const };
    t.equal(await history.doubt({ ...doubt, from: HOUR + 90, to: HOUR + 3_610 }), 3_520);
    const flagged = async (from: number, to: number, more: Partial<Query> = {}) => {
      const [row] = await rowsOf(history, {
        unitId,
        over: { from: HOUR + from, to: HOUR + to, step: to - from },
        ...more,
      });
      return [row?.flagged.weighting, row?.flagged.over];
    };
    const look = async (what: string) => {
      t.strictSame(await flagged(0, 3_600), [3_510, 1], what);
      t.strictSame(await flagged(3_600, 7_200), [10, 0], what);
      t.strictSame(await flagged(80, 100), [10, 0], what);
      t.strictSame(await flagged(0, 3_600, { weighting: CF }), [0, 0], 'another weighting is another series');
    };
    await look('in seconds, minutes and hours');
    await advance(20_000);
    await look('after they were folded');
    t.equal(await history.doubt({ ...doubt, from: HOUR + 3_990, to: HOUR + 9_000 }), 10, 'of what is folded, too');
    t.strictSame(await flagged(3_600, 7_200), [20, 0]);
    t.equal(await history.doubt({ ...doubt, source: 'poll', from: HOUR, to: HOUR + 9_000 }), 1, 'and of readings');
    t.equal(await history.doubt({ ...doubt, unitId: 'nobody', from: HOUR, to: HOUR + 60 }), 0);
    const [row] = await rowsOf(history, { unitId, ...hours(1, 3_600) });
    t.equal(row?.leq, 60, 'levels stay as they are');
    await t.rejects(history.doubt({ ...doubt, from: HOUR, to: HOUR }), { code: 'INVALID' });
  });
}

export function statements(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test(
    'after a statement of the weighting, all levels have it from that second on, and are not doubtful',
    async (t) => {
      const { history, advance } = await setUp(t);
      const unitId = 'stated';
      const [changed, found] = [HOUR + 1_810, HOUR + 5_000];
      const level = (at: number) => 40 + (at % 50);
      const seconds = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) => second(from + index, level(from + index)));
      history.append(stream(unitId, seconds(HOUR, found)));
      history.append(stream(unitId, seconds(found, HOUR + 7_200), CF));
      history.append(stream(unitId, [second(HOUR + 1_900, 90)], CF));
      history.append({ unitId, source: 'poll', weighting: AF, seconds: [reading(HOUR + 9_000, 50)] });
      history.append({ unitId, source: 'poll', weighting: AF, intervals: [interval(HOUR + 9_060, 60, 50)] });
      history.append({ unitId, source: 'card', weighting: AF, intervals: [interval(HOUR + 2_700, 900, 77)] });
      await history.doubt({ unitId, source: 'stream', weighting: AF, from: HOUR + 600, to: found, flag: 'weighting' });
      const done = await history.restate({ unitId, weighting: CF, from: changed, to: HOUR + 9_120 });
      t.match(done, { moved: found - changed - 1 + 2, confirmed: 0, left: 0 }, 'one second was there already');
      t.match(await history.restate({ unitId, weighting: AF, from: HOUR, to: changed }), {
        moved: 0,
        confirmed: 1_210,
      });
      // The same levels, stored with the right weighting from the beginning.
      history.append(stream('truth', seconds(HOUR, changed)));
      history.append(stream('truth', [...seconds(changed, HOUR + 1_900), second(HOUR + 1_900, 90)], CF));
      history.append(stream('truth', seconds(HOUR + 1_901, HOUR + 7_200), CF));
      await history.flush();
      const look = async (what: string) => {
        for (const weighting of [AF, CF])
          for (const step of [60, 3_600]) {
            const query = { source: 'stream', weighting, percentiles: [10, 50, 90], counts: true } as const;
            const over = { from: HOUR, to: HOUR + 7_200, step };
            const own = await rowsOf(history, { ...query, unitId, over });
            const truth = await rowsOf(history, { ...query, unitId: 'truth', over });
            const differing = own.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(truth[index]));
            t.strictSame(own[differing], truth[differing], `${what}: rows of ${step} s`);
          }
        const over = { from: HOUR, to: HOUR + 10_800, step: 3_600 };
        const polled = await rowsOf(history, { unitId, source: 'poll', weighting: CF, over });
        t.match(polled[2], { measured: 60, readings: 1 }, what);
        const card = await rowsOf(history, { unitId, source: 'card', weighting: AF, over });
        t.equal(card[0]?.leq, 77, `${what}: a card says itself what it measured`);
      };
      await look('while the hours are open');
      await advance(20_000);
      await look('after they were folded');
      await history.restate({ unitId, weighting: AF, from: changed, to: changed + 60 });
      const [back] = await rowsOf(history, {
        unitId,
        source: 'stream',
        weighting: AF,
        over: { from: HOUR, to: HOUR + 3_600, step: 3_600 },
      });
      t.equal(back?.measured, 1_870, 'another statement moves them back');
      t.match(await history.restate({ unitId: 'nobody', weighting: AF, from: HOUR, to: HOUR + 60 }), {
        moved: 0,
        confirmed: 0,
      });
      await t.rejects(history.restate({ unitId, weighting: AF, from: HOUR, to: HOUR }), { code: 'INVALID' });
    },
  );
}

export function removals(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('removed rows are gone from every answer, only for that unit and that time', async (t) => {
    const { history, advance } = await setUp(t);
    const seconds = Array.from({ length: 7_200 }, (_, index) => second(HOUR + index, 60));
    for (const unitId of ['removed', 'beside']) history.append(stream(unitId, seconds));
    const long = [interval(HOUR + 10_000, 1_000, 50), interval(HOUR + 11_000, 1_000, 50)];
    history.append({ unitId: 'removed', source: 'card', weighting: AF, intervals: long });
    await advance(1_000);
    t.equal(await history.remove('removed', HOUR + 1_800, HOUR + 10_080), 5_400 + 1_000);
    const rows = await rowsOf(history, { unitId: 'removed', ...hours(4, 3_600, { percentiles: [50] }) });
    t.strictSame(
      rows.map(({ measured }) => measured),
      [1_800, 0, 0, 1_000],
    );
    t.equal(rows[0]?.ln[0], 60.45);
    const [beside] = await rowsOf(history, { unitId: 'beside', ...hours(2, 7_200) });
    t.equal(beside?.measured, 7_200);
    history.append(stream('removed', [second(HOUR + 1_800, 70)]));
    await history.flush();
    const [, again] = await rowsOf(history, { unitId: 'removed', ...hours(1, 1_800) });
    t.match(again, { leq: 70, measured: 1 }, 'and may be written anew');
    t.equal(await history.remove('nobody', 0, 60), 0);
    await history.remove('removed', 0, HOUR + 86_400);
    t.match(await history.extent('removed'), { first: null, last: null, series: [] });
    t.notOk((await history.units()).includes('removed'), 'a unit without rows is none of those that have history');
  });
}

export function refusals(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('rows and questions that cannot be are refused', async (t) => {
    const { history } = await setUp(t);
    const wrong: Partial<SecondRow>[] = [
      { at: -1 },
      { at: 1.5 },
      { at: 2 ** 33 },
      { steps: 11 },
      { steps: 1.5 },
      { leq: null },
      { leq: Number.NaN },
      { lmax: 301 },
      { lp: Array(11).fill(50) },
      { lp: [Number.POSITIVE_INFINITY] },
      { steps: 0 },
    ];
    for (const fault of wrong) {
      const batch = stream('refusals', [second(HOUR, 60), { ...second(HOUR + 1, 60), ...fault }]);
      t.throws(() => history.append(batch), { code: 'INVALID' }, JSON.stringify(fault));
    }
    const imported = { ...stream('refusals', [second(HOUR, 60)]), source: 'import' as Batch['source'] };
    t.throws(() => history.append(imported), { code: 'INVALID', message: /import/ });
    const questions: Omit<Query, 'unitId'>[] = [
      hours(1, 0),
      hours(1, 0.5),
      hours(1, 90),
      { over: { from: HOUR + 1, to: HOUR + 61, step: 60 } },
      ...[[HOUR], [HOUR + 3_600], [HOUR + 61], [HOUR + 120, HOUR + 60], [HOUR + 60, HOUR + 60], [Number.NaN]].map(
        (restarts) => ({ over: { from: HOUR, to: HOUR + 3_600, step: 60, restarts } }),
      ),
      { over: { from: HOUR, to: HOUR, step: 60 } },
      { over: { from: 0, to: 31_557_600_000, step: 60 } },
      { over: { from: Number.NaN, to: HOUR, step: 60 } },
      {
        over: {
          ranges: [
            { from: HOUR, to: HOUR + 60 },
            { from: HOUR + 30, to: HOUR + 90 },
          ],
        },
      },
      { over: { ranges: [{ from: HOUR, to: HOUR + 60, within: { from: HOUR + 1, to: HOUR + 60 } }] } },
      { over: { ranges: [{ from: HOUR, to: HOUR + 60, within: { from: HOUR, to: Number.NaN } }] } },
      { ...hours(1, 60), excluded: [{ from: HOUR + 60, to: HOUR }] },
      {
        ...hours(1, 60),
        excluded: [
          { from: HOUR, to: HOUR + 60 },
          { from: HOUR + 30, to: HOUR + 90 },
        ],
      },
      hours(1, 60, { percentiles: [0] }),
      hours(1, 60, { percentiles: [50.5] }),
    ];
    for (const query of questions) {
      await t.rejects(history.query({ ...query, unitId: 'refusals' }), { code: 'INVALID' }, JSON.stringify(query));
    }
    await t.rejects(history.remove('refusals', HOUR + 1, HOUR + 60), { code: 'INVALID' });
    await t.rejects(
      Promise.resolve().then(() => history.extent('refusals', { gapSeconds: 59 })),
      { code: 'INVALID' },
    );
    const [row] = await rowsOf(history, { unitId: 'refusals', ...hours(1, 3_600) });
    t.equal(row?.measured, 0, 'nothing of a refused batch is kept');
  });

  t.test('an abandoned query ends with the reason', async (t) => {
    const { history } = await setUp(t);
    const seconds = Array.from({ length: 3_600 }, (_, index) => second(HOUR + index, 60));
    history.append(stream('abandoned', seconds));
    await history.flush();
    const reason = new Error('the caller left');
    await t.rejects(history.query({ unitId: 'abandoned', ...hours(1, 1) }, AbortSignal.abort(reason)), reason);
    const leaving = new AbortController();
    const { rows } = await history.query({ unitId: 'abandoned', ...hours(1, 1) }, leaving.signal);
    await t.rejects(async () => {
      for await (const page of rows) {
        t.ok(page.length < 3_600, 'page by page');
        leaving.abort(reason);
      }
    }, reason);
    for await (const page of (await history.query({ unitId: 'abandoned', ...hours(1, 1) })).rows) {
      t.ok(page.length < 3_600, 'page by page');
      break;
    }
  });
}
