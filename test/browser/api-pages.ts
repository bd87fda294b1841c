/** The API pages at /docs, in a real browser under their strict policy. */
import t from 'tap';
import { OF_COLOURS, violationsOf } from './support/axe.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'the API can be read and tried at /docs', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof');
  const page = await stage.open('docs/icon.svg');
  const addresses: string[] = [];
  const sizes = new Map<string, Promise<number>>();
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', (response) =>
    sizes.set(
      response.url(),
      response.body().then(({ length }) => length),
    ),
  );
  await page.goto(`${stage.url}docs`);
  await page.getByRole('heading', { name: /slm-gateway/ }).waitFor();
  await page.getByText('measurement', { exact: true }).click();
  await page.getByText('/{unit_id}/start', { exact: true }).click();
  const start = page.locator('#startMeasurement');
  await start.getByRole('button', { name: 'Send' }).waitFor();
  t.ok(await start.getByText('for: operator').isVisible(), 'an operation opens with its role');
  t.ok(addresses.length <= 5, `${addresses.length} requests`);
  const scripts = [...sizes].filter(([address]) => /\.(js|css)$/.test(address));
  const total = (await Promise.all(scripts.map(([, size]) => size))).reduce((sum, size) => sum + size, 0);
  t.ok(total > 0 && total < 60_000, `${total} bytes of scripts and styles`);
  const outside = addresses.filter((address) => !address.startsWith(stage.url) && !address.startsWith('data:'));
  t.strictSame(outside, [], 'nothing comes from another address');

  t.equal(
    await page.getByRole('button', { name: /^Copy: / }).count(),
    6,
    'five calls to copy, and that of the operation',
  );
  await start.getByLabel('unit_id').fill('no such');
  await start.getByText(/^curl -X POST 'http.*\/no%20such\/start' -H/).waitFor();
  await start.getByLabel('unit_id').fill('nobody');
  await start.getByRole('button', { name: 'Send' }).click();
  await start.getByText(/"code": "UNIT_NOT_FOUND"/).waitFor();

  // A link to one operation, as pages and people keep them.
  await page.goto(`${stage.url}docs#/config/setConfig`);
  await page.reload();
  const config = page.locator('#setConfig');
  await config.getByLabel('unit_id').fill('yard');
  await config.getByLabel('Body').fill('{"host":"192.0.2.40","tcp_enabled":false}');
  await config.getByRole('button', { name: 'Send' }).click();
  await config.getByText(/"unit_id": "yard"/).waitFor();
  t.ok(stage.gateway.store.configs.get('yard'), 'an operation can be tried');
  await config.getByText('Body', { exact: true }).last().click();
  t.match(await config.locator('pre').allTextContents(), [/./, /^host\??: string/m]);

  await page.getByLabel('Find an operation').fill('budget');
  await page.getByText(/^\d+ of \d+ operations$/).waitFor();
  t.equal(await page.locator('#setConfig').count(), 0, 'the filter leaves out the others');
  await page.getByLabel('Find an operation').fill('getAbout');
  await page.locator('#getAbout summary').first().click();
  await page.locator('#getAbout').getByRole('button', { name: 'Send' }).click();
  await page
    .getByText(/"anybody"/)
    .first()
    .waitFor();
  for (const width of [390, 1440])
    for (const [colorScheme, rules] of [
      ['light', undefined],
      ['dark', OF_COLOURS],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const violations = await violationsOf(page, rules);
      const found = violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message}`).join(' ')}`,
      );
      t.strictSame(found, [], `an open operation with its answer, ${colorScheme}, ${width} px`);
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      t.ok(wide <= 0, `not wider than ${width} px`);
    }
});
