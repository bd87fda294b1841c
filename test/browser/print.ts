/** Pages on paper, and the list of meters on a tablet. */
import t from 'tap';
import { record } from './support/levels.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('on paper there are no controls, on a tablet the small lines stay', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  await record(stage);
  const page = await stage.open('m/roof/days', { colorScheme: 'dark' });
  await page.locator('a.day').first().waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  for (const path of ['', 'm/roof', 'm/roof/history', 'm/roof/days', 'alerts', 'settings']) {
    await page.goto(`${stage.url}${path}`);
    await page.locator('main h1').first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {});
    t.equal(await page.locator('button:visible, form:visible, nav:visible').count(), 0, `/${path} has no controls`);
    t.ok((await page.locator('main').innerText()).length > 10, `/${path} has its content`);
  }
  const tablet = await stage.open('', { viewport: { width: 800, height: 1_100 } });
  await tablet.locator('.spark-cell').waitFor();
  t.ok(await tablet.locator('.spark-cell').isVisible());
});
