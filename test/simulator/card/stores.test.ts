import t from 'tap';
import { createCard } from '../../../simulator/card/index.ts';
import type { RndForm } from '../../../simulator/contract.ts';
import { read } from '../../drivers/nl43/card/setup.ts';
import { AT, block, SETUP, shown, storeLabel, VALUES } from './label.ts';

const newCard = (splits = {}) => createCard({ model: 'NL-43', totalMb: 100, seed: 1, startedAt: AT, splits });
type TestCard = ReturnType<typeof newCard>;
const AUTO = '/NL-43/Auto_0019';
const LEQ = `${AUTO}/Auto_Leq/NL_0001_SLM_Leq_0019_0001.rnd`;
const LP = `${AUTO}/Auto_Lp_01/NL_0001_SLM_Lp _0019_0001.rnd`;
const MANUAL = '/NL-43/Manual_0019/NL_0001_SLM_MAN_0019_0000.rnd';

const text = (card: TestCard, path: string) => Buffer.concat([...(card.read(path) ?? [])]).toString('latin1');
const names = (card: TestCard, path: string) => card.list(path)?.map((entry) => entry.name);

t.test('a Leq file is CSV, the row of names, and one padded row an interval', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel());
  store.leq(block(0, 900_000), AT);
  t.equal(
    text(card, LEQ),
    'CSV\r\n' +
      'Address,Start Time,Measurement Time,Leq(Main),LE(Main),Lmax(Main),Lmin(Main),LN1(Main),LN2(Main),LN3(Main),' +
      'LN4(Main),LN5(Main),Lpeak(Main),LIeq(Main),Lmov(Main),Ltm5(Main),Over(Main),Under(Main),\r\n' +
      '     1,2025/12/24 02:00:00,00d 00:15:00.0, 43.5, 73.0, 43.9, 43.4, 47.2, 45.9, 43.0, 41.6, 41.3, 56.1,  -.-,' +
      '  -.-,  -.-,-,-,\r\n',
  );
});

t.test('additional values are in the file where the meter shows them', async (t) => {
  const card = newCard();
  card.openAuto(storeLabel({ form: { additional: true } })).leq(block(0, 900_000), AT);
  t.match(text(card, LEQ), ' 56.1, 44.3,  -.-,  -.-,-,-,');
});

t.test('no column begins with the name of one before it, or Leqmov hides Leq where the profile says so', async (t) => {
  const stems = (columns: 'by prefix' | 'Leqmov last', path: string) => {
    const card = newCard();
    card.openAuto(storeLabel({ lpIntervalMs: 100, form: { columns } }));
    return (
      text(card, path)
        .split('\r\n')[1]
        ?.split(',')
        .flatMap((name) => name.match(/^\w+(?=\(Main)/)?.[0] ?? []) ?? []
    );
  };
  const hidden = (list: readonly string[]) =>
    list.filter((name, place) => list.slice(place + 1).some((later) => later.startsWith(name)));
  for (const path of [LEQ, LP]) {
    t.same(hidden(stems('by prefix', path)), []);
  }
  t.same(hidden(stems('Leqmov last', LEQ)), ['Leq']);
  t.same(hidden(stems('Leqmov last', LP)), ['Lp']);
});

t.test('an Lp file has milliseconds and no measurement time', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel({ lpIntervalMs: 100 }));
  store.lp(block(0, 100), AT);
  store.lp(block(100, 100), AT + 100);
  t.equal(
    text(card, LP),
    'CSV\r\n' +
      'Address,Start Time,Lpeak(Main),Lp(Main),Leq(Main),Lmax(Main),Lmin(Main),Over(Main),Under(Main),\r\n' +
      '     1,2025/12/24 02:00:00.000, 56.1, 43.7, 43.5, 43.9, 43.4,-,-,\r\n' +
      '     2,2025/12/24 02:00:00.100, 56.1, 43.7, 43.5, 43.9, 43.4,-,-,\r\n',
  );
});

t.test('a level of three digits keeps the width, and flags show', async (t) => {
  const card = newCard();
  card.openAuto(storeLabel()).lp(block(0, 1_000, { ...VALUES, lp: 104.24, over: true }), AT);
  t.match(text(card, LP), ', 56.1,104.2, 43.5, 43.9, 43.4,O,-,\r\n');
});

t.test('a sub channel that is on has columns of its own', async (t) => {
  const card = newCard();
  const channels = { ...SETUP.channels, sub2: { on: true, frequency: 'C', time: 'S' } as const };
  const store = card.openAuto(storeLabel({ setup: { ...SETUP, channels } }));
  store.lp({ from: 0, to: 1_000, channels: { main: VALUES, sub1: null, sub2: { ...VALUES, lp: 60 }, sub3: null } }, AT);
  const [, head, row] = text(card, LP).split('\r\n');
  t.match(head, /Under\(Main\),Lpeak\(Sub2\),Lp\(Sub2\),.*Under\(Sub2\),$/);
  t.equal(row, '     1,2025/12/24 02:00:00.000, 56.1, 43.7, 43.5, 43.9, 43.4,-,-, 56.1, 60.0, 43.5, 43.9, 43.4,-,-,');
});

