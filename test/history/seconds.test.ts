/** An hour of seconds in bytes and back, with the samples of each. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { LevelCounts } from '../../lib/domain/indices/level-counts.ts';
import { NONE } from '../../lib/history/rows/bytes.ts';
import { storedLevels } from '../../lib/history/rows/columns.ts';
import { addCountBytes, classIndex, countBytes } from '../../lib/history/rows/counts.ts';
import { OpenHour } from '../../lib/history/rows/open-hour.ts';
import { SecondTable } from '../../lib/history/rows/seconds.ts';

const level = fc.integer({ min: -5_000, max: 24_990 });
const someRows = fc.uniqueArray(
  fc.record({
    offset: fc.integer({ min: 0, max: 3_599 }),
    lmin: fc.oneof(fc.constant(NONE), level),
    samples: fc.array(level, { maxLength: 10 }),
  }),
  { selector: ({ offset }) => offset, minLength: 1, maxLength: 150 },
);
const rowOf = (offset: number, lmin: number) => ({
  offset,
  steps: 10,
  flags: 0,
  levels: storedLevels({ leq: 60, lmax: 70, lmin: lmin / 100 }),
  lp: NONE,
});
const filled = (rows: readonly { offset: number; lmin: number; samples: readonly number[] }[]) => {
  const table = new SecondTable();
  for (const { offset, lmin, samples } of rows) table.add(rowOf(offset, lmin), samples);
  return table;
};

t.test(
  'samples come back as their classes, in whatever order the seconds came, also after others were removed',
  async (t) => {
    const found = await fc.check(
      fc.property(someRows, fc.integer({ min: 0, max: 3_000 }), (rows, from) => {
        const table = filled(rows);
        table.remove(from, from + 600);
        const again = SecondTable.from(table.bytes());
        const left = rows.filter(({ offset }) => offset < from || offset >= from + 600);
        return (
          again.count === left.length &&
          left.every(({ offset, samples }) => {
            const wanted = samples.map(classIndex).sort((a, b) => a - b);
            return [table, again].every((one) => `${[...one.samples.of(offset)]}` === `${wanted}`);
          })
        );
      }),
      { numRuns: 60 },
    );
    t.notOk(found.failed, `in 60 random hours: ${found.failed ? found.counterexample : 'all hold'}`);
  },
);

t.test('a second that comes late to an hour that was read moves no sample of another', async (t) => {
  const rows = [10, 20, 30].map((offset) => ({ offset, lmin: offset * 100, samples: [offset * 100, 6_000] }));
  const table = SecondTable.from(filled(rows).bytes());
  table.add(rowOf(15, 9_000), [9_000]);
  table.remove(20, 21);
  const classes = [10, 15, 30].map((offset) => [...table.samples.of(offset)]);
  t.strictSame(classes, [
    [classIndex(1_000), classIndex(6_000)],
    [classIndex(9_000)],
    [classIndex(3_000), classIndex(6_000)],
  ]);
});

t.test('hours that were written without samples are read, and have none', async (t) => {
  const bytes = inflateRawSync(filled([{ offset: 5, lmin: 5_000, samples: [] }]).bytes());
  bytes[0] = 1;
  const table = SecondTable.from(deflateRawSync(bytes));
  t.equal(table.count, 1);
  const counts = new LevelCounts();
  table.samples.addTo(counts, 5);
  t.equal(counts.total, 0);
  bytes[0] = 9;
  t.throws(() => SecondTable.from(deflateRawSync(bytes)), { message: /unknown form/ });
});

t.test('a second that comes late to a minute without samples is added to its level counts', async (t) => {
  const rows = Array.from({ length: 59 }, (_, offset) => ({ offset, lmin: 5_000, samples: [5_000, 6_000] }));
  const hour = new OpenHour();
  for (const { offset, lmin, samples } of rows) hour.add(rowOf(offset, lmin), samples);
  const without = filled(rows.map((row) => ({ ...row, samples: [] })));
  const again = new OpenHour({ seconds: without.bytes(), minutes: hour.minutes.bytes() });
  again.add(rowOf(59, 5_000), [7_000]);
  const counts = new LevelCounts();
  addCountBytes(counts, again.minutes.counts[0] ?? new Uint8Array(0));
  t.strictSame(
    [...counts],
    [
      [500, 59],
      [600, 59],
      [700, 1],
    ],
  );
});

t.test('level counts are read from their bytes as they were, the outermost classes too', async (t) => {
  const counts = new LevelCounts();
  for (let sample = 0; sample < 700; sample++) counts.add(Math.round(300 + 250 * Math.sin(sample * sample)) / 10);
  for (const level of [-99, 400]) counts.add(level, 70_000);
  const again = new LevelCounts();
  addCountBytes(again, countBytes(counts));
  t.strictSame([...again], [...counts]);
  t.equal(again.total, 140_700);
  const impossible = new LevelCounts();
  t.throws(
    () => addCountBytes(impossible, Uint8Array.from([0xff, 0x7f, 1])),
    RangeError,
    'a class beyond the last one',
  );
  again.clear();
  t.strictSame([...again], []);
  t.equal(countBytes(again).length, 0);
});
