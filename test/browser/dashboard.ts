/** The dashboard in a real browser: the whole way of a new user, and every page looked at by axe. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { NO_BROWSER, openStage, type Stage } from './stage.ts';

/** What a name may hold: markup, marks that turn the direction of writing, wide characters. */
const HARD_NAME = `<b onclick="x">Roof</b> \u202egnirts\u202c שלום ${'寬'.repeat(40)}`;
const HOUR_S = 3_600;

t.test('the whole way of a new user', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const page = await stage.open('');

  await page.getByRole('link', { name: 'Add the first one' }).click();
  await page.getByLabel('Short name, for addresses').fill('roof');
  await page.getByLabel('Address in the network').fill('127.0.0.1');
  await page.getByLabel('Port', { exact: true }).fill(String(stage.meter.tcpPort));
  await page.getByLabel('Name for people').fill(HARD_NAME);
  await page.getByRole('button', { name: 'Add and test the connection' }).click();
  await page.getByText(/It does\. Its clock shows/).waitFor();
  await page.getByText(/Lp is \d+\.\d dB/).waitFor();
  t.pass('a meter is added and its connection tested');
  const { configs } = stage.gateway.store;
  const quick = { unitId: 'roof', ftpPort: stage.meter.ftpPort, pollIntervalSeconds: 2 };
  await configs.change('roof', (present) => ({ ...configs.defaults, ...present, ...quick }));

  await page.getByRole('link', { name: 'Open roof' }).click();
  await page.getByText('live, ten times a second').waitFor();
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), HARD_NAME, 'a name with markup is text');
  t.match(await page.locator('.level.huge').textContent(), /^\d+\.\ddB LAF$/, 'a level has unit and weighting');

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText(/The meter confirmed it at/).waitFor();
  await page.locator('.state.measuring').waitFor();
  t.equal(stage.meter.read('Measure'), 'Start', 'and the meter measures');

  await t.test('a file of the card is downloaded', (t) => download(t, page));
  await t.test('recorded levels with a gap', async (t) => {
    const from = await record(stage);
    const at = (hours: number) => new Date((from + hours * HOUR_S) * 1_000).toISOString();
    await page.goto(`${stage.url}m/roof/history?from=${at(-1)}&to=${at(4)}`);
    await page.getByText('Times without data').waitFor();
    t.match(await page.getByText(/Measured \d+ %/).textContent(), 'Measured 40 % of this time.');
    await page.getByText('The same as a table').click();
    t.match(await page.locator('td.number').first().textContent(), /^(–|\d+\.\d)$/);
  });

  await page.goto(`${stage.url}m/roof`);
  await page.getByText('live, ten times a second').waitFor();
  stage.meter.faults.on('wedge', {});
  await page
    .getByText(/cannot be reached|does not listen any more/)
    .first()
    .waitFor();
  await page.locator('.state.away').waitFor();
  await page.locator('.level.huge.old').waitFor();
  t.pass('a meter that is gone is said in words, and its last level is struck through');
  await page.goto(stage.url);
  await page.getByText(/1 meter, 1 needs you/).waitFor();
});

async function download(t: Test, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('button', { name: 'Switch FTP on in the meter' }).click();
  await page.locator('table').waitFor();
  while ((await page.locator('td button', { hasText: /\/$/ }).count()) > 0) {
    const folder = page.locator('td button', { hasText: /\/$/ }).first();
    const name = (await folder.textContent()) ?? '';
    await folder.click();
    await page.getByRole('link', { name: name.slice(0, -1), exact: true }).waitFor();
    await page.locator('table').waitFor();
  }
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('td button').first().click()]);
  t.match(file.suggestedFilename(), /\.\w+$/);
  await page.getByText(/is here, whole/).waitFor();
}

/** Two hours of levels with two hours of nothing between; the first second of them. */
async function record({ gateway }: Stage): Promise<number> {
  const from = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S - 10 * HOUR_S;
  for (const hour of [0, 3]) {
    const seconds = Array.from({ length: HOUR_S }, (_, second) => ({
      at: from + hour * HOUR_S + second,
      ...{ steps: 10, leq: 50, lmax: 55, lmin: 45, lpeak: 70, lp: [50, 50, 50, 50, 50, 50, 50, 50, 50, 50] },
    }));
    gateway.history.append({ unitId: 'roof', source: 'import', weighting: { frequency: 'A', time: 'F' }, seconds });
  }
  await gateway.history.flush();
  return from;
}

const PAGES = ['', 'm/roof', 'm/roof/history', 'm/roof/days', 'm/roof/files', 'settings', 'alerts'];

t.test('every page is fit for everybody', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.gateway.store.configs.change('roof', () => ({
    ...stage.gateway.store.configs.defaults,
    ...{ unitId: 'roof', name: HARD_NAME, place: HARD_NAME, host: '127.0.0.1' },
    ...{
      tcpPort: stage.meter.tcpPort,
      ftpPort: stage.meter.ftpPort,
      pollIntervalSeconds: 2,
      timezone: 'Europe/Berlin',
    },
  }));
  await record(stage);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1440]) {
      const page = await stage.open('', { colorScheme, viewport: { width, height: 900 } });
      for (const path of PAGES) {
        await page.goto(`${stage.url}${path}`);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
        const { violations } = await new AxeBuilder({ page }).analyze();
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        t.strictSame(found, [], `/${path} at ${width} px, ${colorScheme}`);
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        t.ok(Number(wide) <= 0, `/${path} at ${width} px is not wider than the screen`);
      }
      await page.context().close();
    }
  }
});

t.test('the page works behind a prefix, and its first view is small', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const page = await (await fetch(stage.url)).text();
  const names = [...page.matchAll(/(?:src|href)="(dashboard-[^"]+)"/g)].map(([, name]) => name);
  t.equal(names.length, 2);
  let size = page.length;
  for (const name of names) {
    const answer = await fetch(`${stage.url}${name}`, { headers: { 'Accept-Encoding': 'gzip' } });
    t.match(answer.headers.get('cache-control'), /immutable/);
    size += Number(answer.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  }
  t.ok(size < 150_000, `first view: ${size} bytes compressed`);
});
