/** The map behind the plan in a real browser: tiles of the server in the settings, those of the place, and from nowhere else. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

/** A grey pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);
/** The Brandenburg Gate is on this tile of every such map, by zoom. */
const HERE = ['/16/35203/21493.png', '/17/70406/42987.png', '/18/140813/85975.png'];
const PLACED = { host: '192.0.2.40', pollEnabled: false, latitude: 52.5163, longitude: 13.3777 };

inBrowser(t, 'the plan has a map where the settings name a server of tiles', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(PIXEL);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stage = await openStage(t, {
    plugin_settings: { dashboard: { tiles_url: `${origin}/{z}/{x}/{y}.png`, tiles_attribution: '© The mappers' } },
  });
  await stage.addMeter('gate', { ...PLACED, name: 'Gate' });
  const page = await stage.open('');
  await page.getByRole('link', { name: 'Plan' }).waitFor();
  t.strictSame(asked, [], 'the list loads no map');
  await page.getByRole('link', { name: 'Plan' }).click();
  await page.getByText('Map: © The mappers').waitFor();
  await page.locator('.plan image').first().waitFor({ state: 'attached' });
  await page.locator(HERE.map((tile) => `.plan image[href$="${tile}"]`).join()).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  t.ok(asked.length > 1 && asked.length <= 60, `${asked.length} tiles`);
  t.ok(asked.every((path) => /^\/\d+\/\d+\/\d+\.png$/.test(path)));
  const answer = await fetch(stage.url);
  t.ok(answer.headers.get('content-security-policy')?.includes(`img-src 'self' data: ${origin};`), 'only this host');
  const label = page.locator('a.plan-label', { hasText: 'Gate' });
  await label.click();
  t.equal(new URL(page.url()).pathname, '/m/gate', 'the marks are those of the plan');
});

inBrowser(t, 'without one the page loads nothing from outside', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('gate', { ...PLACED, name: 'Gate' });
  const page = await stage.open('?view=plan');
  await page.locator('.plan .grid').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  t.equal(await page.locator('.plan image').count(), 0);
  const answer = await fetch(stage.url);
  t.match(answer.headers.get('content-security-policy'), /img-src 'self' data:;/);
});
