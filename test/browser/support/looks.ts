/** A page of the dashboard as everybody must be able to use it: axe finds nothing, and nothing is wider than the screen. */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { OF_COLOURS, violationsOf } from './axe.ts';
import { EVERY_ADDRESS } from './every-address.ts';
import { HARD_NAME, record } from './levels.ts';
import { openStage, type Stage } from './stage.ts';

/** With a meter whose name is hard to show. */
export async function openHardStage(t: Test): Promise<Stage> {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: HARD_NAME, place: HARD_NAME });
  await record(stage);
  return stage;
}

interface Look {
  readonly width: number;
  readonly locale: string;
  readonly addresses?: readonly string[];
  readonly alsoDark?: boolean;
}

/** Resolves with the addresses that these pages link to, and for each a page that does. `alsoDark`: with the dark colours, too. */
export async function looksAt(
  t: Test,
  stage: Stage,
  { width, locale, addresses = EVERY_ADDRESS, alsoDark = false }: Look,
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  const page = await stage.open('', { viewport: { width, height: 900 }, locale });
  await answerHardNames(page);
  for (const path of addresses) {
    await page.goto(`${stage.url}${path}`);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {});
    const light = ['light', undefined] as const;
    for (const [colorScheme, rules] of alsoDark ? [light, ['dark', OF_COLOURS] as const] : [light]) {
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
  return links;
}

/** The same of the report of a unit. */
export async function looksAtReport(t: Test, width: number): Promise<void> {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const from = await record(stage);
  const [begin, end] = [from, from + 7 * 3_600].map((at) => new Date(at * 1_000).toISOString());
  const address = `${stage.gateway.baseUrl}/roof/report?from=${begin}&to=${end}&limit_db=40`;
  const page = await stage.browse(address, { viewport: { width, height: 900 } });
  t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, `at ${width} px`);
  const violations = await violationsOf(page);
  t.strictSame(
    violations.map(({ id }) => id),
    [],
  );
}

/** Without the place in the page. */
const addressesOf = (links: readonly object[]) =>
  links.map((link) => String(Reflect.get(link, 'href')).split('#')[0] ?? '');

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
