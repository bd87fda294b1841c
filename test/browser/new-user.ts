/** The dashboard in a real browser: the whole way of a new user. */

import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { HARD_NAME, HOUR_S, record } from './support/levels.ts';
import { stageTest } from './support/stage.ts';

stageTest(t, 'a new user adds a meter, measures and fetches the result', async (t, stage) => {
  const page = await stage.open('', { timezoneId: 'America/Lima' });

  await page.getByRole('link', { name: 'Add the first one' }).click();
  await page.getByLabel('Short name, for addresses').fill('roof');
  await page.getByLabel('Address in the network').fill('127.0.0.1');
  await page.getByLabel('Port', { exact: true }).fill(String(stage.meter.tcpPort));
  await page.getByLabel('Name for people').fill(HARD_NAME);
  await page.getByRole('button', { name: 'Add and test the connection' }).click();
  await page.getByText(/It does\. Its clock shows/).waitFor();
  await page.getByText(/Lp is \d+\.\d dB/).waitFor();
  await page.getByRole('link', { name: 'Open roof' }).waitFor();
  t.strictSame(
    await page.locator('.steps li').evaluateAll((steps) => steps.map((step) => step.className)),
    ['well', 'well', 'well'],
    'a meter is added and its connection tested',
  );
  const { configs } = stage.gateway.store;
  t.match(
    configs.get('roof'),
    { timezone: 'America/Lima', history: 'poll' },
    'its days are those of where it was added',
  );
  const quick = { unitId: 'roof', ftpPort: stage.meter.ftpPort, pollIntervalSeconds: 2 };
  await configs.change('roof', (present) => ({ ...configs.defaults, ...present, ...quick }));

  await page.getByRole('link', { name: 'Open roof' }).click();
  await page.getByText('live, ten times a second').waitFor();
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), HARD_NAME, 'a name with markup is text');
  const level = page.locator('.level.huge', { hasText: /^\d+\.\d\s*dB LAF$/ });
  await level.waitFor();
  t.equal(await level.count(), 1, 'a level has unit and weighting');
  await page.getByRole('button', { name: 'Stand still' }).click();
  await page.getByRole('button', { name: 'Earlier' }).waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('button', { name: 'Earlier' }).waitFor({ state: 'detached' });
  t.match(
    await page
      .getByText(/\d B since |\d kB since /)
      .first()
      .textContent(),
    /[1-9]/,
    'the data of today are shown',
  );

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText(/The meter confirmed it at/).waitFor();
  await page.locator('.state.measuring').waitFor();
  t.equal(stage.meter.read('Measure'), 'Start', 'and the meter measures');

  await t.test('a file of the card is downloaded', (t) => download(t, page));
  await t.test('recorded levels are shown with their gap', async (t) => {
    const from = await record(stage);
    const at = (hours: number) => new Date((from + hours * HOUR_S) * 1_000).toISOString();
    await page.goto(`${stage.url}m/roof/history?from=${at(-1)}&to=${at(4)}`);
    await page.getByText('Times without data').waitFor();
    const gaps = page.locator('section[aria-labelledby=gaps] li span');
    t.strictSame(await gaps.allTextContents(), ['60 min', '2 h'], 'also the gap before the first level');
    t.match(await page.getByText(/Measured \d+ %/).textContent(), 'Measured 40 % of this time.');
    await page.getByText('The same as a table').click();
    t.match(await page.locator('td.number').first().textContent(), /^(–|\d+\.\d)$/);
    await page.goto(`${stage.url}m/roof/history?from=${at(-700)}&to=${at(5)}`);
    await page.getByText('one row is 60 min').waitFor();
    const gap = page.locator('section[aria-labelledby=gaps] li', { hasText: /30 min$/ });
    await gap.waitFor();
    t.match(
      await gap.textContent(),
      / to .*30 min$/,
      'a gap that is shorter than a row of the chart is exact to the minute',
    );
    await page.getByRole('link', { name: 'Days' }).click();
    const partly = page.locator('section[aria-labelledby=partly] li', { hasText: /has data for .* less than 75 %/ });
    t.match(
      await partly.first().textContent(),
      /\d+ %/,
      'why a day does not count stands there, also where nothing can hover',
    );
  });

  await page.goto(`${stage.url}m/roof`);
  await page.getByText('live, ten times a second').waitFor();
  await page.getByRole('button', { name: 'Test it step by step' }).click();
  // The page lets go of the stream meanwhile, which keeps most of the line otherwise.
  await page.getByText(/Nothing is wrong\.|The connection works\.|checks? failed\./).waitFor();
  t.equal(await page.locator('ul.steps li', { hasText: 'for its turn' }).count(), 0, 'none of them is given up');
  t.ok((await page.locator('ul.steps li').count()) > 4, 'the connection is tested step by step');
  stage.meter.faults.on('wedge', {});
  await page
    .getByText(/cannot be reached|takes no more connections/)
    .first()
    .waitFor();
  await page.locator('.state.away').waitFor();
  const old = page.locator('.level.huge.old .value');
  await old.waitFor();
  t.match(
    await old.evaluate((level) => level.ownerDocument.defaultView?.getComputedStyle(level).textDecorationLine),
    'line-through',
    'the last level of a meter that is gone is struck through',
  );
  await page.goto(stage.url);
  await page.getByText(/1 meter, 1 needs attention/).waitFor();
});

