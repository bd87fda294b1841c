/** Times in a real browser that is elsewhere than the meter: those of a meter are of its place, and say so. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'a meter far away has the times of its place on every page', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', timezone: 'Asia/Tokyo' });
  const event = {
    rule: 0,
    rule_name: 'Night limit',
    severity: 'warning',
    kind: 'level',
    what: 'leq',
    limit: 45,
    worst: 48.7,
    unit_id: 'roof',
    detail: 'The Leq of 15 min was above 45 dB.',
    opened_at: '2026-11-21T01:10:30.000Z',
    closed_at: '2026-11-21T01:15:00.000Z',
  };
  const answer = await fetch(`${stage.gateway.baseUrl}/_alerts/events/import`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [event] }),
  });
  t.equal(answer.ok, true, await answer.text());

  const page = await stage.open('alerts', { timezoneId: 'Europe/Berlin' });
  await page.getByRole('link', { name: 'Sat 21 Nov, 10:10 GMT+9' }).click();
  await page
    .getByText(/^Sat 21 Nov, 10:10/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'See it in the history' }).click();
  await page.getByText(/times of Asia\/Tokyo/).waitFor();
  await page.getByText(/^Sat 21 Nov, 09:40 to Sat 21 Nov, 10:45 · one row/).waitFor();
  t.equal(new URL(page.url()).pathname, '/m/roof/history', 'the page of an alert leads to its hour in the history');
  await page.getByText('At present only readings now and then are kept of this meter.').waitFor();
  await stage.addMeter('roof', { name: 'Roof', timezone: 'Asia/Tokyo', history: 'stream' });
  await page.getByText('only readings now and then').waitFor({ state: 'detached' });
  t.equal(
    await page.getByText('To measure them, choose').count(),
    0,
    'what is missing is said only while it is missing',
  );

  await page.getByRole('button', { name: 'Report' }).click();
  await page.getByLabel('Title').fill('Quarry, second week');
  await page.getByLabel('List what is above, dB').fill('45.5');
  await page.getByLabel(/^Remarks/).fill('Client: Quarry Ltd\nCalibrated: 93.9 dB');
  const [report] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open the report' }).click(),
  ]);
  await report.getByRole('heading', { name: 'Quarry, second week' }).waitFor();
  await report.getByRole('heading', { name: 'Levels above the limit' }).waitFor();
  await report.getByText('Calibrated: 93.9 dB').waitFor();
  t.match(await report.locator('body').textContent(), /intervals of 15 min/);

  const german = await stage.open(new URL(page.url()).pathname.slice(1) + new URL(page.url()).search, {
    locale: 'de-DE',
  });
  const [file] = await Promise.all([
    german.waitForEvent('download'),
    german.getByRole('button', { name: 'Als CSV speichern' }).click(),
  ]);
  t.equal(file.suggestedFilename(), 'roof_2026-11-21-09-40_to_2026-11-21-10-45.csv');
  const [header, first] = readFileSync(await file.path(), 'utf8').split('\r\n');
  t.match(
    header,
    /^\uFEFFunit_id;start;local_time;duration_s;Leq dB;Lmax dB;/,
    'with meter and unit; its weighting is not known',
  );
  t.match(first, /^roof;2026-11-21T00:40:30Z;2026-11-21 09:40:30;/);

  const budget = {
    rule: '1',
    name: 'Day budget',
    quantity: 'leq',
    limit_db: 66,
    leq_so_far: 63,
    state: 'ok',
    note: null,
    channel: 'main',
    window_from: '2026-11-20T22:00:00.000Z',
    window_to: '2026-11-21T10:00:00.000Z',
    elapsed_s: 21_600,
    measured_s: 10_700,
    remaining_may_average_db: 67.8,
    will_exceed_at: null,
  };
  await page.route(/\/roof\/budget/, (route) => route.fulfill({ json: { status: 'ok', data: [budget], next: null } }));
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByText('Day budget: 63.0 of 66.0 dB so far, until 19:00').waitFor();
  t.match(
    await page.locator('.budget').textContent(),
    'Only 49.5 % of the time so far was measured; nothing is known of the rest.',
    'a budget says what it does not know',
  );
  await page.getByText(/^since /).waitFor();
  const facts = await page.locator('section[aria-labelledby=connection] dd').allTextContents();
  const minutes = facts.flatMap((fact) => {
    const [, hour, minute] = /since \w+ \d+ \w+, (\d+):(\d+)/.exec(fact) ?? [];
    return hour ? Number(hour) * 60 + Number(minute) : [];
  });
  t.equal(minutes.length, 3, `connected, data today, data in all: ${facts.join('; ')}`);
  const apart = Math.max(...minutes) - Math.min(...minutes);
  t.ok(apart < 10 || apart > 1_430, `all by one clock, and of the last minutes: ${facts.join('; ')}`);

  for (const part of ['', '/history', '/days', '/files', '/campaign', '/log']) {
    await page.goto(`${stage.url}m/roof${part}`);
    await page.getByText('times of Asia/Tokyo').waitFor();
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
    const text = await page.locator('main').innerText();
    t.equal(text.split('Asia/Tokyo').length - 1, 1, `the zone is said once at ${part}`);
    t.notMatch(text, /GMT|JST|CET/, `and no other one at ${part}`);
  }

  const home = await stage.open('alerts', { timezoneId: 'Asia/Tokyo' });
  await home.getByRole('link', { name: 'Sat 21 Nov, 10:10', exact: true }).waitFor();
  t.notMatch(
    await home.locator('main').textContent(),
    /GMT|JST/,
    'for a browser in the same place, too, no zone is shown',
  );
});
