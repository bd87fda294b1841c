/** Units of another gateway on the pages of this one: with their age, also when that gateway does not answer. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

const UNITS = { data: [{ unit_id: 'quay', name: '<b>Quay</b>', lp: 61.2 }] };

inBrowser(t, 'units of a site that stops to answer stay on the pages, with their age', async (t) => {
  const north = createServer((_, answer) => answer.end(JSON.stringify(UNITS))).listen(0, '127.0.0.1');
  t.teardown(() => north.close());
  await once(north, 'listening');
  const address = `http://127.0.0.1:${(north.address() as AddressInfo).port}`;
  const { open } = await openStage(t, {
    sites: [
      { name: 'North', address, key: '' },
      { name: 'Nowhere', address: 'http://127.0.0.1:1', key: '' },
    ],
    outbound_allow_networks: ['127.0.0.0/8'],
  });
  for (const path of ['overview', '']) {
    const page = await open(path);
    const site = page.getByRole('region', { name: 'North' });
    await site.getByText(/^read \d+ s ago$/).waitFor();
    const unit = site.getByRole('listitem');
    t.match(await unit.textContent(), /<b>Quay<\/b>.*61\.2/);
    t.equal(await unit.getByRole('link').getAttribute('href'), `${address}/m/quay`);
    await page.getByRole('region', { name: 'Nowhere' }).getByText('does not answer', { exact: true }).waitFor();
  }
  const page = await open('overview');
  const site = page.getByRole('region', { name: 'North' });
  await site.getByText(/^read/).waitFor();
  north.close();
  north.closeAllConnections();
  await site.locator('.said.bad').waitFor();
  t.match(await site.textContent(), /does not answer; values are \d+ s old/, 'without a click');
  t.match(await site.getByRole('listitem').textContent(), /61\.2/);
});
