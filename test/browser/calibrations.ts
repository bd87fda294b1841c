/** The calibrator is measured from the page, the check is logged, and a drift is said. */
import t from 'tap';
import { Client } from '../../client/index.ts';
import { violationsOf } from './support/axe.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('a check with the calibrator is measured, logged and shown with the drift', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t, { timezone: 'UTC' });
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  const client = new Client({ baseUrl: stage.gateway.baseUrl });
  const lastWeek = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const body = { time: lastWeek, nominal_db: 94, before_db: 94.1, after_db: 94, calibrator: 'NC-75' };
  await client.call('/roof/calibrations', { method: 'POST', body });
  stage.meter.instrument.play({ steadyDb: 94.6 });

  const page = await stage.open('m/roof/days');
  const card = page.getByRole('region', { name: 'Calibration', exact: true });
  await card.getByText('94.10 dB at 94.00 dB, adjusted to 94.00 dB.').waitFor();
  await card.getByRole('button', { name: 'Measure the calibrator for 20 s' }).click();
  await card.getByText('Measuring for 20 s').waitFor();
  await card.getByText('94.60 dB, steady. This time is excluded.').waitFor({ timeout: 45_000 });
  t.equal(await card.getByLabel('Meter showed, dB').inputValue(), '94.60');
  await card.getByLabel('After it was adjusted, dB').fill('94.0');
  await card.getByLabel('Calibrator', { exact: true }).fill('NC-75, 34512345');
  await card.getByRole('button', { name: 'Log this check' }).click();
  await card.getByText('The calibration 2 is logged.').waitFor();
  await card.getByText(/the levels are doubtful: the meter drifted by 0\.60 dB/).waitFor();
  t.equal(await card.getByRole('listitem').count(), 2);
  t.match((await client.notes('roof'))[0], { kind: 'exclusion', reason: 'calibration' });
  const violations = await violationsOf(page);
  t.strictSame(
    violations.map(({ id }) => id),
    [],
  );

  await page.setViewportSize({ width: 390, height: 844 });
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= 390'), 'it fits a phone');
});
