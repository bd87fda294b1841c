/** Files of levels, as meters write them and as they should not be. */
import { assert, asyncProperty, uint8Array } from 'fast-check';
import t from 'tap';
import { readHeader } from '../../../../lib/drivers/nl43/card/header.ts';
import { readRnd } from '../../../../lib/drivers/nl43/card/rnd.ts';
import { addSampleStores, createCard } from '../../../../simulator/card/index.ts';
import { heldMb } from '../../../support/held.ts';
import { pieces, read } from './setup.ts';

const AT = Date.UTC(2025, 11, 24, 2);
const NAMES =
  'Address,Start Time,Measurement Time,Leq(Main),LE(Main),Lmax(Main),Lmin(Main),LN1(Main),LN2(Main),Lpeak(Main),Over(Main),Under(Main),';
const ROW = '     1,2025/12/24 02:00:00,00d 00:15:00.0, 43.7, 73.2, 58.1, 41.0, 47.2, 45.9,  -.-,-,U,';

function sampleCard() {
  const card = createCard({ model: 'NL-43', totalMb: 100, seed: 3, startedAt: AT });
  addSampleStores(card, { at: AT, hours: 1, serial: '00123456', index: 7 });
  return card;
}

t.test('the files that the simulated meter stores are read whole', async (t) => {
  const card = sampleCard();
  const store = '/NL-43/Auto_0019';
  const bytes = (path: string) => Buffer.concat([...(card.read(path) ?? [])]);
  const lp = await read(bytes(`${store}/Auto_Lp_01/NL_0007_SLM_Lp _0019_0001.rnd`));
  t.same(lp.problems, []);
  t.equal(lp.rows.length, 3_600);
  t.match(lp.rows[1], { line: 4, start: AT + 1_000, duration: null, lp: Number, leq: Number, le: null });
  const leq = await read(bytes(`${store}/Auto_Leq/NL_0007_SLM_Leq_0019_0001.rnd`));
  t.same(leq.problems, []);
  t.match(leq.rows, { length: 4, 1: { start: AT + 900_000, duration: 900_000, leq: Number, ln: [Number, Number] } });
  const manual = await read(bytes('/NL-43/Manual_0019/NL_0007_SLM_MAN_0019_0000.rnd'));
  t.match(manual, { problems: { length: 0 }, rows: [{ duration: 10_000, leq: Number }] });
  t.same(await readHeader(pieces(bytes(`${store}/NL_0007_SLM_0019.rnh`))), {
    frequency: 'A',
    time: 'S',
    lpInterval: 1_000,
    percentiles: [5, 10, 50, 90, 95],
  });
});

t.test('a row is read by the names of its columns, padded or not, with every mark for a missing value', async (t) => {
  const { rows, problems } = await read(`CSV\r\n${NAMES}\r\n${ROW}\r\n`);
  t.same(problems, []);
  t.match(rows, [{ line: 3, start: AT, duration: 900_000, leq: 43.7, le: 73.2, lmax: 58.1, lmin: 41, lpeak: null }]);
  t.match(rows[0], { ln: [47.2, 45.9, null, null, null], over: false, under: true, frequency: null });
  const swapped = await read(
    'CSV\nLmax(Main),LAeq,Start Time,Leq(Sub1),New\n 50.0,40.1,2025/12/24 02:00:00.500,99.0,x\n',
  );
  t.match(swapped.rows, [{ start: AT + 500, leq: 40.1, lmax: 50, frequency: 'A', duration: null }]);
  for (const mark of ['-.-', ' -.-', '--.-', '-', '  ', '---.-']) {
    const marked = await read(`CSV\r\nStart Time,Lmax,Leq\r\n2025/12/24 02:00:00,${mark},40.1\r\n`);
    t.match(marked, { rows: [{ lmax: null, leq: 40.1 }], problems: { length: 0 } }, JSON.stringify(mark));
  }
});

t.test('the blocks of an NL-52 are rows, one a block', async (t) => {
  const block = (address: number, minutes: string, leq: string) =>
    `Address,   ${address}\r\nStart Time,2015/12/08 13:${minutes}:00\r\nMeasurement Time,00d 00:10:00.0\r\n,Sub,Main,Partial Over All,12.5 Hz,\r\n` +
    `Leq, 50.0, ${leq}, 44.0, 12.0,\r\nLE, 50.0, 71.5, 44.0, 12.0\r\nLmax, -.-, --.-,\r\nLN1, 1.0, 48.0\r\nUnknown, x, y\r\n`;
  const { rows, problems } = await read(`CSV\r\n${block(868, '40', '43.7')}\r\n${block(869, '50', '44.0')}`);
  t.same(problems, []);
  t.match(rows, [
    {
      line: 2,
      start: Date.UTC(2015, 11, 8, 13, 40),
      duration: 600_000,
      leq: 43.7,
      le: 71.5,
      lmax: null,
      ln: [48, null],
    },
    { leq: 44, start: Date.UTC(2015, 11, 8, 13, 50) },
  ]);
  const broken = await read(`CSV\n${block(1, '99', '43.7')}${block(2, '50', 'loud')}${block(3, '50', '44.0')}`);
  t.match(broken.problems, [
    { line: 3, message: /Start Time/ },
    { line: 15, message: /no level of Main for Leq/ },
  ]);
  t.equal(broken.rows.length, 1, 'the other block is whole');
});

