/** Presets of people: a copy of a built-in one, what is refused at its field, changed and removed. */
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { stageTest } from './support/stage.ts';

stageTest(t, 'a preset is copied, changed and removed in the form', { timezone: 'UTC' }, async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  const page = await stage.open('m/roof/assessment?preset=de-ta-laerm');
  await page.getByRole('button', { name: /^Copy Germany: TA/ }).click();
  await page.getByLabel('Name of the preset').fill('our-permit');
  await page.getByLabel('Title', { exact: true }).fill('Our permit');
  await page.getByLabel('day 1: to').fill('21:00');
  await page.getByLabel('Limits of area 1, dB').fill('day:61, noon:40');
  await isFit(t, page);
  await page.getByRole('button', { name: 'Save this preset' }).click();
  await page.getByRole('alert').filter({ hasText: 'on mon 21:00 lies in no period' }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'names a figure that is not there: noon' }).waitFor();
  t.notOk(
    (await stage.client.assessmentPresets()).some(({ name }) => name === 'our-permit'),
    'nothing is half kept',
  );

  await page.getByLabel('day 1: to').fill('22:00');
  await page.getByLabel('Limits of area 1, dB').fill('day:61, night:40');
  await page.getByRole('button', { name: 'Save this preset' }).click();
  await page.waitForURL((url) => url.searchParams.get('preset') === 'our-permit');
  await page.getByRole('button', { name: 'Change Our permit' }).click();
  const made = (await stage.client.assessmentPresets()).find(({ name }) => name === 'our-permit');
  t.match(made, { own: true, built_in: false, title: 'Our permit', impulse: { by: 'takt' }, rest: { db: 6 } });
  t.strictSame(made?.areas[0]?.limits, { day: 61, night: 40 });

  await page.getByLabel('Share that must be measured, %').fill('90');
  await page.getByRole('button', { name: 'Remove the area GE' }).click();
  await page.getByRole('button', { name: 'Save this preset' }).click();
  await page.getByText('The preset our-permit is changed.').waitFor();
  const changed = (await stage.client.assessmentPresets()).find(({ name }) => name === 'our-permit');
  t.match(changed, { min_coverage: 0.9 });
  t.notOk(changed?.areas.some(({ name }) => name === 'GE'));

  await page.getByText('A new calendar of holidays').click();
  await page.getByLabel('Name of the calendar').fill('works');
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Holidays, one in each line').fill(`${yesterday} Works holiday\n2026-02-30 Never`);
  await page.getByRole('button', { name: 'Save these holidays' }).click();
  await page.getByRole('alert').filter({ hasText: '2, date' }).waitFor();
  await page.getByLabel('Holidays, one in each line').fill(`${yesterday} Works holiday`);
  await page.getByRole('button', { name: 'Save these holidays' }).click();
  await page.waitForURL((url) => url.searchParams.get('calendar') === 'works');
  const works = (await stage.client.calendars()).filter(({ own }) => own);
  t.match(works, [{ name: 'works', built_in: false, days: [{ date: yesterday, name: 'Works holiday' }] }]);
  await page.getByText('Change the holidays works').click();
  await page.getByLabel('Holidays, one in each line').fill(`${yesterday} Works holiday\n2026-12-31 Closed`);
  await page.getByRole('button', { name: 'Save these holidays' }).click();
  await page.getByText('The calendar works is changed.').waitFor();
  t.equal(
    (await stage.client.calendars()).find(({ own }) => own)?.days.length,
    2,
    'a new calendar can be changed at once',
  );
  await isFit(t, page);

  await page.getByRole('button', { name: 'Remove Our permit' }).click();
  await page.getByRole('button', { name: 'Yes, remove Our permit' }).click();
  await page.waitForURL((url) => url.searchParams.get('preset') === null);
  t.notOk((await stage.client.assessmentPresets()).some(({ name }) => name === 'our-permit'));
  await fitsPhone(page);
});
