/** The dashboard behind a proxy that adds a path prefix, and its share of the bytes of the first view. */

import { gzipSync } from 'node:zlib';
import t from 'tap';
import { behindPrefix } from './support/prefix-proxy.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'every page works behind a path prefix, live values too', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof');
  const address = await behindPrefix(t, stage.url, '/noise/site-a');
  const page = await stage.browse(address);
  await page.getByRole('link', { name: /roof/ }).click();
  await page.getByText('live, ten times a second').waitFor();
  t.equal(new URL(page.url()).pathname, '/noise/site-a/m/roof');
  await page.getByRole('link', { name: 'History' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Week' }).waitFor();
  t.equal(new URL(page.url()).pathname, '/noise/site-a/m/roof/history', 'a deep link is its own address');
  await page.goBack();
  await page.getByText('live, ten times a second').waitFor();
  t.ok(await page.getByText('live, ten times a second').isVisible(), 'and the button back goes back');
  await page.goto(`${address}docs`);
  await page.getByRole('heading', { name: 'slm-gateway' }).waitFor();
  await page.getByText('about', { exact: true }).click();
  const about = page.locator('#getAbout');
  await about.locator('summary').first().click();
  const asked = page.waitForRequest((request) => request.url().endsWith('/_about'));
  await about.getByRole('button', { name: 'Send' }).click();
  t.equal(
    (await asked).url(),
    `${address}api/nl43/_about`,
    'the API pages find their document, and ask behind the prefix',
  );
});

inBrowser(t, 'the first view is small', async (t) => {
  const stage = await openStage(t);
  const page = await (await fetch(stage.url)).text();
  const names = [...page.matchAll(/(?:src|href)="(dashboard-[^"]+)"/g)].map(([, name]) => name);
  t.equal(names.length, 1, 'the styles are in the page');
  let size = gzipSync(page).length;
  for (const name of names) {
    const answer = await fetch(`${stage.url}${name}`, { headers: { 'Accept-Encoding': 'gzip' } });
    t.match(answer.headers.get('cache-control'), /immutable/);
    size += Number(answer.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  }
  t.ok(size < 50_000, `first view: ${size} bytes compressed`);
});