t.test('Japanese text in Shift-JIS neither breaks a row nor moves its cells', async (t) => {
  const names = Buffer.concat([
    Buffer.from('CSV\r\nMemo'),
    Buffer.from([0x83, 0x5c, 0x8c, 0x2d ^ 0x93]),
    Buffer.from(',Start Time,Leq\r\n'),
  ]);
  const row = Buffer.concat([Buffer.from([0x91, 0x9b, 0x89, 0xb9]), Buffer.from(',2025/12/24 02:00:00,40.0\r\n')]);
  t.match(await read(Buffer.concat([names, row])), { rows: [{ leq: 40, start: AT }], problems: { length: 0 } });
});

t.test(
  'a last row without its end is left out of a file that grows, and is a problem of a complete file',
  async (t) => {
    const text = `CSV\r\n${NAMES}\r\n${ROW}\r\n${ROW.slice(0, 60)}`;
    t.match(await read(text, { growing: true }), { rows: { length: 1 }, problems: { length: 0 } });
    t.match(await read(text), { rows: { length: 1 }, problems: [{ line: 4, message: /is cut/ }] });
  },
);

t.test('the problem of a bad row names its line, and the row has no values', async (t) => {
  const rows = [
    ROW.replace('43.7', '4 .7'),
    ROW.replace('02:00:00', '02:61:00'),
    ROW.replace('12/24', '02/30'),
    ROW.replace('00d 00:15', '15 min'),
    ROW.replace(' 73.2,', ''),
    ROW.replace('43.7', '1e3'),
    ROW.replace('43.7', '999.9'),
    'x'.repeat(20_000),
  ];
  const { rows: made, problems } = await read(`CSV\r\n${NAMES}\r\n${rows.join('\r\n')}\r\n${ROW}\r\n`);
  t.equal(made.length, 1);
  t.same(
    problems.map(({ line }) => line),
    [3, 4, 5, 6, 7, 8, 9, 10],
  );
  for (const [text, message] of [
    ['', /no names of columns/],
    ['hello\r\n', /not CSV/],
    ['CSV\r\nAddress,Leq\r\n', /no column Start Time/],
    ['CSV\r\nStart Time,Lpeak\r\n', /neither Leq nor Lp/],
    ['CSV\r\nStart Time,Leq,LCeq\r\n', /more than one column/],
  ] as const)
    t.match(await read(text), { rows: [], problems: [{ message }] });
});

t.test('random bytes give rows that hold, or problems, and never an error', async () => {
  const lead = Buffer.from(`CSV\r\n${NAMES}\r\n`);
  await assert(
    asyncProperty(uint8Array({ maxLength: 600 }), async (bytes) => {
      for (const file of [bytes, Buffer.concat([lead, bytes]), Buffer.concat([lead, Buffer.from(ROW), bytes])]) {
        const { rows } = await read(file);
        if (!rows.every(({ start, leq }) => Number.isFinite(start) && (leq === null || Number.isFinite(leq))))
          throw new Error('a row that does not hold');
        await readHeader(pieces(file));
      }
    }),
    { numRuns: 150 },
  );
});

t.test('a line without an end, and a file of any size, take little memory', async (t) => {
  const before = heldMb();
  const piece = Buffer.alloc(1_048_576, 'x');
  const endless = async function* () {
    yield Buffer.from(`CSV\r\n${NAMES}\r\n`);
    for (let count = 0; count < 40; count += 1) yield piece;
    t.ok(heldMb() - before < 10, 'after 40 MB without a line');
  };
  const items = [];
  for await (const item of readRnd(endless())) items.push(item);
  t.match(items, [{ problem: { line: 3, message: /too long/ } }]);
  const rows = Buffer.from(`${ROW}\r\n`.repeat(1_000));
  const large = async function* () {
    yield Buffer.from(`CSV\r\n${NAMES}\r\n`);
    for (let count = 0; count < 100; count += 1) yield rows;
    t.ok(heldMb() - before < 10, 'after 100,000 rows');
  };
  let count = 0;
  for await (const item of readRnd(large())) if ('row' in item) count += 1;
  t.equal(count, 100_000);
});
