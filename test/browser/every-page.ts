/** Every page of the dashboard on a telephone, in German with its long words, under axe. */
import t from 'tap';
import { looksAt, looksAtReport, openHardStage } from './support/looks.ts';
import { inBrowser, NO_BROWSER, openStage } from './support/stage.ts';

inBrowser(t, 'every page is fit for everybody, and its links lead somewhere', async (t) => {
  const stage = await openHardStage(t);
  const links = await looksAt(t, stage, { width: 390, locale: 'de' });
  const root = new URL('/', stage.url).href;
  // The card of this test is made up: its files cannot be loaded.
  const own = [...links].filter(([address]) => address.startsWith(root) && !/\/(ftp|files)\//.test(address));
  t.ok(own.length > 20, `${own.length} links`);
  t.ok(links.has(stage.url), 'the logo leads to the first page');
  for (const [address, path] of own) {
    const { status } = await fetch(address, { headers: { Accept: 'text/html' } });
    t.ok(status < 400, `/${path} links to ${address}, which answers ${status} in a new tab`);
  }
});

t.test('the report is fit for a phone, and for everybody', { skip: NO_BROWSER }, (t) => looksAtReport(t, 390));

inBrowser(t, 'an address that is no page shows one, as a 404 with a way home', async (t) => {
  const stage = await openStage(t);
  const page = await stage.open('');
  for (const path of ['nowhere', 'm/roof/nothing/at/all', 'm/%zz']) {
    const answer = await page.goto(`${stage.url}${path}`);
    await page.getByRole('heading', { name: /There is no (such page|meter)/ }).waitFor();
    if (path !== 'm/%zz') t.equal(answer?.status(), 404, path);
    await page.getByRole('link', { name: 'All meters' }).click();
    await page.getByRole('heading', { name: 'Meters' }).waitFor();
  }
  const asked = await fetch(`${stage.url}nowhere`);
  t.match(asked.headers.get('content-type'), /json/, 'a program gets a problem');
  const api = await fetch(`${stage.gateway.baseUrl}/no/such/path`, { headers: { Accept: 'text/html' } });
  t.match(api.headers.get('content-type'), /json/, 'and the API has no pages');
});
