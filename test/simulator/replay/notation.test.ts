import fc from 'fast-check';
import t from 'tap';
import { formatBytes, parseBytes } from '../../../simulator/replay/transcript.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

t.test('a line of a transcript is written as a person reads it', async (t) => {
  t.equal(formatBytes(bytes('DOD?\r\n')), 'DOD?<CR><LF>');
  t.equal(formatBytes(bytes('  -.-, 44.9\r\n$')), '  -.-, 44.9<CR><LF>$');
  t.equal(formatBytes(bytes('\x1a')), '<SUB>');
  t.equal(formatBytes(bytes('\0\x7f\xe9\x1b')), '<NUL><7F><E9><1B>');
  t.equal(formatBytes(bytes('<CR>')), '<3C>CR>', 'text that looks like a mark is no mark');
  t.equal(formatBytes(bytes('a ')), 'a<20>', 'a space at the end is visible');
});

t.test('a < that opens no mark means itself', async (t) => {
  t.same(parseBytes('a<b'), bytes('a<b'));
  t.same(parseBytes('<cr><GG><C>'), bytes('<cr><GG><C>'));
});

t.test('what no byte stands for is refused', async (t) => {
  t.throws(() => parseBytes('caf\u00e9'), { name: 'TypeError', message: /must be written in angle brackets/ });
  t.throws(() => parseBytes('a\tb'), TypeError);
});

t.test('parse(format(x)) = x for any bytes, and the text is printable ASCII without a space at the end', async () => {
  const like = fc.array(fc.constantFrom(...Buffer.from('<>CRLFSUB0A $\r\n\x1a\0\xff')), { maxLength: 30 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        like.map((list) => Uint8Array.from(list)),
      ),
      (x) => {
        const text = formatBytes(x);
        return /^([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && Buffer.compare(parseBytes(text), x) === 0;
      },
    ),
    { numRuns: 2_000 },
  );
});
