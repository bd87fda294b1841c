import { createHash } from 'node:crypto';
import t from 'tap';
import { addSampleStores, CardProblem, createCard, generate } from '../../../simulator/card/index.ts';
import { AT, block, shown, storeLabel } from './label.ts';

const newCard = (changes = {}) => createCard({ model: 'NL-43', totalMb: 100, seed: 1, startedAt: AT, ...changes });
const names = (card: ReturnType<typeof newCard>, path: string) => card.list(path)?.map((entry) => entry.name);
const bytes = (card: ReturnType<typeof newCard>, path: string) => Buffer.concat([...(card.read(path) ?? [])]);

t.test('a new card is the card of a camera with a folder of the meter on it', async (t) => {
  const card = newCard();
  t.same(names(card, '/'), ['NL-43', 'DCIM', 'NIKON001.DSC']);
  t.same(names(card, '/DCIM'), []);
  t.same(names(card, '/NL-43'), ['Screenshot']);
  t.same(names(card, '/NL-43/Screenshot'), ['0001_20251224_014800.bmp'], 'number, date and time in the name');
});

t.test('an NL-53 has a folder of its own name', async (t) => {
  t.same(names(newCard({ model: 'NL-53' }), '/NL-53'), ['Screenshot']);
});

t.test('a screenshot is a bitmap that is as long as its head says', async (t) => {
  const picture = bytes(newCard(), '/NL-43/Screenshot/0001_20251224_014800.bmp');
  t.equal(picture.toString('latin1', 0, 2), 'BM');
  t.equal(picture.readUInt32LE(2), picture.length, 'file size');
  const [width, height, bits] = [picture.readInt32LE(18), picture.readInt32LE(22), picture.readUInt16LE(28)];
  t.equal(picture.readUInt32LE(10) + (width * height * bits) / 8, picture.length, 'head and pixels');
  t.ok(picture.length > 100_000 && picture.length < 200_000, 'of the size that its transfer time tells');
});

t.test('furnishing lays down the stores of the field card', async (t) => {
  const card = newCard();
  addSampleStores(card, { hours: 2 });
  t.same(names(card, '/NL-43'), ['Screenshot', 'Auto_0019', 'Manual_0019']);
  t.same(names(card, '/NL-43/Manual_0019'), ['NL_0001_SLM_MAN_0019_0000.rnd']);
  t.same(new Set(names(card, '/NL-43/Auto_0019')), new Set(['Auto_Leq', 'Auto_Lp_01', 'NL_0001_SLM_0019.rnh']));
  t.same(names(card, '/NL-43/Auto_0019/Auto_Leq'), ['NL_0001_SLM_Leq_0019_0001.rnd']);
  t.same(
    names(card, '/NL-43/Auto_0019/Auto_Lp_01'),
    ['NL_0001_SLM_Lp _0019_0001.rnd', 'NL_0001_SLM_Lp _0019_0002.rnd'],
    'an hour each, with the space of the field card',
  );
  t.equal(card.entry('/NL-43/Auto_0019')?.modifiedAt, AT, 'the folder tells when the measurement began');
});

t.test('the rows of a furnished card obey the arithmetic of levels', async (t) => {
  const card = newCard();
  addSampleStores(card, { hours: 1 });
  const rows = bytes(card, '/NL-43/Auto_0019/Auto_Leq/NL_0001_SLM_Leq_0019_0001.rnd')
    .toString()
    .split('\r\n')
    .slice(2, -1);
  t.equal(rows.length, 4, 'a quarter of an hour each');
  for (const row of rows) {
    const [leq = 0, le = 0, lmax = 0, lmin = 0, ...ln] = row.split(',').slice(3, 12).map(Number);
    t.ok(Math.abs(le - leq - 10 * Math.log10(900)) <= 0.11, 'LE - Leq = 10 lg T');
    t.ok(lmin <= leq && leq <= lmax, 'Lmin <= Leq <= Lmax');
    t.same(
      ln,
      [...ln].sort((a, b) => b - a),
      'LN1 >= LN2 >= ...',
    );
  }
});

t.test('every listed size is the number of bytes that a read gives', async (t) => {
  const card = newCard();
  addSampleStores(card);
  card.addFile('/x/big.wav', { bytes: 200_001, seed: 3 }, AT);
  card.addFile('/x/empty', new Uint8Array(), AT);
  const visit = (path: string): number =>
    (card.list(path) ?? []).reduce((count, entry) => {
      const inner = `${path}/${entry.name}`;
      if (entry.folder) return count + visit(inner);
      t.equal(bytes(card, inner).length, entry.size, inner);
      return count + 1;
    }, 0);
  t.equal(visit(''), 9);
});

t.test('a made-up file is the stream of its seed, however often it is read', async (t) => {
  const card = newCard();
  card.addFile('/NL-43/Sound/a.wav', { bytes: 1_000_000, seed: 42 }, AT);
  const sum = (pieces: Iterable<Uint8Array>) => {
    const hash = createHash('sha256');
    for (const piece of pieces) hash.update(piece);
    return hash.digest('hex');
  };
  const expected = sum(generate(1_000_000, 42));
  t.equal(sum(card.read('/NL-43/Sound/a.wav') ?? []), expected);
  t.equal(sum(card.read('/NL-43/Sound/a.wav') ?? []), expected);
  t.not(sum(generate(1_000_000, 43)), expected);
  t.not(sum(generate(999_999, 42)), expected);
});

