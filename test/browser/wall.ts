/** The wall screen in a real browser: no controls, the loud meter first, and plain at once when it is out of date. */
import t from 'tap';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('one large screen says what is loud, and when it is out of date', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('gate', { name: 'Gate', host: '192.0.2.40', pollEnabled: false });
  await stage.addMeter('roof', { name: 'Roof' });
  const page = await stage.open('wall', { viewport: { width: 1920, height: 1080 } });
  const tiles = page.getByRole('listitem');
  await tiles
    .filter({ hasText: 'Roof' })
    .getByText(/^[0-9.]+ dB LAF$/)
    .waitFor();
  await page.getByText(/^2 meters, .*[12] without a fresh level$/).waitFor();
  t.ok(await tiles.filter({ hasText: 'Gate' }).getByText('no level yet').isVisible(), 'silence does not look well');
  t.equal(await page.locator('button, input, select, a, nav').count(), 0, 'there are no controls');
  const place = await tiles.last().boundingBox();
  t.ok(place && place.y + place.height <= 1_080, 'all of it is in view');
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