t.test('the header tells the set-up, which percentage is where, and no times', async (t) => {
  const card = newCard();
  card.openAuto(storeLabel({ lpIntervalMs: 100, setup: { ...SETUP, percentiles: [1, 10, 50, 90, 95] } }));
  const header = text(card, `${AUTO}/NL_0001_SLM_0019.rnh`);
  t.ok(header.startsWith('CSV\r\n['));
  for (const line of [
    'Index Number,0001',
    'Store Name,0019',
    'Serial Number,00123456',
    'Lp Store Interval,100ms',
    'Leq Calculation Interval,15m',
    'Frequency Weighting (Main),A',
    'Time Weighting (Main),F',
    'Percentile 1,1',
    'Percentile 5,95',
  ]) {
    t.ok(header.includes(`\r\n${line}\r\n`), line);
  }
  t.notMatch(header, /2025|:\d\d/);
});

t.test('files are there from the start and grow with every row', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel());
  const head = card.entry(LP)?.size ?? 0;
  t.ok(head > 0);
  store.lp(block(0, 1_000), AT);
  const one = card.entry(LP)?.size ?? 0;
  store.lp(block(1_000, 1_000), AT + 1_000);
  t.equal((card.entry(LP)?.size ?? 0) - one, one - head, 'rows of one length');
  t.equal(card.entry(LP)?.modifiedAt, AT + 2_000, 'written when the interval was over');
  t.equal(card.entry(AUTO)?.modifiedAt, AT, 'the folder keeps the start');
});

t.test('a reader of a growing file gets whole rows, up to what is there when it gets there', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel());
  const add = (from: number, to: number) => {
    for (let second = from; second < to; second++) store.lp(block(second * 1_000, 1_000), AT + second * 1_000);
  };
  add(0, 50);
  let read = '';
  let more = 50;
  for (const piece of card.read(LP) ?? []) {
    read += Buffer.from(piece).toString('latin1');
    if (more === 500) continue;
    add(more, more + 75);
    more += 75;
  }
  t.equal(read, text(card, LP));
  t.equal(read.split('\r\n').length, 500 + 3);
});

t.test('a switched-off interval has no folder', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel({ lpIntervalMs: null }));
  store.lp(block(0, 1_000), AT);
  t.same(names(card, AUTO), ['Auto_Leq', 'NL_0001_SLM_0019.rnh']);
});

t.test('a Leq file is split by records, addresses go on', async (t) => {
  const card = newCard({ leqRecords: 3 });
  const store = card.openAuto(storeLabel());
  for (let at = 0; at < 7; at++) store.leq(block(at * 900_000, 900_000), AT + at * 900_000);
  const folder = `${AUTO}/Auto_Leq`;
  t.same(
    names(card, folder),
    [1, 2, 3].map((number) => `NL_0001_SLM_Leq_0019_000${number}.rnd`),
  );
  const lines = text(card, `${folder}/NL_0001_SLM_Leq_0019_0003.rnd`).split('\r\n');
  t.equal(lines[0], 'CSV', 'every file has its names');
  t.equal(lines.length, 2 + 1 + 1);
  t.match(lines[2], /^ {5}7,2025\/12\/24 03:30:00,/);
});

t.test('an Lp file is split by the hour and an Lp folder by its files', async (t) => {
  const card = newCard({ lpFileMs: 2_000, lpFilesPerFolder: 2 });
  const store = card.openAuto(storeLabel({ lpIntervalMs: 500 }));
  for (let at = 0; at < 17; at++) store.lp(block(at * 500, 500), AT + at * 500);
  const file = (number: number) => `NL_0001_SLM_Lp _0019_000${number}.rnd`;
  t.same(names(card, `${AUTO}/Auto_Lp_01`), [file(1), file(2)]);
  t.same(names(card, `${AUTO}/Auto_Lp_02`), [file(3), file(4)]);
  t.same(names(card, `${AUTO}/Auto_Lp_03`), [file(5)]);
  t.equal(text(card, `${AUTO}/Auto_Lp_02/${file(4)}`).split('\r\n').length, 2 + 4 + 1);
});

t.test('unless told, the limits are 60,000 records, an hour and 1,000 files', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel({ leqIntervalMs: 10_000 }));
  for (let at = 0; at < 3_601; at++) store.lp(block(at * 1_000, 1_000), AT + at * 1_000);
  for (let at = 0; at < 60_001; at++) store.leq(block(at * 10_000, 10_000), AT + at * 10_000);
  t.equal(text(card, LP).split('\r\n').length, 2 + 3_600 + 1);
  t.equal(names(card, `${AUTO}/Auto_Lp_01`)?.length, 2);
  t.equal(text(card, LEQ).split('\r\n').length, 2 + 60_000 + 1);
});

