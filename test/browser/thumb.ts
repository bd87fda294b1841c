/** The page of alerts on a telephone of 390 px: an event is acknowledged with one thumb. */
import t from 'tap';
import { addLoud } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'an event is acknowledged with one thumb on a telephone', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const rule = { name: 'Limit of the day', kind: 'level', quantity: 'leq', window: '15m', limit_db: 70 } as const;
  await stage.client.addAlertRule({ ...rule, units: ['roof'] });
  await addLoud(stage);
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
