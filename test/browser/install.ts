/** The dashboard as an app on a telephone: Chromium itself says whether it can be installed. */
import { chromium } from 'playwright-core';
import t from 'tap';
import { behindPrefix } from './support/prefix-proxy.ts';
import { NO_WHOLE_BROWSER, openStage, WHOLE_CHROMIUM } from './support/stage.ts';

interface Manifest {
  readonly icons: readonly { readonly src: string; readonly sizes: string }[];
  readonly start_url: string;
  readonly scope: string;
  readonly shortcuts: readonly { readonly url: string }[];
}

t.test('the dashboard can be installed, also below the path of a proxy', { skip: NO_WHOLE_BROWSER }, async (t) => {
  const stage = await openStage(t);
  const outside = await behindPrefix(t, stage.url, '/site-7');
  // With a profile of its own: in the usual contexts of tests, which are private ones, nothing can be installed.
  const browser = await chromium.launchPersistentContext(t.testdir(), {
    executablePath: WHOLE_CHROMIUM,
    args: ['--no-sandbox'],
    viewport: { width: 390, height: 844 },
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  for (const address of [stage.url, outside]) {
    // A page below the first one: the manifest is found from there, too.
    await page.goto(`${address}alerts`);
    await page.getByText('There are no rules yet.').waitFor();
    const session = await page.context().newCDPSession(page);
    const { url, errors, data = '' } = await session.send('Page.getAppManifest');
    t.strictSame([url, errors], [`${address}app.webmanifest`, []]);
    t.strictSame((await session.send('Page.getInstallabilityErrors')).installabilityErrors, []);
    const manifest: Manifest = JSON.parse(data);
    for (const path of [manifest.start_url, manifest.scope]) t.equal(new URL(path, url).href, address);
    for (const shortcut of manifest.shortcuts) t.equal((await fetch(new URL(shortcut.url, url))).status, 200);
    const answer = await fetch(url);
    t.match(answer.headers.get('content-type'), /^application\/manifest\+json/);
    t.equal(answer.headers.get('cache-control'), 'public, no-cache', 'a new version of it is seen at once');
    for (const { src, sizes } of [...manifest.icons, { src: 'icon-180.png', sizes: '180x180' }]) {
      const icon = new URL(src, url).href;
      t.equal((await fetch(icon)).headers.get('cache-control'), 'public, no-cache', src);
      const size = await page.evaluate<string>(
        `(async () => { const icon = new Image(); icon.src = ${JSON.stringify(icon)}; await icon.decode(); return icon.naturalWidth + 'x' + icon.naturalHeight; })()`,
      );
      if (sizes !== 'any') t.equal(size, sizes, src);
    }
    t.equal(await page.locator('link[rel=apple-touch-icon]').getAttribute('href'), 'icon-180.png');
  }
});
