import t from 'tap';
import { DEFAULT_PROFILE } from '../../simulator/profile.ts';
import { LONGEST_LINE, RequestReader } from '../../simulator/request-reader.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const read = (text: string, profile = DEFAULT_PROFILE) =>
  new RequestReader(profile)
    .take(latin1(text), 0)
    .map((one) => (one.kind === 'sub' ? 'SUB' : `${one.spoilt ? '!' : ''}${one.text}`));

t.test('a line knows when its first byte came', async (t) => {
  const reader = new RequestReader(DEFAULT_PROFILE);
  t.same(reader.take(latin1('Clo'), 10), []);
  t.equal(reader.take(latin1('ck?\r\n'), 300)[0]?.firstAt, 10);
  t.equal(reader.take(latin1('DOD?\r\n'), 500)[0]?.firstAt, 500);
});

t.test('the prompt, control bytes and bytes beyond ASCII spoil their line and no other', async (t) => {
  for (const bad of ['$', '\x00', '\x08', '\x7f', '\x80', '\xff', '\t']) {
    t.same(read(`Clo${bad}ck?\r\nDOD?\r\n`), [`!Clo${bad}ck?`, 'DOD?'], JSON.stringify(bad));
  }
});

t.test('CR LF ends a line, CR without LF spoils it', async (t) => {
  t.same(read('Clock?\r\nMeasure,Start\r\n'), ['Clock?', 'Measure,Start']);
  t.same(read('Clock?\rDOD?\r\nDOD?\r\n'), ['!Clock?DOD?', 'DOD?']);
  t.same(read('Clock?\r\r\n'), ['!Clock?']);
});

t.test('LF alone ends the line, or spoils it where the profile says so', async (t) => {
  t.same(read('Clock?\nDOD?\r\n'), ['Clock?', 'DOD?']);
  t.same(read('\nDOD?\r\n\n'), ['', 'DOD?', '']);
  t.same(read('Clock?\nDOD?\r\n', { ...DEFAULT_PROFILE, line_feed_only: 'refused' }), ['!Clock?\nDOD?']);
});

t.test('SUB stands alone and drops a line that was begun', async (t) => {
  t.same(read('\x1a'), ['SUB']);
  t.same(read('Measure,St\x1aDOD?\r\n'), ['SUB', 'DOD?']);
});

t.test('an endless line is held no further than its limit', async (t) => {
  const reader = new RequestReader(DEFAULT_PROFILE);
  for (let i = 0; i < 100; i++) t.same(reader.take(Buffer.alloc(10_000, 'A'), 0), []);
  const [line, next] = reader.take(latin1('\r\nDOD?\r\n'), 0);
  t.match(line, { kind: 'line', spoilt: true });
  t.equal(line?.kind === 'line' && line.text.length, LONGEST_LINE);
  t.match(next, { text: 'DOD?', spoilt: false });
});
