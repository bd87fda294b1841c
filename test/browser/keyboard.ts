/** The first tasks of the guide in a real browser, without a pointer: only Tab, Enter, Space, arrows and letters. */

import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { isFit } from './support/axe.ts';
import { record } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

/** More than any page has places to stop at. */
const MOST_STOPS = 250;

/** Tab until the keyboard is there; after the last place of a page it goes on with the first. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${target}`);
}

/** Half a second or more, in which the live chart is drawn several times. */
const FRAMES = `new Promise((resolve) => {
  let left = 60;
  const next = () => (left-- === 0 ? resolve() : requestAnimationFrame(next));
  next();
})`;

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

inBrowser(t, 'levels, measurements, history, limits and files can be used with the keyboard alone', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'stream', ftpEnabled: true });
  const from = await record(stage);
  const noted = { from: new Date(from * 1_000).toISOString(), to: new Date((from + 1) * 1_000).toISOString() };
  await stage.client.addNote('roof', { kind: 'note', text: 'Train', ...noted });
  const page = await stage.open('');
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  await press(page, page.getByRole('list', { name: 'Meters' }).getByRole('link', { name: /Roof/ }).first());
  await page.getByText('live, ten times a second').waitFor();
  const live = page.getByRole('application', { name: /^Levels of the last \d+ seconds\./ });
  await reach(page, live);
  // The weighting may not be known yet: Leq or LAeq.
  const said = live.locator('[aria-live]', { hasText: /, \d\d:\d\d:\d\d.*: L/ });
  const readAt = async (key: string) => {
    await page.keyboard.press(key);
    return String(await said.textContent());
  };
  // A chart without a point says nothing.
  while ((await said.count()) === 0) {
    await page.keyboard.press('End');
    await page.waitForTimeout(200);
  }
  const newest = await readAt('End');
  t.not(await readAt('Shift+ArrowLeft'), newest, 'the moving chart is read at an earlier time, too');
  const legend = live.locator('.u-legend .u-value').first();
  const cursorTime = await legend.textContent();
  await page.evaluate(FRAMES);
  t.equal(await legend.textContent(), cursorTime, 'the cursor stays at its time while the chart moves');

  await press(page, button('Start'));
  await page.getByText(/The meter confirmed it at/).waitFor();
  t.equal(stage.meter.read('Measure'), 'Start', 'a measurement is started');

  await press(page, link('History'));
  await page.getByText('Times without data').waitFor();
  const chart = page.getByRole('application', { name: /^Recorded levels\./ });
  const isRead = (words: RegExp) => chart.locator('[aria-live]', { hasText: words }).waitFor({ state: 'attached' });
  await reach(page, chart);
  await page.keyboard.press('Home');
  await isRead(/: no data$/);
  const time = /^(.*, \d\d:\d\d.*): /;
  const [, first] = time.exec((await chart.locator('[aria-live]').textContent()) ?? '') ?? [];
  t.ok(first, 'the time of the first point is read');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowRight');
  for (let points = 0; points < 11; points++) await page.keyboard.press('ArrowLeft');
  await isRead(new RegExp(`^${first}: no data$`));
  for (let points = 0; points < MOST_STOPS; points++) {
    if ((await chart.locator('[aria-live]').textContent())?.includes('50.0 dB')) break;
    await page.keyboard.press('ArrowRight');
  }
  await isRead(/: LAeq 50\.0 dB/);
  t.equal(
    await chart.locator('.u-legend .u-value').nth(1).textContent(),
    '50.0 dB',
    'the cursor of the chart is there',
  );
  await press(page, page.getByRole('list', { name: 'Events of this time' }).getByRole('link', { name: /Train/ }));
  await page.locator('#notes:focus').waitFor();

  await press(page, button('Report'));
  await reach(page, page.getByLabel('Title'));
  await page.keyboard.type('By keyboard');
  const [report] = await Promise.all([page.waitForEvent('popup'), press(page, link('Open the report'))]);
  await report.getByRole('heading', { name: 'By keyboard' }).waitFor();
  await report.close();
  t.equal(await page.getByLabel('Title').inputValue(), 'By keyboard', 'a report is made');

  await press(page, page.getByRole('link', { name: /^Alerts/ }));
  await reach(page, page.getByLabel('Limit, dB'));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('70');
  await press(page, button('Save this rule'));
  await page.getByText(/^The rule .* is created\./).waitFor();
  t.ok(
    await page
      .getByRole('region', { name: 'Rules' })
      .getByText(/above 70 dB/)
      .first()
      .isVisible(),
    'a limit is set',
  );

  await press(page, link('Meters'));
  await press(page, page.getByRole('list', { name: 'Meters' }).getByRole('link', { name: /Roof/ }).first());
  await press(page, link('Files'));
  await press(page, button('Switch FTP on in the meter'));
  await page.locator('td button').first().waitFor();
  t.ok(await page.locator('td button').first().isVisible(), 'the card of the meter is listed');
});

const DAY_MS = 86_400_000;
/** How people write the day before this one, by language. */
const YESTERDAY = { en: 'yesterday', de: 'Gestern', fr: 'hier', es: 'ayer', ja: '昨日' };

inBrowser(t, 'meters, days, pages and actions are found with the keyboard alone', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Dach Süd', tags: ['bridge'], timezone: 'UTC' });
  await stage.addMeter('gate', { name: 'Gate', timezone: 'UTC' });
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS);
  const iso = (at: Date) => at.toISOString().slice(0, 10);
  for (const [language, yesterday] of Object.entries(YESTERDAY)) {
    const page = await stage.open('', { locale: language, timezoneId: 'UTC', viewport: { width: 390, height: 844 } });
    const find = async (text: string) => {
      // While a page changes, the shell may not listen for a moment.
      for (const dialog = page.getByRole('dialog'); !(await dialog.isVisible()); await page.waitForTimeout(200))
        await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const { pathname, search, hash } = new URL(page.url());
      return `${pathname}${search}${hash}`;
    };
    await page.getByRole('link', { name: 'Gate' }).first().waitFor();
    t.equal(await find('sud'), '/m/roof', `${language}: a part of a name, without its accent`);
    t.match(await find(`${yesterday} gate`), `/m/gate/history?from=${iso(day(1))}T00:00:00.000Z&to=${iso(day(0))}T`);
    const written = day(40).toLocaleDateString(language, { day: 'numeric', month: 'long' });
    t.match(await find(`bridge ${written}`), `/m/roof/history?from=${iso(day(40))}T`, `${language}: ${written}`);
    if (language !== 'en') await page.context().close();
    else {
      t.match(await find('2024-02-29'), '/m/roof/history?from=2024-02-29T', 'of the shown meter first');
      t.equal(await find('backup'), '/settings/data#backup');
      await page.locator('#backup:focus').waitFor();
      await page.keyboard.press('/');
      const field = page.getByRole('dialog').getByRole('combobox');
      await field.fill('gate');
      const marked = () => page.locator(`[role=option][aria-selected=true]`).textContent();
      const first = await marked();
      await page.keyboard.press('ArrowDown');
      t.not(await marked(), first);
      await page.keyboard.press('ArrowUp');
      t.equal(await marked(), first);
      await isFit(t, page);
      await field.fill('nothing like this');
      await page.getByText('Nothing is found.').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('#backup:focus').waitFor();
      t.equal(new URL(page.url()).pathname, '/settings/data', 'Escape changes nothing');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('option', { name: 'Wall' }).click();
      await page.waitForURL(/\/wall$/);
    }
  }
});
