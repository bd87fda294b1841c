import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { type Entry, formatEntry, formatTranscript, parseTranscript } from '../../../simulator/replay/transcript.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

const plain = (entries: readonly Entry[]) =>
  entries.map((entry) => (entry.kind === 'bytes' ? { ...entry, bytes: [...entry.bytes] } : entry));

t.test('a recorded exchange as a file', async (t) => {
  const entries: Entry[] = [
    { kind: 'event', side: 'client', at: 0, what: 'connects' },
    { kind: 'bytes', side: 'client', at: 12.5, bytes: bytes('DOD?\r\n') },
    { kind: 'bytes', side: 'meter', at: 90.1234567, bytes: bytes('R+0000\r\n 45.8') },
    { kind: 'bytes', side: 'meter', at: 91, bytes: bytes(', 46.0\r\n$') },
    { kind: 'comment', text: 'two lines\r\n> are one' },
    { kind: 'event', side: 'meter', at: 100, what: 'resets' },
  ];
  t.equal(
    formatTranscript(entries),
    `# @0 client connects
# @12.5
> DOD?<CR><LF>
# @90.123
< R+0000<CR><LF>
<  45.8
# @91
< , 46.0<CR><LF>
< $
# two lines > are one
# @100 meter resets
`,
  );
});

t.test('readers of the plain format find the same messages in a recording', async (t) => {
  const recorded = formatTranscript([
    { kind: 'bytes', side: 'client', at: 1, bytes: bytes('Type?\r\n') },
    { kind: 'bytes', side: 'meter', at: 2, bytes: bytes('R+0000\r\nNL-43\r\n') },
  ]);
  const messages = recorded.split('\n').filter((line) => /^[<>=] /.test(line));
  t.same(messages, ['> Type?<CR><LF>', '< R+0000<CR><LF>', '< NL-43<CR><LF>']);
});

const side = fc.constantFrom('client' as const, 'meter' as const);
const at = fc.integer({ min: 0, max: 1e9 }).map((thousandths) => thousandths / 1_000);
const segment = fc.uint8Array({ minLength: 1, maxLength: 40 });
const event = fc.record({
  kind: fc.constant('event' as const),
  side,
  at,
  what: fc.constantFrom('connects' as const, 'ends' as const, 'resets' as const),
});
const timed = fc.record({ kind: fc.constant('bytes' as const), side, at, bytes: segment });

t.test('parse(format(x)) = x for any segments at any times', async () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(timed, event), { maxLength: 12 }), (entries) => {
      const again = parseTranscript(formatTranscript(entries));
      return JSON.stringify(plain(again)) === JSON.stringify(plain(entries));
    }),
    { numRuns: 500 },
  );
});

t.test('the captured transcripts come through unchanged', async (t) => {
  const folder = new URL('../../conformance/transcripts/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  t.ok(files.length >= 4);
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    t.equal(parseTranscript(text).map(formatEntry).join('').trimEnd(), text.trimEnd(), file);
  }
});

t.test('what is wrong is named with its line', async (t) => {
  t.throws(() => parseTranscript('# fine\nDOD?\n'), { message: /^line 2: after its mark a line has one space/ });
  t.throws(() => parseTranscript('! no\n'), { message: /^line 1: a line begins with/ });
  t.throws(() => parseTranscript('> a\tb\n'), { message: /^line 1: "\\t" must be written/ });
});
