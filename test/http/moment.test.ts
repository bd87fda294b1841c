import t from 'tap';
import { compileParameters } from '../../lib/http/checks.ts';
import { momentOf, SPAN, spanOf } from '../../lib/http/query.ts';

const read = compileParameters(SPAN);
const span = (from: string, to: string) => spanOf(read({ from, to }) as { from: string; to: string });
const iso = (ms: number) => new Date(ms).toISOString();

t.test('a moment may carry any offset', async (t) => {
  const noon = '2026-06-15T12:00:00.000Z';
  for (const text of [
    '2026-06-15T12:00:00Z',
    '2026-06-15t12:00:00z',
    '2026-06-15T17:30:00+05:30',
    '2026-06-15T08:30:00-03:30',
    // In a URL, an unescaped plus of an offset arrives as a space.
    '2026-06-15T14:00:00 02:00',
  ])
    t.equal(iso(span(text, '2026-06-16T00:00:00Z').from), noon, text);
  t.equal(iso(momentOf('2026-03-01T00:30:00+01:00', '')), '2026-02-28T23:30:00.000Z', 'over midnight');
});

t.test('every form that the pattern allows is read as its parts say', async (t) => {
  for (const separator of ['T', 't', ' '])
    for (const [seconds, ms] of [
      ['', 0],
      [':07', 7_000],
      [':07.5', 7_500],
      [':07,25', 7_250],
      [':07.123456789', 7_123],
    ] as const)
      for (const [zone, minutes] of [
        ['Z', 0],
        ['z', 0],
        ['+00', 0],
        ['-00:00', 0],
        ['+05:45', 345],
        ['-0930', -570],
        [' 01:00', 60],
        [' 1245', 765],
        [' 03', 180],
        ['+23:59', 1_439],
        ['-23:59', -1_439],
      ] as const)
        for (const year of ['0001', '1969', '1970', '2024', '9999']) {
          const text = `${year}-02-28${separator}23:59${seconds}${zone}`;
          const date = new Date(0);
          date.setUTCFullYear(Number(year), 1, 28);
          const expected = date.getTime() + (23 * 60 + 59 - minutes) * 60_000 + ms;
          if (momentOf(text, '') !== expected) t.fail(text);
        }
  t.equal(iso(momentOf('2024-02-29T12:00Z', '')), '2024-02-29T12:00:00.000Z', 'a leap day is one');
  t.throws(() => span('2026-06-15T12:00:60Z', '2026-06-16T00:00:00Z'), { code: 'INVALID' }, 'no second 60');
  t.throws(() => momentOf('2026-06-15T24:00Z', '/at'), { errors: [{ path: '/at' }] }, 'no hour 24');
});

t.test('a text that is no moment is refused, with advice', async (t) => {
  for (const text of [
    '',
    'now',
    '2026-06-15',
    '2026-06-15T12:00:00',
    '1e999',
    'NaN',
    '20260615T120000Z',
    '+12026-06-15T12:00Z',
    '2026-06-15T12:00:00+24:00',
    '2026-06-15T12:00:00-02:60',
    '2026-06-15T12:00:00+9999',
  ])
    t.throws(() => span(text, '2026-06-16T00:00:00Z'), { code: 'INVALID', message: /offset from UTC/ }, text);
  for (const text of ['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-06-31T00:00:00Z', '2026-06-15T25:00:00Z'])
    t.throws(() => span(text, '2027-06-16T00:00:00Z'), { code: 'INVALID', errors: [{ path: '/from' }] }, text);
});

t.test('a span ends after it begins, and begins after 1970', async (t) => {
  const begin = '2026-06-15T12:00:00Z';
  t.throws(() => span(begin, begin), { code: 'INVALID', errors: [{ path: '/to' }] });
  t.throws(() => span(begin, '2026-06-15T12:00:00+01:00'), { code: 'INVALID', errors: [{ path: '/to' }] });
  t.throws(() => span('1026-06-15T12:00:00Z', begin), { code: 'INVALID', errors: [{ path: '/from' }] });
  t.throws(() => read({ from: begin }), { code: 'INVALID', errors: [{ path: '/to', message: 'is required' }] });
});
