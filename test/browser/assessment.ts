/** The page "Assessment": an hour is excluded with the mouse, and the day is met. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { fitsPhone, isFit } from './support/axe.ts';
import { HOUR_S } from './support/levels.ts';
import { stageTest } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

const DAY_S = 24 * HOUR_S;

stageTest(t, 'a day is judged by a preset and opens down to what made it', { timezone: 'UTC' }, async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const { history } = stage.gateway;
  const yesterday = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S - DAY_S;
  for (let hour = -24; hour < 24; hour++) {
    const from = yesterday + hour * HOUR_S;
    const leq = hour === 10 ? 85 : 50;
    const intervals = Array.from({ length: 60 }, (_, minute) => ({
      at: from + minute * 60,
      duration: 60,
      leq,
      lmax: leq + 5,
      lmin: leq - 5,
      lpeak: null,
    }));
    history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, intervals });
  }
  await history.flush();
  const page = await stage.open('m/roof/assessment?limits=lden:60');
  await page.getByText('1 met, 1 exceeded, 12 not assessable').waitFor();
  const loud = page.locator('details', { hasText: ': exceeded' });
  await loud.locator('summary').click();
  t.match(await loud.getByRole('row', { name: /Lden/ }).textContent(), /60\.0/);
  await loud.getByRole('link', { name: 'The levels of this day' }).click();
  const plot = page.locator('.u-over');
  await plot.waitFor();
  const box = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const x = (share: number) => box.x + box.width * share;
  await page.mouse.move(x(9.7 / 24), box.y + 50);
  await page.mouse.down();
  await page.mouse.move(x(10.5 / 24), box.y + 60, { steps: 5 });
  await page.mouse.move(x(11.3 / 24), box.y + 60, { steps: 5 });
  await page.mouse.up();
  const form = page.getByRole('form', { name: 'New note' });
  await form.getByLabel('Reason').selectOption('own_noise');
  await form.getByLabel('Text').fill('We cut the hedge');
  await form.getByRole('button', { name: 'Exclude this time' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Does not count: ' }).waitFor();

  await page.goto(`${stage.url}m/roof/assessment?limits=lden:60`);
  await page.getByText('2 met, 0 exceeded, 12 not assessable').waitFor();
  const quiet = page.locator('details', { hasText: 'We cut the hedge' });
  await quiet.locator('summary').click();
  t.match(await quiet.getByRole('row', { name: /day/ }).textContent(), /excluded; with this time the Leq is/);
  const span = {
    from: new Date(yesterday * 1_000).toISOString(),
    to: new Date((yesterday + DAY_S) * 1_000).toISOString(),
  };
  const [day] = (await stage.client.assessment('roof', { ...span, limits: 'lden:60' })).days;
  t.match(day, { verdict: 'met' });

  const date = span.from.slice(0, 10);
  await page.getByLabel('First day').fill(date);
  await page.getByLabel('Last day').fill(date);
  await page.getByText('1 met, 0 exceeded, 0 not assessable').waitFor();
  t.match(page.url(), `from=${date}&to=${date}`);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save CSV' }).click();
  t.match(readFileSync(await (await saving).path(), 'utf8'), `roof,${date},lden,met,`);
  t.match(await page.getByRole('link', { name: 'Save PDF' }).getAttribute('href'), '_reports/preview?');
  await page.goto(`${stage.url}m/roof/assessment?limits=lden:60`);
  await page.getByText('2 met, 0 exceeded, 12 not assessable').waitFor();

  for (const [time, before_db] of [
    [span.from, 94],
    [span.to, 94.6],
  ])
    await stage.client.call('/roof/calibrations', {
      method: 'POST',
      body: { nominal_db: 94, time, before_db, after_db: 94 },
    });
  await page.reload();
  await page.getByText(/are doubtful: between these two calibrations the meter drifted by 0\.60 dB/).waitFor();
  t.equal(await page.getByText('(the levels are doubtful)').count(), 1);

  await page.getByLabel('Preset').selectOption('de-ta-laerm');
  await page.getByLabel('Area').selectOption('WA');
  await page.getByText('LAFTeq is not known').first().waitFor({ state: 'attached' });
  await page.getByLabel('Impulses, by ear, dB').fill('0');
  await page.getByLabel('Impulses, by ear, dB').press('Tab');
  await page.locator('details', { hasText: ': exceeded' }).first().waitFor();
  await page.getByRole('button', { name: 'Make rules of this preset' }).click();
  const rules = page.getByRole('region', { name: 'Limits as rules' });
  await rules.getByRole('listitem').nth(3).waitFor();
  t.equal(await rules.getByRole('listitem').count(), 4, 'day and night, and the peaks of both');
  await rules.getByLabel('So many dB below the limits').fill('6');
  await rules.getByText('above 49.0 dB').waitFor();
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];
  const permit = [{ index: 'leq', window: '1h', from: '07:00', to: '20:00', days, limit_db: 45 }];
  const body = { title: 'Depot', units: ['roof'], limits: permit };
  await stage.client.call('/_permits/depot', { method: 'PUT', body });
  await page.reload();
  await page.locator('summary', { hasText: 'LAeq,1h 07:00-20:00 50.0 of 45.0' }).first().waitFor();
  const judged = page.locator('details', { hasText: ': a limit was exceeded' });
  t.equal(await judged.count(), 2, 'the permit decides, in the words of Days');
  t.equal(await judged.locator('summary .day.key.exceeded').count(), 2);
  t.match(await judged.first().locator('p').first().textContent(), /By the preset: (met|exceeded)\./);
  await page.getByRole('button', { name: 'Make rules of this preset' }).click();
  await rules.getByLabel('So many dB below the limits').fill('6');
  await rules.getByText('above 49.0 dB').waitFor();
  await isFit(t, page);
  await rules.getByRole('button', { name: 'Make these 4 rules for Roof' }).click();
  await rules.getByText('4 rules are created.').waitFor();
  t.strictSame((await stage.client.alertRules()).map(({ limit_db }) => limit_db).sort(), [34, 49, 54, 79]);
  await fitsPhone(page);
  await judged.first().locator('summary').click();
  await page.getByRole('columnheader', { name: 'What to know' }).first().waitFor();
  await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
});

stageTest(
  t,
  'the events of a day are saved as a table by the preset that counts them',
  { timezone: 'UTC' },
  async (t, stage) => {
    await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
    const page = await stage.open('m/roof/assessment?preset=iso20906');
    const day = page.locator('details.card').first();
    await day.locator('summary').click();
    for (const [name, ending, begin] of [
      ['CSV', 'csv', '\ufeffunit_id,start,'],
      ['XLSX', 'xlsx', 'PK'],
    ] as const) {
      const link = day.locator('a, button').filter({ hasText: `Events of this day as ${name}` });
      const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
      t.match(file.suggestedFilename(), new RegExp(`^noise-events_.*\\.${ending}$`));
      t.ok(readFileSync(await file.path(), 'utf8').startsWith(begin), `${name} begins with ${JSON.stringify(begin)}`);
    }
    await page.goto(`${stage.url}m/roof/assessment?preset=eu-lden`);
    await page.locator('details.card').first().locator('summary').click();
    t.equal(await page.getByText('Events of this day as').count(), 0, 'a preset that counts none has none');
  },
);
