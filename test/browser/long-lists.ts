/** Lists of hundreds and thousands in a real browser: a page of them at a time, found by a word, and no page without end. */

import type { Page } from 'playwright-core';
import t from 'tap';
import { stageTest } from './support/stage.ts';

const MOST_PX = 8_000;
const heightOf = async (page: Page) => Number(await page.evaluate('document.documentElement.scrollHeight'));

stageTest(t, 'long lists are shown page by page', { request_rate: 0 }, async (t, stage) => {
  for (let number = 1; number <= 120; number++)
    await stage.addMeter(`unit-${number}`, { host: '192.0.2.40', pollEnabled: false, timezone: 'UTC' });
  const from = Date.now() - 3_600_000;
  for (let number = 0; number < 120; number++) {
    const span = { from: new Date(from).toISOString(), to: new Date(from + 60_000 + number).toISOString() };
    await stage.client.addNote('unit-1', { kind: 'note', reason: 'other', text: `Lorry ${number}`, ...span });
    await stage.client.addAlertRule({
      name: `Limit ${number}`,
      kind: 'level',
      units: ['unit-1'],
      quantity: 'leq',
      window: '15m',
      limit_db: 90,
    });
  }
  const opened = Array.from({ length: 3_000 }, (_, index) => ({
    rule: 0,
    rule_name: `Old limit ${index}`,
    kind: 'level',
    what: 'leq',
    limit: 45,
    worst: 48.7,
    severity: 'warning',
    unit_id: 'unit-1',
    detail: 'Loud.',
    opened_at: new Date(from - 86_400_000 + index * 1_000).toISOString(),
    closed_at: new Date(from - 86_400_000 + index * 1_000 + 500).toISOString(),
  }));
  for (let first = 0; first < opened.length; first += 1_000) {
    const answer = await fetch(`${stage.gateway.baseUrl}/_alerts/events/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ events: opened.slice(first, first + 1_000) }),
    });
    t.equal(answer.ok, true, await answer.text());
  }
  const page = await stage.open('alerts');

  await t.test('rules and alerts come page by page', async (t) => {
    await page.getByText('1 to 50 of 120 rules').waitFor();
    const rules = page.getByRole('region', { name: 'Rules' });
    await rules.getByRole('button', { name: 'Next rules' }).click();
    await rules.getByRole('button', { name: 'Next rules' }).click();
    await page.getByText('101 to 120 of 120 rules').waitFor();
    t.equal(await rules.getByRole('button', { name: 'Next rules' }).isDisabled(), true);
    await rules.getByLabel('Find rules').fill('limit 11');
    await page.getByText('1 to 11 of 11 rules').waitFor();
    await page.getByText('Old limit 2999').waitFor();
    await rules.getByLabel('Find rules').fill('nothing like it');
    await page.getByText('None of 120 rules').waitFor();
    await rules.getByLabel('Find rules').fill('');
    await page.getByText('1 to 50 of 120 rules').waitFor();
    t.ok((await heightOf(page)) < MOST_PX, `alerts: ${await heightOf(page)} px`);
  });

  await t.test('notes come page by page', async (t) => {
    await page.goto(`${stage.url}m/unit-1/history`);
    await page.getByText('1 to 50 of 120 notes').waitFor();
    await page.getByLabel('Find notes').fill('lorry 77');
    await page.getByRole('listitem').filter({ hasText: 'Lorry 77' }).waitFor();
    t.equal(await page.locator('.entry').count(), 1);
    await page.getByLabel('Find notes').fill('');
    t.ok((await heightOf(page)) < MOST_PX, `history: ${await heightOf(page)} px`);
  });

  await t.test('meters in the settings come page by page', async (t) => {
    await page.goto(`${stage.url}settings`);
    await page.getByText('1 to 50 of 120 meters').waitFor();
    t.ok((await heightOf(page)) < MOST_PX, `settings: ${await heightOf(page)} px`);
  });

  await t.test('copies of files: the API gives a thousand at once', async (t) => {
    const file = (index: number) => ({
      name: `${index}.rnd`,
      path: `/NL-43/Auto_0001/${String(index).padStart(4, '0')}.rnd`,
      size: 1_000,
      card: 1,
      modified: 'Nov 21 2026',
      sha256: 'a'.repeat(64),
      fetched_at: null,
      rows: 3,
      versions: 1,
      problems: [],
      state: 'complete',
    });
    await page.route(/\/unit-1\/files\?/, (route) => {
      const first = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      const data = Array.from({ length: Math.min(1_000, 2_400 - first) }, (_, index) => file(first + index));
      return route.fulfill({
        json: { status: 'ok', data, next: first + 1_000 < 2_400 ? String(first + 1_000) : null },
      });
    });
    await page.goto(`${stage.url}m/unit-1/files`);
    await page.getByText('1 to 50 of 2,400 files').waitFor();
    await page.getByLabel('Find files').fill('2399');
    await page.getByText('/NL-43/Auto_0001/2399.rnd').waitFor();
    t.ok((await heightOf(page)) < MOST_PX, `files: ${await heightOf(page)} px`);
  });
});
