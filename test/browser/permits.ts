/** The form of permits: added, refused at a field, changed by keyboard, made into rules, and removed. */
import t from 'tap';
import { Client } from '../../client/index.ts';
import { violationsOf } from './support/axe.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

t.test('a permit is added, changed and removed in the settings', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t, { timezone: 'UTC' });
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', tags: ['depot'], pollEnabled: false });
  const client = new Client({ baseUrl: stage.gateway.baseUrl });
  const page = await stage.open('m/roof/days');
  await page.getByRole('link', { name: 'permit', exact: true }).click();
  const permits = page.getByRole('region', { name: 'Permits' });
  const form = permits.getByRole('form', { name: 'A new permit' });
  await form.getByLabel('Id of the permit').fill('depot');
  t.ok(await form.getByRole('checkbox', { name: 'Roof' }).isChecked(), 'the meter of the page is chosen');
  await form.getByLabel('Title').fill('Depot');
  await form.getByLabel('Limit 1: limit, dB').fill('60');
  await form.getByLabel('Limit 1: warning from, dB').fill('65');
  await form.getByRole('button', { name: 'Save this permit' }).click();
  await form.getByRole('alert').filter({ hasText: 'must be below the limit' }).waitFor();
  t.strictSame(await client.permits(), [], 'nothing is half kept');
  await form.getByLabel('Limit 1: warning from, dB').fill('55');
  await form.getByRole('button', { name: 'Another limit' }).click();
  await form.getByLabel('Limit 2: Level').selectOption('LAFmax');
  await form.getByLabel('Limit 2: limit, dB').fill('85');
  await form.getByLabel('Limit 2: warning from, dB').fill('');
  t.strictSame(
    (await violationsOf(page)).map(({ id }) => id),
    [],
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByLabel('Limit 2: limit, dB').press('Enter');
  await permits.getByText('Roof · 2 limits').waitFor();
  const times = { from: '07:00', to: '20:00', window: '15m' };
  t.match(await client.permits(), [
    {
      name: 'depot',
      units: ['roof'],
      limits: [
        { ...times, index: 'leq', limit_db: 60, amber_db: 55 },
        { ...times, index: 'lmax', limit_db: 85 },
      ],
    },
  ]);
  await permits.getByRole('button', { name: 'Make the rules Depot' }).click();
  await permits.getByText('2 rules are created.').waitFor();
  t.strictSame((await client.alertRules()).map(({ limit_db }) => limit_db).sort(), [60, 85]);

  await permits.getByRole('button', { name: 'Change Depot' }).press('Enter');
  const change = permits.getByRole('form', { name: 'Change Depot' });
  await change.getByLabel('It is for').selectOption('all with the tag depot');
  await change.getByLabel('Its limits').selectOption({ value: 'de-ta-laerm' });
  await change.getByLabel('Area').selectOption('MI');
  await change.getByLabel('Tones, by ear, dB').fill('day:3');
  await change.getByRole('button', { name: 'Save this permit' }).press('Enter');
  await permits.getByText('all with the tag depot · de-ta-laerm, MI').waitFor();
  const [changed] = await client.permits();
  t.match(changed, { tag: 'depot', preset: 'de-ta-laerm', area: 'MI', additions: { tonal: { day: 3 } } });
  t.notOk(changed?.limits);
  await page.goto(`${stage.url}overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  t.equal(await page.getByText('without a permit').count(), 0);
  await page.goto(`${stage.url}settings/sites#permits`);
  await permits.getByRole('button', { name: 'Remove Depot' }).click();
  await permits.getByRole('button', { name: 'Yes, remove Depot' }).click();
  await permits.getByText('There are none yet').waitFor();
});
