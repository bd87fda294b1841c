import fc from 'fast-check';
import t from 'tap';
import { LineFramer } from '../../lib/drivers/lines.ts';
import type { Framed } from '../../lib/drivers/wire/contract.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const shown = (line: Framed): string => (typeof line === 'string' ? line : '<too long>');

/** Feeds the text in pieces of these lengths, the rest in one piece. */
function frame(text: string, sizes: readonly number[] = [], framer = new LineFramer()): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const size of [...sizes, text.length]) {
    lines.push(...framer.feed(bytes(text.slice(from, from + size))).map(shown));
    from += size;
  }
  return lines;
}
const oneByOne = (text: string, framer = new LineFramer()) => frame(text, Array(text.length).fill(1), framer);

t.test('no C1 control of a meter is in a line: neither the log nor a terminal gets one', async (t) => {
  const all = Array.from({ length: 32 }, (_, at) => String.fromCharCode(0x80 + at)).join('');
  const framer = new LineFramer();
  t.same(frame(`R+0000${all}\r\n\u009b2J`, [], framer), [`R+0000${'\ufffd'.repeat(32)}`]);
  t.equal(framer.rest, '\ufffd2J');
});

t.test('a prompt without line end is there to be seen, and can be taken away', async (t) => {
  const framer = new LineFramer();
  t.same(framer.feed(bytes('R+0000\r\n$')), ['R+0000']);
  t.equal(framer.rest, '$');
  framer.reset();
  t.equal(framer.rest, '');
  t.same(framer.feed(bytes('R+0001\r\n')), ['R+0001']);
});

t.test('spaces at both ends of a line are kept: they are padding of the first and last field', async (t) => {
  t.same(frame('  -.-,0 \r\n'), ['  -.-,0 ']);
});

t.test('a line feed alone ends a line; a carriage return alone does not', async (t) => {
  t.same(oneByOne('a\nb\rc\r\n'), ['a', 'b\rc']);
  t.same(frame('a\r\r\n'), ['a\r']);
});

t.test('a line of exactly the limit passes; one byte more is reported once and dropped up to its end', async (t) => {
  const fits = '12345678\r\nok\r\n';
  t.same(frame(fits, [], new LineFramer(8)), ['12345678', 'ok']);
  t.same(oneByOne(fits, new LineFramer(8)), ['12345678', 'ok']);
  const long = '123456789 and more, $\r\nok\r\n';
  t.same(frame(long, [], new LineFramer(8)), ['<too long>', 'ok']);
  t.same(oneByOne(long, new LineFramer(8)), ['<too long>', 'ok']);
});

t.test('endless bytes without a line end cost no more memory than the limit', async (t) => {
  const framer = new LineFramer();
  const chunk = bytes('x'.repeat(1_000));
  let told = 0;
  for (let i = 0; i < 1_000; i++) told += framer.feed(chunk).length;
  t.equal(told, 1);
  t.equal(framer.rest, '');
  t.same(framer.feed(bytes('\r\nR+0000\r\n')), ['R+0000']);
});

t.test('reset also ends the dropping of a long line', async (t) => {
  const framer = new LineFramer(4);
  framer.feed(bytes('123456'));
  framer.reset();
  t.same(framer.feed(bytes('ok\r\n')), ['ok']);
});

t.test('the chunk may be reused after it was fed', async (t) => {
  const framer = new LineFramer();
  const chunk = Buffer.from('R+00');
  framer.feed(chunk);
  chunk.fill('x');
  t.same(framer.feed(bytes('00\r\n')), ['R+0000']);
});

t.test('any segmentation of the same bytes gives the same lines and the same rest', async () => {
  const text = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '$', 'a', 'R+0000', ' 43.7,', '\x1a', '\xff', '123456789'), {
      maxLength: 40,
    })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(12), { maxLength: 60 }), (text, sizes) => {
      const whole = new LineFramer(8);
      const cut = new LineFramer(8);
      const single = new LineFramer(8);
      const lines = frame(text, [], whole).join('|');
      return (
        lines === frame(text, sizes, cut).join('|') &&
        lines === oneByOne(text, single).join('|') &&
        whole.rest === cut.rest &&
        whole.rest === single.rest
      );
    }),
  );
});
