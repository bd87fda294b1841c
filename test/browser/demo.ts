/** The demo in a real browser: its past week shows a loud day, a windy one and a gap, and no page contradicts another. */

import { join } from 'node:path';
import t from 'tap';
import { Client } from '../../client/index.ts';
import { PacedClock } from '../../simulator/control/paced-clock.ts';
import { startDemo } from '../../simulator/demo/demo.ts';
import { startFleet, stopFleet } from '../../simulator/fleet.ts';
import { inBrowser, openStage } from './support/stage.ts';

const DAY_MS = 86_400_000;

inBrowser(t, 'the demo shows a week of levels', async (t) => {
  const stage = await openStage(t);
  const fleet = await startFleet({ meters: 5, host: '127.0.0.1', seed: 1, clock: new PacedClock() });
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
  const units = await client.units();
  t.equal(units[2]?.history, 'stream', 'the stream of its meter is recorded');
  const unitId = 'sim-3';
  const week = { from: new Date(Date.now() - 6.5 * DAY_MS).toISOString(), to: new Date().toISOString() };

  const page = await stage.browse(`${new URL('/', demo.baseUrl).href}m/${unitId}/days`);
  t.match(
    await page.locator('a.day.exceeded').first().textContent(),
    /\d+\.\d of \d+\.\d dB/,
    'a day that was too loud',
  );
  for (const part of ['', '/history', '/days']) {
    await page.goto(`${new URL('/', demo.baseUrl).href}m/${unitId}${part}`);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
    const text = await page.locator('main').innerText();
    t.notMatch(text, /only readings|nothing of this meter is recorded/i, `m/${unitId}${part} says nothing else`);
  }
  await page.goto(`${new URL('/', demo.baseUrl).href}m/sim-5/history?from=${week.from}&to=${week.to}`);
  await page.getByText('Times without data').waitFor();
  const gaps = await page.locator('section[aria-labelledby=gaps] li span').allTextContents();
  t.ok(
    gaps.some((length) => /\d h$|\d d$/.test(length)),
    `a gap of hours: ${gaps.join(', ')}`,
  );
  const { data: proposals } = await client.noteProposals('sim-5', week);
  const [wind, ...others] = proposals.filter(({ reason }) => reason === 'wind');
  t.match(wind?.text, /^wind speed \d+(\.\d)? m\/s \(above 5\) at weather$/);
  t.same(others, [], 'one windy day, and no other windy time');
  const [from, to] = [Date.parse(wind?.from ?? ''), Date.parse(wind?.to ?? '')];
  t.ok(to - from > 0.9 * DAY_MS);
  const { rows } = await client.history('sim-5', { ...week, step: '1h', quantities: 'leq' });
  const isWindy = (row: (typeof rows)[number]) => Date.parse(String(row[0])) >= from && Date.parse(String(row[0])) < to;
  const leastOf = (some: typeof rows) => Math.min(...some.flatMap(([, leq]) => (typeof leq === 'number' ? [leq] : [])));
  t.ok(leastOf(rows.filter(isWindy)) > 39, 'the yard is loud all this day long');
  t.ok(leastOf(rows.filter((row) => !isWindy(row))) < 36, 'and quiet in other nights');
  t.equal(proposals.filter(({ reason }) => reason === 'rain').length, 1, 'and a shower');
  await page.getByRole('img', { name: /^Simulated: weather: wind up to / }).waitFor();
});
