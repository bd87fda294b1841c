/** The pages of `every-page.ts` in dark colours, on a wide screen and in the other languages. */
import t from 'tap';
import { looksAt, looksAtReport, openHardStage } from './support/looks.ts';
import { inBrowser, NO_BROWSER } from './support/stage.ts';

const WORDY = [
  'overview',
  'alerts/1',
  'settings/people',
  'settings/sites',
  'm/roof/assessment',
  'compare',
  'wall',
  'verify',
];

inBrowser(t, 'in dark colours every page is fit for everybody on a telephone, too', async (t) => {
  await looksAt(t, await openHardStage(t), { width: 390, locale: 'de', alsoDark: true });
});

inBrowser(t, 'on a wide screen every page is fit for everybody', async (t) => {
  await looksAt(t, await openHardStage(t), { width: 1440, locale: 'en-GB', alsoDark: true });
});

t.test('on a wide screen the report is fit for everybody', { skip: NO_BROWSER }, (t) => looksAtReport(t, 1440));

inBrowser(t, 'pages with many words fit a telephone in each language', async (t) => {
  const stage = await openHardStage(t);
  for (const locale of ['fr', 'es', 'ja'])
    await looksAt(t, stage, { width: 390, locale, addresses: WORDY, alsoDark: true });
});
