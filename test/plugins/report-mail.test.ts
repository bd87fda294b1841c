/** Text of the mail with a report. */
import t from 'tap';
import { mailText } from '../../plugins/reports/kept/mails.ts';
import type { ReportBody } from '../../plugins/reports/kept/schemas.ts';
import type { ReportRun } from '../../plugins/reports/kept/store.ts';
import { standIn } from '../support/stand-in.ts';

const subjectOf = (from: string, to: string, lang: string) => {
  const report = {
    name: 'Bridge',
    zone: 'Europe/Berlin',
    wishes: standIn<ReportBody['wishes']>({ lang, channel: 'main' }),
  };
  const times = { fromAt: Date.parse(from), toAt: Date.parse(to), dueAt: null };
  return mailText(report, standIn<ReportRun>({ ...times, late: false, documents: [] }), []).subject;
};

t.test('the subject of a report about one day has one date, also where the clocks change', async (t) => {
  const day = ['2026-11-25T00:00:00+01:00', '2026-11-26T00:00:00+01:00'] as const;
  t.equal(subjectOf(...day, 'de'), 'Bridge: Mi., 25. Nov. 2026');
  for (const lang of ['en', 'fr', 'es', 'ja']) t.equal(subjectOf(...day, lang).match(/2026/g)?.length, 1, lang);
  t.equal(subjectOf('2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00', 'de'), 'Bridge: So., 25. Okt. 2026');
  const week = subjectOf('2026-11-16T00:00:00+01:00', '2026-11-23T00:00:00+01:00', 'de');
  t.equal(week, 'Bridge: Mo., 16. Nov. 2026 bis So., 22. Nov. 2026');
});
