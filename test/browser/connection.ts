/** A page that is left open: it notices that the gateway is gone, comes back by itself, and starts again after sleep. */
import t from 'tap';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('a page that is left open is right again by itself', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const page = await stage.browse('about:blank');
  let sockets = 0;
  page.on('websocket', () => {
    sockets += 1;
  });
  await page.goto(stage.url);
  await page.getByText('1 meter').waitFor();
  t.equal(sockets, 1, 'one WebSocket for all meters');

  // The event of a browser when the computer is awake and has a network again.
  const again = page.waitForEvent('websocket');
  await page.evaluate("dispatchEvent(new Event('online'))");
  await again;
  await page.getByText('1 meter').waitFor();
  t.ok(await page.getByText('1 meter').isVisible(), 'after sleep it does not trust the old connection');

  await page.locator('.level:not(.old) .value', { hasText: /\d/ }).first().waitFor();
  await page.context().setOffline(true);
  await stage.gateway.stop();
  await page.getByText(/The gateway has not answered for/).waitFor();
  await page.locator('.level.old').first().waitFor();
  t.ok(
    await page.locator('.level.old').first().isVisible(),
    'a gateway that is gone is said, and no value looks fresh',
  );
});
