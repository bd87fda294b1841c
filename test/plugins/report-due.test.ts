/** When reports are due: local times, also on days on which the clocks change, and the span that each is about. */
import t from 'tap';
import { duesIn, lastPeriod, nextDue } from '../../plugins/reports/kept/scheduler.ts';
import type { ReportBody } from '../../plugins/reports/kept/schemas.ts';

const body = (period: ReportBody['period'], at: string, zone: string): ReportBody => ({
  name: 'One',
  units: ['roof'],
  period,
  at,
  zone,
  formats: ['pdf'],
  targets: [],
  wishes: {},
});
const ms = (text: string) => Date.parse(text);
const text = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16));
const dues = (report: ReportBody, after: string, until: string) =>
  duesIn(report, ms(after), ms(until)).map(({ at, from, to }) => [at, from, to].map(text));

t.test('a day, a week from Monday and a month are due on the day after them', async (t) => {
  t.strictSame(dues(body('day', '06:30', 'Asia/Kolkata'), '2026-03-01T00:00Z', '2026-03-03T00:00Z'), [
    ['2026-03-01T01:00', '2026-02-27T18:30', '2026-02-28T18:30'],
    ['2026-03-02T01:00', '2026-02-28T18:30', '2026-03-01T18:30'],
  ]);
  t.strictSame(dues(body('week', '07:00', 'Europe/Berlin'), '2025-10-20T05:00Z', '2025-11-03T06:00Z'), [
    ['2025-10-27T06:00', '2025-10-19T22:00', '2025-10-26T23:00'],
    ['2025-11-03T06:00', '2025-10-26T23:00', '2025-11-02T23:00'],
  ]);
  t.strictSame(dues(body('month', '00:00', 'UTC'), '2026-02-28T00:00Z', '2026-03-31T23:59Z'), [
    ['2026-03-01T00:05', '2026-02-01T00:00', '2026-03-01T00:00'],
  ]);
  t.strictSame(dues(body('none', '06:00', 'UTC'), '2026-01-01T00:00Z', '2027-01-01T00:00Z'), []);
});

t.test(
  'a time that the clocks skip is due after the jump; a time that comes twice is due the first time only',
  async (t) => {
    // Berlin, 29 March 2026: 02:00 to 03:00 is skipped; 25 October: it comes twice.
    t.strictSame(
      dues(body('day', '02:30', 'Europe/Berlin'), '2026-03-28T12:00Z', '2026-03-30T12:00Z').map(([at]) => at),
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    );
    t.strictSame(
      dues(body('day', '02:30', 'Europe/Berlin'), '2026-10-24T12:00Z', '2026-10-26T12:00Z').map(([at]) => at),
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    );
    // Samoa left out 30 December 2011.
    t.strictSame(dues(body('day', '06:00', 'Pacific/Apia'), '2011-12-29T12:00Z', '2011-12-31T20:00Z'), [
      ['2011-12-29T16:00', '2011-12-28T10:00', '2011-12-29T10:00'],
      ['2011-12-30T16:00', '2011-12-29T10:00', '2011-12-30T10:00'],
      ['2011-12-31T16:00', '2011-12-30T10:00', '2011-12-31T10:00'],
    ]);
  },
);

t.test('the end of a look belongs to it, its beginning does not: nothing is due twice', async (t) => {
  const report = body('day', '06:00', 'Europe/Berlin');
  const whole = dues(report, '2026-03-01T00:00Z', '2026-11-30T00:00Z');
  const pieces: (string | null)[][] = [];
  for (let at = ms('2026-03-01T00:00Z'); at < ms('2026-11-30T00:00Z'); at += 5 * 3_600_000)
    pieces.push(
      ...duesIn(report, at, Math.min(at + 5 * 3_600_000, ms('2026-11-30T00:00Z'))).map(({ at, from, to }) =>
        [at, from, to].map(text),
      ),
    );
  t.strictSame(pieces, whole);
  t.equal(whole.length, 274);
  t.equal(text(nextDue(report, ms('2026-03-28T05:00Z'))), '2026-03-29T04:00');
  t.equal(nextDue(body('none', '06:00', 'UTC'), 0), null);
});

t.test('after a long time off, few runs are due, and the last whole period is over', async (t) => {
  t.ok(duesIn(body('day', '06:00', 'UTC'), 0, ms('2026-03-01T00:00Z')).length <= 400);
  const span = lastPeriod(body('month', '06:00', 'Europe/Berlin'), ms('2026-03-31T21:59:59Z'));
  t.strictSame([text(span?.from ?? 0), text(span?.to ?? 0)], ['2026-01-31T23:00', '2026-02-28T23:00']);
  t.equal(lastPeriod(body('none', '06:00', 'UTC'), 0), undefined);
});
