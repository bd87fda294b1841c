/** The wall screen in a real browser: no controls, the loud meter first, and plain at once when it is out of date. */
import t from 'tap';
import { EVERY_DAY } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'one large screen has the loud meters, and says when it is out of date', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('gate', { name: 'Gate', host: '192.0.2.40', pollEnabled: false });
  await stage.addMeter('roof', { name: 'Roof' });
  const limits = [{ index: 'leq', window: '1h', from: '00:00', to: '24:00', days: EVERY_DAY, limit_db: 60 }];
  await stage.client.call('/_permits/roof', { method: 'PUT', body: { units: ['roof'], limits } });
  const rule = { name: 'Limit', kind: 'level', units: ['roof'], quantity: 'leq', window: '15m', limit_db: 30 } as const;
  await stage.client.addAlertRule({ ...rule, severity: 'warning', targets: [] });
  for (const number of [1, 2, 3]) await stage.addMeter(`far-${number}`, { host: '192.0.2.40', pollEnabled: false });
  const page = await stage.open('wall', { viewport: { width: 1920, height: 1080 } });
  const tiles = page.getByRole('listitem');
  await tiles
    .filter({ hasText: 'Roof' })
    .getByText(/^[0-9.]+ dB LAF$/)
    .waitFor();
  await page.getByText(/^5 meters, .*[45] without a fresh level$/).waitFor();
  t.ok(await tiles.filter({ hasText: 'Gate' }).getByText('no level yet').isVisible(), 'silence does not look well');
  await tiles.filter({ hasText: 'Roof' }).getByText('today: not over, nothing exceeded so far').waitFor();
  t.equal(await page.getByText('today: ').count(), 1, 'a meter without a permit has no verdict');
  t.equal(await page.locator('button, input, select, a, nav').count(), 0, 'there are no controls');
  const place = await tiles.last().boundingBox();
  t.ok(place && place.y + place.height <= 1_080, 'all of it is in view');
  for (const [width, height] of [
    [1_920, 1_080],
    [1_200, 800],
    [600, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const out = await tiles.evaluateAll((found) => found.filter((tile) => tile.scrollWidth > tile.clientWidth).length);
    t.equal(out, 0, `nothing reaches out of a tile at ${width} x ${height}`);
  }
  await page.setViewportSize({ width: 1_920, height: 1_080 });
  await page.getByText(', page ').waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 600, height: 700 });
  await page.goto(`${stage.url}wall?turn=3`);
  await page.getByText(/, page 1 of \d$/).waitFor();
  const loudFirst = tiles.filter({ hasText: 'Roof' });
  await loudFirst.getByText(/^[0-9.]+ of 30\.0 dB so far/).waitFor();
  t.ok(await loudFirst.locator('.bar').isVisible(), 'the level against the limit is a bar');
  const last = await tiles.last().boundingBox();
  t.ok(last && last.y + last.height <= 700, 'a page of tiles is in view');
  await page.getByText(/, page 2 of \d$/).waitFor();
  t.equal(await loudFirst.count(), 0, 'the next page has other meters');
  await page.mouse.click(300, 400);
  await page.getByText(/, page 2 of \d, stopped by a touch$/).waitFor();
  await page.setViewportSize({ width: 1_920, height: 1_080 });
  await page.getByText(', page ').waitFor({ state: 'detached' });
  await page.evaluate('window.stayed = true');
  await stage.gateway.stop();
  await page
    .getByRole('alert')
    .getByText(/^Out of date: the gateway has not answered for/)
    .waitFor();
  t.equal(await page.locator('.tile:not(.old)').count(), 0, 'and no level looks new any more');
  t.equal(await page.evaluate('window.stayed'), true);
  await page.keyboard.press('Escape');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
});
