/** The page of alerts on a telephone of 390 px: an event is acknowledged with one thumb. */
import t from 'tap';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('an event is acknowledged with one thumb on a telephone', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const { baseUrl, history } = stage.gateway;
  await stage.addMeter('roof', { name: 'Roof' });
  const rule = {
    name: 'Limit of the day',
    units: ['roof'],
    kind: 'level',
    quantity: 'leq',
    window: '15m',
    limit_db: 70,
  };
  const made = await fetch(`${baseUrl}/_alerts/rules`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(rule),
  });
  t.equal(made.status, 201);
  const at = Math.floor(Date.now() / 1_000);
  const loud = { steps: 10, leq: 101.2, lmax: 104, lmin: 99, lpeak: 118, lp: Array(10).fill(101) };
  history.append({
    unitId: 'roof',
    source: 'stream',
    weighting: { frequency: 'A', time: 'F' },
    seconds: [{ at, ...loud }],
  });
  const page = await stage.open('alerts', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const button = page.getByRole('button', { name: 'Acknowledge' });
  await button.waitFor();
  const box = await button.boundingBox();
  t.ok(box && box.height >= 44, 'as high as a thumb needs');
  t.ok(box && box.x + box.width <= 390, 'on the screen');
  t.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 390, 'nothing to scroll sideways');
  const places = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  for (const place of await places.all()) {
    const within = await place.boundingBox();
    t.ok(within && within.x + within.width <= 390 - 12, `${await place.innerText()} is in view, not at the edge`);
  }
  const note = await page.getByPlaceholder('What is done about it').boundingBox();
  t.ok(note && note.height >= 44, 'the note, too');
  await button.tap();
  await page.getByText('Acknowledged by').waitFor();
});
