/** Many alerts in a real browser: a page of them at a time, by meter, severity and day, and the address keeps the choice. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { stageTest } from './support/stage.ts';

const DAY_MS = 86_400_000;

stageTest(t, 'ended alerts are listed page by page, with filters', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  await stage.addMeter('gate', { name: 'Gate', timezone: 'UTC' });
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const events = Array.from({ length: 120 }, (_, index) => ({
    rule: 0,
    rule_name: `Limit ${index}`,
    kind: 'level',
    what: 'leq',
    limit: 45,
    worst: 48.7,
    detail: 'Loud.',
    severity: index % 10 === 0 ? 'critical' : 'warning',
    unit_id: index % 2 === 0 ? 'roof' : 'gate',
    opened_at: new Date(today - DAY_MS * (1 + (index % 3)) + index * 1_000).toISOString(),
    closed_at: new Date(today - DAY_MS * (1 + (index % 3)) + index * 1_000 + 500).toISOString(),
  }));
  const taken = await fetch(`${stage.gateway.baseUrl}/_alerts/events/import`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ events }),
  });
  t.equal(taken.ok, true, await taken.text());
  const page = await stage.open('alerts');
  const over = page.getByRole('region', { name: 'Ended' });
  const rows = over.locator('tbody tr');
  await rows.nth(49).waitFor();
  t.equal(await rows.count(), 50);
  t.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) < 6_000, 'no endless page');
  await over.getByRole('button', { name: 'Older ones' }).click();
  await over.getByRole('button', { name: 'Newer ones' }).click();
  await over.getByLabel('How severe').selectOption('critical');
  await over.getByLabel('Meter').selectOption('Roof');
  await rows.nth(12).waitFor({ state: 'detached' });
  t.equal(await rows.count(), 12);
  t.match(page.url(), /unit=roof&severity=critical/, 'the address keeps it');
  await over.getByLabel('Day').fill(new Date(today - DAY_MS).toISOString().slice(0, 10));
  await rows.nth(4).waitFor({ state: 'detached' });
  t.equal(await rows.count(), 4, 'of one day');
  for (const [name, begin] of [
    ['CSV', 'Limit '],
    ['XLSX', 'PK'],
  ] as const) {
    const link = over.locator('a, button').filter({ hasText: `Save as ${name}` });
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const content = readFileSync(await file.path(), 'latin1');
    t.ok(name === 'XLSX' ? content.startsWith(begin) : content.split(begin).length === 5, `${name} has what is shown`);
    t.equal(content.startsWith('\xef\xbb\xbf'), name === 'CSV', 'a byte order mark for spreadsheets');
    t.match(file.suggestedFilename(), new RegExp(`\\.${name.toLowerCase()}$`));
  }
  await over.getByLabel('Meter').selectOption('Gate');
  await over.getByText('No alert fits.').waitFor();
});
