/** The API pages at /docs, in a real browser under their strict policy. */
import t from 'tap';
import { OF_COLOURS, violationsOf } from './support/axe.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('the API can be read and tried at /docs', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const page = await stage.open('docs/swagger-ui-licence.txt');
  const outside: string[] = [];
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(stage.url) && !address.startsWith('data:')) outside.push(address);
  });
  await page.goto(`${stage.url}docs`);
  await page.getByRole('heading', { name: 'slm-gateway' }).waitFor();
  await page.locator('.opblock-tag', { hasText: 'measurement' }).first().click();
  await page.getByText('startMeasurement').waitFor();
  t.ok(await page.getByText('startMeasurement').isVisible(), 'operations are in groups, with their names');

  await page.locator('.opblock-tag[data-tag="about"]').click();
  await page.locator('#operations-about-getAbout').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table', { hasText: '"anybody"' }).waitFor();
  t.ok(await page.locator('.live-responses-table', { hasText: '"anybody"' }).isVisible(), 'an operation can be tried');

  t.strictSame(outside, [], 'nothing comes from another address');
  for (const address of ['docs/', 'docs/index.html', 'docs/swagger-ui-licence.txt']) {
    t.equal((await fetch(stage.url + address)).status, 200, address);
  }
  await page.locator('#operations-about-getAbout').getByRole('button', { name: 'Cancel' }).waitFor();
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
    }
});
