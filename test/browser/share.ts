import t from 'tap';
import { violationsOf } from './support/axe.ts';
import { record } from './support/levels.ts';
import { inBrowser, openStage, type Stage } from './support/stage.ts';

const DAY_MS = 86_400_000;

/** The address of a new share of the meter. */
async function shareOf({ gateway }: Stage, more: object = {}): Promise<string> {
  const wanted = {
    name: 'Neighbours',
    units: ['roof'],
    show: ['live', 'levels', 'indices', 'limits'],
    expires_at: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    title: 'Bridge works',
    text: 'Measured by the building office.',
    ...more,
  };
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${gateway.baseUrl}/_shares`, { method: 'POST', headers, body: JSON.stringify(wanted) });
  const { data } = (await answer.json()) as { data: { link: string } };
  return new URL(data.link, gateway.baseUrl).href;
}

inBrowser(t, 'the page of a share is fit for everybody', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  await record(stage);
  const address = await shareOf(stage);
  for (const width of [390, 1440]) {
    const page = await stage.browse(address, { viewport: { width, height: 900 } });
    await page.getByRole('heading', { name: 'Bridge works' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const violations = await violationsOf(page);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      t.strictSame(found, [], `at ${width} px, ${colorScheme}`);
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    t.ok(Number(wide) <= 0, `not wider than ${width} px`);
    await page.context().close();
  }
});

inBrowser(t, 'on a phone nothing of its tables is cut off, in no language', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  const today = Math.floor(Date.now() / DAY_MS) * 86_400;
  const intervals = Array.from({ length: 2 * 1_440 }, (_, index) => ({
    at: today - 3 * 86_400 + index * 60,
    duration: 60,
    leq: 61.2,
    lmax: 101.4,
    lmin: 40,
    lpeak: 110,
  }));
  const { history } = stage.gateway;
  history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, intervals });
  await history.flush();
  const address = await shareOf(stage, { round_db: 0.1 });
  for (const locale of ['en-GB', 'de-DE', 'fr-FR', 'es-ES', 'ja-JP']) {
    const page = await stage.browse(address, { viewport: { width: 390, height: 844 }, locale });
    const tables = page.locator('.wide');
    await tables.last().waitFor();
    const rests = await tables.evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
    t.strictSame(rests, [0, 0], locale);
    const [value] = await page
      .locator('.days td')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-name')));
    t.match(value, /.+, dB$/, 'each value of a day has its name beside it');
    await page.context().close();
  }
});

inBrowser(t, 'its numbers are there without JavaScript, and the browser chooses the language', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  await record(stage);
  const address = await shareOf(stage, { show: ['levels'] });
  const numbers = async (options: object) => {
    const page = await stage.browse(address, options);
    await page.getByRole('heading', { name: 'Bridge works' }).waitFor();
    const language = await page.locator('html').getAttribute('lang');
    const levels = (await page.locator('td').allTextContents()).filter((text) => /^\d+$/.test(text));
    await page.context().close();
    return { levels, language };
  };
  const withIt = await numbers({});
  t.equal(withIt.language, 'en');
  t.ok(withIt.levels.includes('50'), withIt.levels.join(' '));
  t.strictSame(await numbers({ javaScriptEnabled: false }), withIt);
  t.strictSame(await numbers({ locale: 'de-AT' }), { ...withIt, language: 'de' });
});

inBrowser(t, 'a link that was revoked shows a page that says so, and nothing else', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  const address = await shareOf(stage);
  const page = await stage.browse(address);
  await page.getByRole('heading', { name: 'Bridge works' }).waitFor();
  await fetch(`${stage.gateway.baseUrl}/_shares/1`, { method: 'DELETE' });
  const answer = await page.reload();
  t.equal(answer?.status(), 404);
  await page.getByRole('heading', { level: 1 }).waitFor();
  t.notMatch(await page.locator('body').textContent(), /Bridge works|Roof/);
});

inBrowser(t, 'an administrator makes, sees and revokes a share on the page of the settings', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  const page = await stage.open('settings/people');
  const shares = page.getByRole('region', { name: 'Shares' });
  const form = shares.getByRole('form', { name: 'New share' });
  await form.getByLabel('Name, for you alone').fill('town hall');
  await form.getByLabel('Heading of the page').fill('Bridge works');
  t.ok(await form.getByRole('button', { name: 'Make the link' }).isDisabled(), 'no meter is chosen yet');
  await form.getByLabel('Roof').check();
  await form.getByLabel('The last 24 hours').check();
  await form.getByLabel('Values are shown').selectOption('900');
  await form.getByRole('button', { name: 'Make the link' }).click();
  const link = form.locator('.key-text');
  const address = (await link.getAttribute('href')) ?? '';
  const shown = await fetch(address);
  t.equal(shown.status, 200);
  t.match(await shown.text(), /Bridge works/);
  const line = shares.getByRole('listitem').filter({ hasText: 'town hall' });
  await line.getByText('Roof: The level now, The last 24 hours, Limits').waitFor();
  await form.getByRole('button', { name: 'I have it' }).click();
  await link.waitFor({ state: 'detached' });
  await line.getByRole('button', { name: 'Revoke town hall' }).click();
  await line.getByRole('button', { name: 'Yes, revoke town hall' }).click();
  await line.waitFor({ state: 'detached' });
  t.equal((await fetch(address)).status, 404);
});