t.test('a file of 2 GB costs nothing until somebody reads it', async (t) => {
  const card = newCard({ totalMb: 4_096 });
  const before = process.memoryUsage().arrayBuffers;
  card.addFile('/long.wav', { bytes: 2 ** 31, seed: 1 }, AT);
  t.equal(card.entry('/long.wav')?.size, 2 ** 31);
  t.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
});

t.test('a foreign file may stand anywhere, and brings its folders', async (t) => {
  const card = newCard();
  card.addFile('/DCIM/100NIKON/DSC_0001.JPG', Buffer.from('jpeg'), AT);
  t.same(names(card, '/DCIM/100NIKON'), ['DSC_0001.JPG']);
  t.equal(bytes(card, '/DCIM/100NIKON/DSC_0001.JPG').toString(), 'jpeg');
  t.throws(() => card.addFile('/DCIM', Buffer.from('x'), AT), TypeError);
  t.throws(() => card.addFile('/NIKON001.DSC/x', Buffer.from('x'), AT), TypeError);
});

t.test('no path leads out of the card', async (t) => {
  const card = newCard();
  t.same(names(card, '/../../..'), names(card, '/'));
  t.equal(card.read('/NL-43'), null);
  t.equal(card.list('/NIKON001.DSC'), null);
  t.equal(card.entry('/nothing/here'), null);
});

t.test('free space falls by what is written and comes back with what is replaced', async (t) => {
  const card = newCard();
  card.addFile('/a', { bytes: 50 * 1_048_576, seed: 1 }, AT);
  t.equal(card.freeMb, 49, 'whole MB');
  card.addFile('/a', { bytes: 10 * 1_048_576, seed: 1 }, AT);
  t.equal(card.freeMb, 89);
  t.throws(() => card.addFile('/b', { bytes: 90 * 1_048_576, seed: 1 }, AT), new CardProblem('full'));
  t.equal(card.entry('/b'), null, 'nothing half-written');
  card.fill(3);
  t.equal(card.freeMb, 3);
  card.fill(0);
  t.equal(card.freeMb, 0);
});

t.test('a full card takes no store, and drops and counts the rows of an open one', async (t) => {
  const card = newCard();
  const store = card.openAuto(storeLabel());
  card.fill(0);
  store.lp(block(0, 1_000), AT);
  t.equal(card.lostRows, 1);
  t.throws(() => card.openAuto(storeLabel({ storeName: 20 })), new CardProblem('full'));
  t.throws(() => card.storeManual(storeLabel({ mode: 'Manual' }), 10_000, shown()), new CardProblem('full'));
  card.fill(1);
  store.lp(block(1_000, 1_000), AT + 1_000);
  t.equal(card.lostRows, 1, 'room again, row written');
});

t.test('without a card there is nothing to see and nowhere to write; with it, all is back', async (t) => {
  const card = newCard();
  addSampleStores(card);
  const store = card.openAuto(storeLabel({ storeName: 20 }));
  card.eject();
  t.equal(card.inserted, false);
  t.equal(card.freeMb, 0);
  t.equal(card.list('/'), null);
  t.equal(card.exists('Auto', 19, 1), false);
  t.throws(() => card.openAuto(storeLabel()), new CardProblem('missing'));
  t.throws(() => card.addFile('/x', Buffer.from('x'), AT), new CardProblem('missing'));
  store.lp(block(0, 1_000), AT);
  t.equal(card.lostRows, 1);
  card.insert();
  t.equal(card.exists('Auto', 19, 1), true);
  t.same(names(card, '/NL-43'), ['Screenshot', 'Auto_0019', 'Manual_0019', 'Auto_0020']);
});

t.test('a read breaks when the card is pulled out', async (t) => {
  const card = newCard();
  card.addFile('/a', { bytes: 1_000_000, seed: 1 }, AT);
  const pieces = (card.read('/a') ?? [])[Symbol.iterator]();
  pieces.next();
  card.eject();
  t.throws(() => pieces.next(), new CardProblem('missing'));
});

t.test('another card: what was on the old one is gone, and the stores are those of another meter', async (t) => {
  const card = newCard();
  const open = card.openAuto(storeLabel());
  const before = card.read('/NIKON001.DSC');
  card.exchange({ totalMb: 50, stores: { serial: '00999999', index: 2 } });
  t.equal(card.totalMb, 50);
  t.equal(card.inserted, true);
  t.same(names(card, '/NL-43/Manual_0019'), ['NL_0002_SLM_MAN_0019_0000.rnd']);
  const header = Buffer.concat([...(card.read('/NL-43/Auto_0019/NL_0002_SLM_0019.rnh') ?? [])]).toString('latin1');
  t.match(header, /Serial Number,00999999\r\n/);
  const size = card.freeMb;
  open.lp(block(0, 1_000), AT);
  t.equal(card.freeMb, size, 'a store that was open writes to no card');
  t.throws(() => [...(before ?? [])], /there is no card/);
  card.exchange({});
  t.equal(card.list('/NL-43/Manual_0019'), null, 'an empty card');
});
