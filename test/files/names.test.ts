/** Names of a card that are not ASCII: UTF-8, or Shift-JIS, where a second byte may look like a backslash. */
import t, { type Test } from 'tap';
import { bytesOfName, readNames } from '../../lib/files/names.ts';
import { createCard } from '../../simulator/card/index.ts';
import { ftpBehaviour, startFtp } from '../../simulator/ftp/index.ts';
import { bytesOf, cards, config, forever } from './setup.ts';

const latin = (...bytes: readonly number[]) => Buffer.from(bytes).toString('latin1');
/** By the tables of JIS X 0208, not by the code under test: 0x5C is also the backslash. */
const TABLE = { name: '表', wire: latin(0x95, 0x5c) };
const SONY = { name: 'ソニー', wire: latin(0x83, 0x5c, 0x83, 0x6a, 0x81, 0x5b) };
const NOISE = { name: '騒音', wire: latin(0x91, 0x9b, 0x89, 0xb9) };
const HALF = { name: 'ｿﾆｰ', wire: latin(0xbf, 0xc6, 0xb0) };

const line = (name: string) => `-rw-rw-rw-   1 root  root      1482 Dec 24 02:13 ${name}\r\n`;
const read = (...names: readonly string[]) => readNames(Buffer.from(names.map(line).join(''), 'latin1'));

t.test('a listing is read as UTF-8, and where it is none as Shift-JIS', async (t) => {
  const utf8 = Buffer.from('測定.rnd').toString('latin1');
  t.strictSame(read('a.rnd', utf8), { text: line('a.rnd') + line('測定.rnd'), coding: 'utf-8' });
  for (const { name, wire } of [TABLE, SONY, NOISE, HALF])
    t.strictSame(
      read('a.rnd', `${wire}.rnd`),
      { text: line('a.rnd') + line(`${name}.rnd`), coding: 'shift_jis' },
      name,
    );
});

t.test('a name goes back to the meter in the bytes in which it came', async (t) => {
  for (const { name, wire } of [TABLE, SONY, NOISE, HALF])
    t.equal(bytesOfName(name, 'shift_jis')?.toString('latin1'), wire);
  t.equal(bytesOfName('測定', 'utf-8')?.toString(), '測定');
  t.equal(bytesOfName('NL 1.rnd', 'shift_jis')?.toString(), 'NL 1.rnd');
  t.equal(bytesOfName('😀', 'shift_jis'), undefined, 'there is no such letter in it');
});

t.test('bytes that are neither, and letters that would go back as other bytes, stay unreadable', async (t) => {
  for (const wire of [latin(0xff, 0xfe), latin(0x95), latin(0x95, 0x20), latin(0xed, 0x40)])
    t.match(read(`${wire}.rnd`).text, /\uFFFD/);
});

async function meter(t: Test) {
  const side = cards();
  const card = createCard({ model: 'NL-43', totalMb: 1_024, seed: 7, startedAt: side.clock.now() });
  const behaviour = ftpBehaviour({ startDelayMs: 0 });
  const server = await startFtp({ host: '127.0.0.1', port: 0, card, clock: side.clock, behaviour });
  await server.on();
  t.teardown(() => server.stop());
  return { ...side, card, unit: side.of(config({ host: '127.0.0.1', port: server.port })) };
}

t.test('files and folders with Japanese names are listed and fetched like all others', async (t) => {
  const { unit, card, clock, lines } = await meter(t);
  card.addFile(`/NL-43/${SONY.wire}/${TABLE.wire}.rnd`, Buffer.from('table'), clock.now());
  card.addFile(`/NL-43/${TABLE.wire}.rnd`, Buffer.from('above'), clock.now());
  const names = async (path: string) => (await unit.list(path, forever)).map(({ name }) => name);
  t.ok((await names('/NL-43')).includes('表.rnd'));
  t.ok((await names('/NL-43')).includes('ソニー'));
  t.strictSame(await names('/NL-43/ソニー'), ['表.rnd']);
  t.match(await unit.visit(forever).find('/NL-43/ソニー/表.rnd'), { path: '/NL-43/ソニー/表.rnd', size: 5 });
  const text = async (path: string) => String(await bytesOf((await unit.download(path, forever)).stream));
  t.equal(await text('/NL-43/ソニー/表.rnd'), 'table');
  t.equal(await text('/NL-43/表.rnd'), 'above');
  const part = await unit.visit(forever).open('/NL-43/表.rnd', { from: 0, to: 5 });
  t.equal(String(await bytesOf(part.stream)), 'above');
  t.notOk(
    lines.some((each) => each.includes('left out')),
    'no line is left out',
  );
});

t.test('a folder is found by its name before any listing has shown how names are written', async (t) => {
  const { unit, card, clock } = await meter(t);
  card.addFile(`/NL-43/${NOISE.wire}/a.rnd`, Buffer.from('x'), clock.now());
  card.addFile(`/NL-43/${Buffer.from('測定').toString('latin1')}/b.rnd`, Buffer.from('y'), clock.now());
  t.match(await unit.list('/NL-43/騒音', forever), [{ name: 'a.rnd' }]);
  t.match(await unit.list('/NL-43/測定', forever), [{ name: 'b.rnd' }], 'and one written the other way');
  await t.rejects(unit.list('/NL-43/表', forever), { code: 'FILE_NOT_FOUND' });
});
