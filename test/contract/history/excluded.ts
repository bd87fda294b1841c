/** Excluded time: any rows, any edges, asked for again and again while the rows of its hours change. */
import fc from 'fast-check';
import type { Test } from 'tap';
import type { Batch, Doubt, Query, Range } from '../../../lib/history/contract.ts';
import { PlainHistory } from '../../support/plain-history.ts';
import { AF, HOUR, interval, reading, rowsOf, type Stage, sameRows, second } from './rows.ts';

const SPAN = { from: HOUR - 600, to: HOUR + 900 };

const someSeconds = (sources: readonly ('stream' | 'card' | 'poll')[]) =>
  fc.uniqueArray(
    fc.record({
      offset: fc.integer({ min: -500, max: 700 }),
      steps: fc.integer({ min: 1, max: 10 }),
      tenths: fc.integer({ min: 250, max: 1_100 }),
      source: fc.constantFrom(...sources),
      overload: fc.boolean(),
    }),
    { selector: ({ offset, source }) => `${source} ${offset}`, minLength: 20, maxLength: 120 },
  );
type SomeSeconds = ReturnType<typeof someSeconds> extends fc.Arbitrary<infer Rows> ? Rows : never;

/** Ascending, not overlapping; edges on full minutes, on the full hour, and within minutes. */
const someExcluded = fc
  .uniqueArray(fc.oneof(fc.integer({ min: -590, max: 890 }), fc.constantFrom(-60, 0, 60, 120)), {
    minLength: 2,
    maxLength: 8,
  })
  .map((edges) =>
    edges
      .sort((a, b) => a - b)
      .flatMap((from, index) => {
        const to = edges[index + 1];
        return index % 2 === 0 && to !== undefined ? [{ from: HOUR + from, to: HOUR + to }] : [];
      }),
  );

const batchesOf = (unitId: string, rows: SomeSeconds) =>
  rows.map(({ offset, steps, tenths, source, overload }): Batch => {
    const [at, level] = [HOUR + offset, tenths / 10];
    const row = source === 'poll' ? reading(at, level) : second(at, level, { steps, flags: { over: overload } });
    return { unitId, source, weighting: AF, seconds: [row] };
  });

/** Of one source, or of several: then the best source counts. */
const KINDS = {
  'one source': someSeconds(['stream']),
  'several sources': someSeconds(['stream', 'stream', 'card', 'poll']),
};
const CARD = [interval(HOUR - 400, 450, 61.2), interval(HOUR + 300, 60, 70.4)];

export function excludedTime(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('time without any level may be excluded, too', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'excluded-nothing';
    const over = { from: HOUR - 3_600, to: HOUR + 7_200, step: 3_600 };
    for (const excluded of [[{ from: HOUR - 60, to: HOUR + 60 }], [{ from: HOUR - 7_200, to: HOUR + 10_800 }]])
      for (const withExcluded of [false, true]) {
        const rows = await rowsOf(history, { unitId, over, excluded, withExcluded });
        t.strictSame(
          rows.map(({ leq }) => leq),
          [null, null, null],
        );
      }
    history.append({ unitId, source: 'stream', weighting: AF, seconds: [second(HOUR + 20_000, 60)] });
    const ranges = [
      { from: HOUR, to: HOUR + 60 },
      { from: HOUR + 60, to: HOUR + 120 },
    ];
    const earlier = { unitId, over: { ranges }, excluded: ranges, withExcluded: true };
    t.equal((await rowsOf(history, earlier)).length, 2, 'also before the first level');
  });
  for (const [kind, some] of Object.entries(KINDS)) {
    t.test(`any time of ${kind} is left out to the second, before and after rows of its hours change`, async (t) => {
      const { history, advance } = await setUp(t);
      let unit = 0;
      await fc.assert(
        fc.asyncProperty(some, some, someExcluded, async (rows, late, excluded) => {
          const unitId = `excluded-${kind}-${unit++}`;
          const plain = new PlainHistory(() => 0);
          const both = [history, plain];
          const append = async (batches: readonly Batch[]) => {
            for (const batch of batches) for (const each of both) each.append(batch);
            await history.flush();
            // Hours that are over are put away.
            await advance(6_000);
          };
          const compare = async () => {
            // The second time the store may know what it found the first time.
            for (const query of [...queriesOf(unitId, excluded), ...queriesOf(unitId, excluded)])
              sameRows(t, await rowsOf(history, query), await rowsOf(plain, query));
          };
          await append(batchesOf(unitId, rows));
          if (kind !== 'one source') await append([{ unitId, source: 'card', weighting: AF, intervals: CARD }]);
          await compare();
          for (const each of both) await each.remove(unitId, HOUR + 60, HOUR + 180);
          await compare();
          await append(batchesOf(unitId, late));
          await compare();
          const span = { from: HOUR - 300, to: HOUR + 300 };
          const doubt: Doubt = { unitId, source: 'stream', weighting: AF, flag: 'frozen', ...span };
          for (const each of both) await each.doubt(doubt);
          await compare();
        }),
        { numRuns: 3 },
      );
    });
  }
}

function queriesOf(unitId: string, excluded: readonly Range[]): Query[] {
  const of = { unitId, excluded, withExcluded: true };
  const ranges = [
    { from: SPAN.from + 30, to: HOUR - 7 },
    { from: HOUR + 11, to: HOUR + 480, within: { from: HOUR, to: HOUR + 600 } },
  ];
  return [
    { ...of, over: { ...SPAN, step: 1_500 }, percentiles: [10, 90], counts: true },
    { ...of, over: { ...SPAN, step: 60 }, percentiles: [50] },
    { ...of, over: { ranges }, counts: true, withExcluded: false },
  ];
}
