/** A limit that is exceeded while no alert is open: its level is above it so far, and its rule opens one at the end of its window. */
import t from 'tap';
import { addLoud } from './support/levels.ts';
import { stageTest } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

stageTest(t, 'an exceeded limit is attention on every page, also before there is an alert', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof' });
  const page = await stage.open('alerts');
  page.setDefaultTimeout(20_000);
  await page.getByText('Nothing is open.').waitFor();
  await page.getByLabel(/^Level/).selectOption('l10');
  await page.getByLabel(/^Over/).selectOption('12h');
  await page.getByLabel('Limit, dB').fill('70');
  await page.getByLabel(/^Counts/).selectOption('always');
  await page.locator('summary').filter({ hasText: 'More' }).first().click();
  await page.getByLabel(/^Share of the window/).fill('0');
  await page.getByRole('button', { name: 'Save this rule' }).click();
  await page.getByText('The rule L10 of 12 h above 70 dB is created.').waitFor();
  t.equal(await page.title(), 'Alerts - Sound levels');

  await addLoud(stage, Math.floor(Date.now() / 1_000) - 60, 60);
  const words = /L10 of 12 h above 70 dB: [0-9.]+ dB so far, 70\.0 dB allowed\./;
  await page.getByRole('link', { name: 'Alerts 1 to be looked at' }).waitFor();
  const events = await stage.client.alerts({ open: 'true' });
  t.strictSame(events, [], 'there is no alert: this is about the limit alone');
  await untilTrue(page, `document.title === ${JSON.stringify('(1) Alerts - Sound levels')}`);
  t.equal(await page.title(), '(1) Alerts - Sound levels', 'in the title of the tab');
  t.equal(await page.locator('link[rel=icon]').getAttribute('href'), 'icon-alarm.svg', 'in its icon');
  const exceeded = page.getByRole('list', { name: 'Exceeded' });
  await exceeded.getByText(/70\.0 dB allowed/).waitFor();
  t.match(
    await exceeded.innerText(),
    /Roof: [0-9.]+ dB so far, 70\.0 dB allowed\..*no alert yet/s,
    'on the page of alerts',
  );
  t.equal(await page.getByText('Nothing is open.').count(), 0, 'which does not say that all is well');

  await page.getByRole('link', { name: 'Meters' }).click();
  await page.getByText('1 meter, 1 needs attention').waitFor();
  await page.getByText(words).waitFor();
  t.ok(await page.getByText(words).isVisible(), 'in the list of meters');
  await page.getByRole('link', { name: /Roof/ }).click();
  await page.getByRole('list', { name: 'What is wrong' }).getByText(words).waitFor();
  await untilTrue(page, `document.title === ${JSON.stringify('(1) Roof - Sound levels')}`);
  t.equal(await page.title(), '(1) Roof - Sound levels', 'on the page of the meter');
  await page.getByRole('link', { name: 'Overview' }).click();
  const needed = page.getByRole('region', { name: 'Needs a person' });
  await needed.getByText(words).waitFor();
  t.match(await needed.innerText(), /1 exceeded limit to be looked at/, 'in the overview');
});
