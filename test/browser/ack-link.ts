/** The link of a mail on a phone, behind a proxy with a path of its own: one button, and the event is acknowledged. */
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { AckLinks } from '../../plugins/alerts/delivery/signed-links.ts';
import { addLoud } from './support/levels.ts';
import { behindPrefix } from './support/prefix-proxy.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'the button of a mailed link works below a path, with one thumb', async (t) => {
  const stage = await openStage(t);
  const { client } = stage;
  const { baseUrl, store } = stage.gateway;
  await stage.addMeter('roof', { name: 'Roof' });
  const to = ['site@example.org'];
  await client.addAlertTarget({ name: 'Site', kind: 'mail', to });
  const rule = { name: 'Limit', units: ['roof'], kind: 'level', quantity: 'leq', window: '15m', limit_db: 70 } as const;
  await client.addAlertRule({ ...rule, targets: ['1'] });
  await addLoud(stage);
  const newest = async () => (await client.alerts({}))[0];
  let event = await newest();
  for (const end = Date.now() + 20_000; !event && Date.now() < end; event = await newest())
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (!event) throw new Error('the limit was not crossed');

  const outside = await behindPrefix(t, baseUrl, '/site-7');
  const publicUrl = `${outside.slice(0, -1)}${new URL(baseUrl).pathname}`;
  const own = { secrets: store.secrets('alerts'), clock: systemClock, log: createLog('silent') };
  const links = new AckLinks(own, publicUrl);
  const message = { eventId: Number(event.id), type: 'opened', event: { ...event } } as const;
  const link = (await links.linkFor({ id: '1', to }, message)) ?? '';

  const page = await stage.browse(link, { viewport: { width: 390, height: 844 } });
  const button = page.getByRole('button', { name: 'Acknowledge this alert' });
  await button.waitFor();
  const box = await button.boundingBox();
  t.ok(box && box.width > 300 && box.height >= 48, 'large enough for a thumb');
  t.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 390, 'nothing to scroll sideways');
  t.match(await page.getByRole('heading').textContent(), /Limit at Roof/);
  t.equal((await newest())?.ack, null);
  await button.click();
  await page.getByText('The event is acknowledged.').waitFor();
  t.match(await newest(), { ack: { by: 'a link mailed to target 1' } });
  await page.goto(link);
  await page.getByText('The event was acknowledged before').waitFor();
});
