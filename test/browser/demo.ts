/** The demo in a real browser: its past week shows loud days, a windy one and a gap, and no page contradicts another. */
import { join } from 'node:path';
import t from 'tap';
import { Client } from '../../client/index.ts';
import { PacedClock } from '../../simulator/control/paced-clock.ts';
import { startDemo } from '../../simulator/demo/demo.ts';
import { startFleet, stopFleet } from '../../simulator/fleet.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

const DAY_MS = 86_400_000;

t.test('the demo shows a week of levels', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const fleet = await startFleet({
    meters: 1,
    host: '127.0.0.1',
    seed: 1,
    sampleStores: true,
    clock: new PacedClock(),
  });
  const demo = await startDemo(fleet, {
    host: '127.0.0.1',
    port: 0,
    env: {},
    pastDays: 7,
    dataDir: join(t.testdir(), 'demo'),
  });
  t.teardown(async () => {
    await demo.stop();
    await stopFleet(fleet);
  });
  const client = new Client({ baseUrl: demo.baseUrl });
  const [unit] = await client.units();
  const unitId = unit?.unit_id ?? '';
  t.equal(unit?.history, 'stream', 'the stream of its meter is recorded');
  // The oldest hours come last, and then their alerts.
  const week = { from: new Date(Date.now() - 6.5 * 86_400_000).toISOString(), to: new Date().toISOString() };
  const isThere = async () => {
    const { rows } = await client.history(unitId, { ...week, step: '1h', quantities: 'leq' });
    const { data } = await client.call<{ data: readonly object[] }>('/_alerts/events', { query: { unit: unitId } });
    return typeof rows[0]?.[1] === 'number' && data.length > 1;
  };
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 500));

  const page = await stage.browse(`${new URL('/', demo.baseUrl).href}m/${unitId}/days`);
  await page.locator('a.day.exceeded').nth(1).waitFor();
  t.ok((await page.locator('a.day.exceeded').count()) > 1, 'days that were too loud are red, and say how often');
  t.match(await page.locator('a.day.exceeded').first().textContent(), /× above, \d+\.\d of \d+\.\d dB/);
  for (const part of ['', '/history', '/days']) {
    await page.goto(`${new URL('/', demo.baseUrl).href}m/${unitId}${part}`);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
    const text = await page.locator('main').innerText();
    t.notMatch(text, /only readings|nothing of this meter is recorded/i, `m/${unitId}${part} says nothing else`);
  }
  await page.goto(`${new URL('/', demo.baseUrl).href}m/${unitId}/history?from=${week.from}&to=${week.to}`);
  await page.getByText('Times without data').waitFor();
  const gaps = await page.locator('section[aria-labelledby=gaps] li span').allTextContents();
  t.ok(
    gaps.some((length) => /\d h$|\d d$/.test(length)),
    `a gap of hours: ${gaps.join(', ')}`,
  );
  const found = await client.history(unitId, { ...week, step: '1d', quantities: 'leq,l90' });
  const loudest90 = Math.max(...found.rows.map((row) => Number(row[2] ?? 0)));
  t.ok(loudest90 > 50, `a windy day is loud all day long: L90 of ${loudest90} dB`);

  const { data: proposals } = await client.noteProposals(unitId, week);
  const windy = found.rows.find((row) => Number(row[2] ?? 0) === loudest90);
  const [wind, ...others] = proposals.filter(({ reason }) => reason === 'wind');
  t.match(wind?.text, /^wind speed \d+(\.\d)? m\/s \(above 5\) at weather$/);
  t.same(others, [], 'one windy day, and no other windy time');
  t.ok(Math.abs(Date.parse(wind?.from ?? '') - Date.parse(String(windy?.[0]))) < DAY_MS, 'the day that is loud');
  t.ok(Date.parse(wind?.to ?? '') - Date.parse(wind?.from ?? '') > 0.9 * DAY_MS);
  t.equal(proposals.filter(({ reason }) => reason === 'rain').length, 1, 'and a shower');
  await page.getByRole('img', { name: /^Simulated: weather: wind up to / }).waitFor();
});