t.test('a store of the same name is replaced, and its old rows go nowhere', async (t) => {
  const card = newCard();
  const old = card.openAuto(storeLabel());
  old.lp(block(0, 1_000), AT);
  t.equal(card.exists('Auto', 19, 1), true);
  t.equal(card.exists('Auto', 20, 1), false);
  card.openAuto(storeLabel({ indexNumber: 2, lpIntervalMs: null }));
  t.same(names(card, AUTO), ['Auto_Leq', 'NL_0002_SLM_0019.rnh']);
  old.lp(block(1_000, 1_000), AT);
  t.equal(card.entry(LP), null);
});

t.test('a Manual store is a row under its address, with the values that were on the display', async (t) => {
  const card = newCard();
  const form = { additional: true };
  card.storeManual(storeLabel({ mode: 'Manual', address: 2, form }), 10_000, shown({ leq: 44.1 }));
  card.storeManual(storeLabel({ mode: 'Manual', address: 1, form }), 93_784_500, shown({ leqMov: 45 }));
  const rows = text(card, MANUAL).split('\r\n').slice(2, -1);
  t.match(rows[0], '     1,2025/12/24 02:00:00,01d 02:03:04.5, 43.5, 73.0,');
  t.match(rows[0], ' 56.1,  -.-, 45.0,  -.-,-,-,');
  t.match(rows[1], '     2,2025/12/24 02:00:00,00d 00:00:10.0, 44.1, 73.0,');
});

t.test('an address that is stored again is replaced', async (t) => {
  const card = newCard();
  t.equal(card.exists('Manual', 19, 1), false);
  card.storeManual(storeLabel({ mode: 'Manual' }), 10_000, shown({ leq: 44.1 }));
  t.equal(card.exists('Manual', 19, 1), true);
  t.equal(card.exists('Manual', 19, 2), false);
  t.equal(card.exists('Manual', 20, 1), false);
  card.storeManual(storeLabel({ mode: 'Manual' }), 10_000, shown({ leq: 55.5 }));
  const rows = text(card, MANUAL).split('\r\n').slice(2, -1);
  t.equal(rows.length, 1);
  t.match(rows[0], ', 55.5,');
  t.equal(card.entry(MANUAL)?.size, text(card, MANUAL).length);
});

t.test(
  'each form of the files is read to the same rows: both layouts, with and without the last comma, with Japanese text',
  async (t) => {
    const made = async (form: Partial<RndForm>, path: string) => {
      const card = newCard();
      const store = card.openAuto(storeLabel({ form }));
      for (let second = 0; second < 3; second += 1) store.lp(block(second * 1_000, 1_000), AT + second * 1_000);
      store.leq(block(0, 900_000), AT);
      store.close();
      const { rows, problems } = await read(Buffer.from(text(card, path), 'latin1'));
      t.same(problems, [], JSON.stringify(form));
      return rows.map(({ line: _, ...row }) => row);
    };
    for (const path of [LEQ, LP]) {
      const usual = await made({}, path);
      t.equal(usual.length, path === LP ? 3 : 1);
      for (const layout of ['rows', 'blocks'] as const)
        for (const lastComma of [true, false])
          for (const memo of [true, false])
            t.same(await made({ layout, lastComma, memo }, path), usual, `${layout}, ${lastComma}, ${memo}`);
    }
    const blocks = newCard();
    blocks.openAuto(storeLabel({ form: { layout: 'blocks', memo: true } })).lp(block(0, 1_000), AT);
    t.match(text(blocks, LP), /^CSV\r\nAddress, {5}1,\r\nStart Time,.*\r\n,Main,\r\nLpeak, 56\.1,\r\n/);
    t.match(text(blocks, LP), '\x83\x81\x83\x82,\x95\\');
  },
);

t.test(
  'a file that is written may end at a full sector, in the middle of a row; it is whole when the store is closed',
  async (t) => {
    const card = newCard();
    const store = card.openAuto(storeLabel({ form: { cut: true } }));
    for (let second = 0; second < 30; second += 1) store.lp(block(second * 1_000, 1_000), AT + second * 1_000);
    const growing = Buffer.from(text(card, LP), 'latin1');
    t.equal(growing.length % 512, 0);
    t.equal(card.entry(LP)?.size, growing.length);
    t.notOk(growing.toString('latin1').endsWith('\r\n'), 'a row is cut');
    const { rows, problems } = await read(growing, { growing: true });
    t.ok(rows.length > 20 && rows.length < 30);
    t.same(problems, []);
    store.close();
    t.equal((await read(Buffer.from(text(card, LP), 'latin1'))).rows.length, 30);
  },
);
