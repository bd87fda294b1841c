/** Every page of the dashboard at two widths, light and dark, in all languages, looked at by axe. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { OF_COLOURS, violationsOf } from './support/axe.ts';
import { EVERY_ADDRESS } from './support/every-address.ts';
import { HARD_NAME, record } from './support/levels.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('every page is fit for everybody', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: HARD_NAME, place: HARD_NAME });
  await record(stage);
  // Each address, and a page that links to it.
  const links = new Map<string, string>();
  const at = async (width: number, locale: string, addresses = EVERY_ADDRESS) => {
    const page = await stage.open('', { viewport: { width, height: 900 }, locale });
    await answerHardNames(page);
    for (const path of addresses) {
      await page.goto(`${stage.url}${path}`);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {});
      for (const [colorScheme, rules] of [
        ['light', undefined],
        ['dark', OF_COLOURS],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        const violations = await violationsOf(page, rules);
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        t.strictSame(found, [], `/${path} at ${width} px in ${locale}, ${colorScheme}`);
      }
      for (const found of await page.locator('a[href]').evaluateAll(addressesOf)) links.set(found, path);
      if (path === 'm/roof/files' || path === 'alerts')
        t.ok((await page.locator('bdi', { hasText: '<b onclick' }).count()) > 1, `/${path} shows names as text`);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      t.ok(Number(wide) <= 0, `/${path} at ${width} px in ${locale} is not wider than the screen`);
    }
    await page.context().close();
  };
  // German has the longest words.
  await Promise.all([at(390, 'de'), at(1440, 'en-GB')]);
  const wordy = [
    'overview',
    'alerts/1',
    'settings/people',
    'settings/sites',
    'm/roof/assessment',
    'compare',
    'wall',
    'verify',
  ];
  await Promise.all(['fr', 'es', 'ja'].map((language) => at(390, language, wordy)));
  const root = new URL('/', stage.url).href;
  // The card of this test is made up: its files cannot be loaded.
  const own = [...links].filter(([address]) => address.startsWith(root) && !/\/(ftp|files)\//.test(address));
  t.ok(own.length > 20, `${own.length} links`);
  t.ok(links.has(stage.url), 'the logo leads to the first page');
  for (const [address, path] of own) {
    const { status } = await fetch(address, { headers: { Accept: 'text/html' } });
    t.ok(status < 400, `/${path} links to ${address}, which answers ${status} in a new tab`);
  }
});

/** Without the place in the page. */
const addressesOf = (links: readonly object[]) =>
  links.map((link) => String(Reflect.get(link, 'href')).split('#')[0] ?? '');

t.test('the report is fit for a phone, and for everybody', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const from = await record(stage);
  const [begin, end] = [from, from + 7 * 3_600].map((at) => new Date(at * 1_000).toISOString());
  const address = `${stage.gateway.baseUrl}/roof/report?from=${begin}&to=${end}&limit_db=40`;
  for (const width of [390, 1440]) {
    const page = await stage.browse(address, { viewport: { width, height: 900 } });
    t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, `at ${width} px`);
    const violations = await violationsOf(page);
    t.strictSame(
      violations.map(({ id }) => id),
      [],
    );
    await page.context().close();
  }
});

t.test('an address that is no page shows one, as a 404 with a way home', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const page = await stage.open('');
  for (const path of ['nowhere', 'm/roof/nothing/at/all', 'm/%zz']) {
    const answer = await page.goto(`${stage.url}${path}`);
    await page.getByRole('heading', { name: /There is no (such page|meter)/ }).waitFor();
    if (path !== 'm/%zz') t.equal(answer?.status(), 404, path);
    await page.getByRole('link', { name: 'All meters' }).click();
    await page.getByRole('heading', { name: 'Meters' }).waitFor();
  }
  const asked = await fetch(`${stage.url}nowhere`);
  t.match(asked.headers.get('content-type'), /json/, 'a program gets a problem');
  const api = await fetch(`${stage.gateway.baseUrl}/no/such/path`, { headers: { Accept: 'text/html' } });
  t.match(api.headers.get('content-type'), /json/, 'and the API has no pages');
});

/** Files and alerts whose names and notes are hard to show, in place of what the gateway has. */
async function answerHardNames(page: Page): Promise<void> {
  const answer = (path: RegExp, body: object) =>
    page.route(path, (route) => route.fulfill({ json: { status: 'ok', ...body } }));
  const file = { name: HARD_NAME, path: `/NL-43/${HARD_NAME}`, size: 1_000, modified: 'Nov 21 2026', is_dir: false };
  await answer(/\/ftp\/files\?/, { files: [file, { ...file, path: `${file.path}/`, is_dir: true }] });
  const kept = { ...file, card: 1, sha256: 'a'.repeat(64), fetched_at: null, rows: 3, problems: [HARD_NAME] };
  await answer(/\/roof\/files\?/, { data: [{ ...kept, state: 'complete' }], next: null });
  const event = {
    id: '1',
    rule: '1',
    rule_name: HARD_NAME,
    unit_id: 'roof',
    severity: 'warning',
    kind: 'level',
    what: 'leq',
    limit: 55,
    window_from: null,
    opened_at: new Date().toISOString(),
    closed_at: null,
    worst: 60,
    channel: null,
    cause: null,
    sentences: {},
  };
  const ack = { by: HARD_NAME, at: event.opened_at, note: HARD_NAME };
  await answer(/\/_alerts\/events\/1$/, {
    data: { ...event, detail: HARD_NAME, ack },
    messages: [],
    causes: [HARD_NAME],
  });
  await answer(/\/_alerts\/events\?/, { data: [{ ...event, detail: HARD_NAME, ack }], next: null });
}