async function download(t: Test, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('button', { name: 'Switch FTP on in the meter' }).click();
  await page.locator('table').waitFor();
  // Written down at each change of the page: folders whose own name is in the listing that shows under it.
  await page.evaluate(`{
    globalThis.mixed = [];
    new MutationObserver(() => {
      const folder = document.querySelector('nav span:last-of-type a')?.textContent;
      const listed = [...document.querySelectorAll('td button')].map(({ textContent }) => textContent);
      if (folder && listed.includes(folder + '/')) mixed.push(folder);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  while ((await page.locator('td button', { hasText: /\/$/ }).count()) > 0) {
    const folder = page.locator('td button', { hasText: /\/$/ }).first();
    const name = (await folder.textContent()) ?? '';
    await folder.click();
    await page.getByRole('link', { name: name.slice(0, -1), exact: true }).waitFor();
    await page.locator('table').waitFor();
  }
  t.strictSame(await page.evaluate('mixed'), [], 'no listing shows under the name of the next folder');
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('td button').first().click()]);
  t.match(file.suggestedFilename(), /\.\w+$/);
  await page.getByText(/was downloaded and is complete/).waitFor();
  await page.getByRole('button', { name: 'Fetch what is new' }).click();
  const kept = page.getByRole('region', { name: 'Kept here' });
  await kept.getByText('complete', { exact: false }).first().waitFor();
  const [copy] = await Promise.all([page.waitForEvent('download'), kept.locator('td a').first().click()]);
  t.match(copy.suggestedFilename(), /\.\w+$/, 'a copy that is kept here, too');
  const [zip] = await Promise.all([page.waitForEvent('download'), kept.getByText('All as ZIP').click()]);
  t.equal(zip.suggestedFilename(), 'roof.zip', 'and all of them as a ZIP');
}

stageTest(t, 'a test with one failed check shows it alone, with an advice and then the command', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', pollEnabled: false, ftpEnabled: true });
  stage.meter.set('FTP', 'Off');
  const page = await stage.open('m/roof');
  const panel = page.getByRole('region', { name: 'Test the connection' });
  await panel.getByRole('button', { name: 'Test it step by step' }).click();
  await panel.getByText('One check failed.').waitFor();
  const [ftp = ''] = await panel.locator('li.failed:visible').allInnerTexts();
  t.match(ftp, /^FTP: failed\.[\s\S]*\n.*page Files[\s\S]*\nOr as a command: slm set roof ftp on$/);
  t.equal(await panel.locator('li.ok:visible').count(), 0, 'what is well is not below it');
  await panel.getByText(/^The other \d+ checks$/).click();
  await panel.getByText('Control port: well.').waitFor();
  t.equal(await panel.locator('li:visible').count(), 12);
});
