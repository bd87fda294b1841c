/** A measurement that runs by itself, in a real browser: a profile, a schedule, a cycle, and the log of it. */
import t from 'tap';
import { stageTest } from './support/stage.ts';

stageTest(t, 'a profile is made and brought to a meter, a schedule is set, a measurement runs', async (t, stage) => {
  await stage.addMeter('roof', { ftpEnabled: true });
  const page = await stage.open('settings');
  await page.getByLabel('Name of the profile').fill('night');
  await page.getByLabel('Frequency weighting').selectOption('C');
  await page.getByRole('button', { name: 'Save this profile' }).click();
  await page.getByText('The profile night is created.').waitFor();

  await page.locator('summary', { hasText: 'roof' }).click();
  await page.getByLabel('Tags, with commas between').fill('site-a, night');
  await page.getByLabel('Legally verified until').fill('2027-12-31');
  await page.getByLabel('SIM card valid until').fill('2026-12-24');
  await page.getByLabel('FTP user').fill('USER');
  await page.getByLabel('FTP password').fill('0000');
  const pause = page.getByLabel('Seconds between readings');
  await pause.fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  t.ok(
    await pause.evaluate((field) => field.matches(':invalid')),
    'an empty number does not stay what it was in silence',
  );
  await pause.fill('2');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.said', { hasText: /roof is (saved|changed|configured)|config/i }).waitFor();
  const config = stage.gateway.store.configs.get('roof');
  t.match(config, { tags: ['site-a', 'night'], verifiedUntil: '2027-12-31', simValidUntil: '2026-12-24' });
  t.equal(await page.getByLabel('FTP password').inputValue(), '', 'and the password is not shown again');

  await page.goto(`${stage.url}m/roof/campaign`);
  await page.getByText('Nothing is done by itself.').waitFor();
  await page.getByLabel('At', { exact: true }).fill('06:30');
  await page.getByLabel('Do this').selectOption('start_cycle');
  await page.getByLabel('With the profile').selectOption('night');
  await page.getByRole('checkbox', { name: 'Sun' }).uncheck();
  await page.getByRole('button', { name: 'Save this entry' }).click();
  await page.getByText('The schedule of roof is set.').waitFor();
  t.match(
    await page.getByRole('region', { name: 'Schedule' }).textContent(),
    /06:30 Mon Tue Wed Thu Fri Sat start a measurement \(night\)/,
    'the schedule is said in words',
  );

  await page.getByLabel('Profile to apply first').selectOption('night');
  await page.getByLabel('Store on the card').selectOption('nothing');
  await page.getByText('There will be no files').waitFor();
  await page.getByLabel('Store on the card').selectOption('auto');
  await page.getByRole('button', { name: 'Start it' }).click();
  await page.locator('.state.measuring').waitFor();
  t.equal(stage.meter.read('Measure'), 'Start', 'the meter measures');
  t.equal(stage.meter.read('Store Mode'), 'Auto', 'and stores, as the form asked');
  t.equal(stage.meter.read('Frequency Weighting (Main)'), 'C', 'with the profile');
  await page.getByText('night, applied to it').waitFor();

  await page.getByRole('link', { name: 'Log', exact: true }).click();
  await page.getByText('Measure,Start').first().waitFor();
});

stageTest(t, 'a measurement that stores nothing says so, and speaks of no files', async (t, stage) => {
  await stage.addMeter('roof', { ftpEnabled: true, ftpUsername: 'USER', ftpPassword: '0000' });
  const page = await stage.open('m/roof/campaign');
  await page.getByRole('button', { name: 'Start it' }).click();
  await page.getByRole('region', { name: 'A measurement' }).getByText('Nothing was started: choose what').waitFor();
  t.strictSame(await stage.client.jobs(), [], 'without a choice there is no job');
  await page.getByLabel('Store on the card').selectOption('nothing');
  await page.getByRole('button', { name: 'Start it' }).click();
  const jobs = page.getByRole('region', { name: 'Tasks' });
  const started = jobs.getByText('The meter measures and stores nothing by itself.');
  await started.waitFor({ timeout: 120_000 });
  t.ok(await started.isVisible());
  await page.getByRole('button', { name: 'Stop it' }).click();
  const stopped = jobs.getByText('Nothing was stored on its card, so there are no files.');
  await stopped.waitFor({ timeout: 120_000 });
  t.ok(await stopped.isVisible());
  t.notMatch(await jobs.innerText(), /copied|fetched/);
});
