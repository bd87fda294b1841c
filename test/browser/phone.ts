/** The dashboard on a telephone: without a gateway, after a new version of it, and with notifications. */
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { inBrowser, NO_WHOLE_BROWSER, openStage, WHOLE_CHROMIUM } from './support/stage.ts';

/** As `support/until-true.ts`, by a timer: a page with a profile of its own may draw no pictures. */
async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.evaluate('new Promise((next) => setTimeout(next, 50))');
}

const PROXY_PASSWORD = { username: 'site', password: 'nine quiet owls' };
const BASIC = `Basic ${btoa(`${PROXY_PASSWORD.username}:${PROXY_PASSWORD.password}`)}`;

const PHONE = { viewport: { width: 390, height: 844 } };

/**
 * In front of a gateway, at an address that stays: it can be gone, and it can be a newer one, whose page says so, whose scripts have other
 * names, and which has none of the old ones. It can ask for a password, as a proxy of a company does.
 */
async function front(t: Test, target: string) {
  const { hostname, port } = new URL(target);
  const state = { isGone: false, isNew: false, asksPassword: false };
  const oldName = (path: string) => path.replace('/dashboard-NEW', '/dashboard-');
  const newNames = (text: string) =>
    text
      .replaceAll(/dashboard-([A-Z0-9]{8})\.(js|css)/g, 'dashboard-NEW$1.$2')
      .replace('<html lang', '<html data-build="new" lang');
  const server = createServer((incoming, answer) => {
    if (state.isGone) return void incoming.socket.destroy();
    if (state.asksPassword && incoming.headers.authorization !== BASIC)
      return void answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="site"' }).end('a password is needed');
    const path = incoming.url ?? '/';
    const isOldFile = /\/dashboard-(?!NEW)/.test(path);
    if (state.isNew && isOldFile) return void answer.writeHead(404).end();
    const options = { hostname, port, method: incoming.method, path: oldName(path), headers: { ...incoming.headers } };
    const isText = !path.startsWith('/api/') && !/\.(png|svg)/.test(path);
    // The browser's knowledge of one build is not true for the other.
    if (isText) for (const name of ['accept-encoding', 'if-none-match']) delete options.headers[name];
    const outgoing = request(options, (response) => void pass(response));
    const pass = async (response: IncomingMessage) => {
      if (!state.isNew || !isText) {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
        return;
      }
      const text = newNames(Buffer.concat(await response.toArray()).toString());
      const { 'content-length': _, etag: __, ...headers } = response.headers;
      answer.writeHead(response.statusCode ?? 502, headers).end(text);
    };
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  server.on('upgrade', (incoming, socket) => {
    socket.on('error', () => {});
    if (state.isGone) return void socket.destroy();
    const outgoing = request({ hostname, port, path: incoming.url, headers: incoming.headers });
    outgoing.on('upgrade', (response, upstream, first) => {
      const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(['HTTP/1.1 101 Switching Protocols', ...headers, '', ''].join('\r\n'));
      socket.write(first);
      upstream.pipe(socket).pipe(upstream);
      upstream.on('error', () => socket.destroy());
    });
    outgoing.on('error', () => socket.destroy());
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  t.teardown(close);
  const goAway = () => {
    state.isGone = true;
    server.closeAllConnections();
  };
  return { state, goAway, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const isActive = `navigator.serviceWorker.getRegistration().then((one) => one?.active?.state === 'activated')`;

inBrowser(
  t,
  'without a gateway the last values are shown with their age; a newer gateway never meets the old page',
  async (t) => {
    const stage = await openStage(t);
    await stage.addMeter('roof', { name: 'Roof' });
    const gateway = await front(t, stage.url);
    const page = await stage.browse(gateway.url, PHONE);
    await page
      .getByText(/\d\d\.\d/)
      .first()
      .waitFor();
    await untilTrue(page, isActive);
    const worker = await fetch(`${gateway.url}sw.js`);
    t.equal(
      worker.headers.get('cache-control'),
      'public, no-cache',
      'no name with a hash: a new version is seen at once',
    );
    t.match((await fetch(gateway.url)).headers.get('content-security-policy'), /worker-src 'self'/);

    gateway.goAway();
    // An address deeper than the first page: the kept page knows its root there, too.
    await page.goto(`${gateway.url}m/roof`, { waitUntil: 'commit' });
    await page.getByText(/The gateway has not answered for/).waitFor();
    await page.getByRole('heading', { name: 'Roof' }).waitFor();
    await page.goto(gateway.url);
    await page.getByRole('link', { name: 'Roof' }).first().waitFor();
    await page
      .getByText(/\d+ s ago/)
      .first()
      .waitFor();
    t.equal(await page.locator('html').getAttribute('data-kept'), '');

    gateway.state.isNew = true;
    gateway.state.isGone = false;
    await page.locator('html[data-build=new]').waitFor({ state: 'attached' });
    t.equal(await page.locator('html[data-kept]').count(), 0, 'the present page took the place of the kept one');
    await page.getByRole('link', { name: 'Roof' }).first().waitFor();
    await untilTrue(
      page,
      `caches.keys().then((names) => names.filter((name) => name.startsWith('shell-')).length === 1)`,
    );
    await page.reload();
    await page.locator('html[data-build=new]').waitFor({ state: 'attached' });
    const script = await page.locator('script[type=module]').getAttribute('src');
    t.match(script, /^dashboard-NEW/);
    await untilTrue(page, `caches.match(${JSON.stringify(script)}).then((kept) => kept !== undefined)`);
    // The worker of the new build has taken over.
    await untilTrue(
      page,
      `navigator.serviceWorker.getRegistration().then((one) => one.active?.state === 'activated' && !one.installing && !one.waiting)`,
    );
    gateway.goAway();
    await page.goto(`${gateway.url}alerts`, { waitUntil: 'commit' });
    await page.locator('html[data-kept][data-build=new]').waitFor({ state: 'attached' });
    // An address that is no page of the dashboard is not answered with a page.
    t.equal(await page.goto(`${gateway.url}s/token`).catch(() => 'not reached'), 'not reached');
  },
);

inBrowser(t, 'when a proxy begins to ask for a password, the browser asks the person', async (t) => {
  const stage = await openStage(t);
  const gateway = await front(t, stage.url);
  const page = await stage.browse(gateway.url, PHONE);
  await untilTrue(page, isActive);
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  const asked: string[] = [];
  // In place of the dialog: what the browser would ask a person.
  session.on('Fetch.requestPaused', ({ requestId }) => session.send('Fetch.continueRequest', { requestId }));
  session.on('Fetch.authRequired', ({ requestId, request: { url } }) => {
    asked.push(url);
    const authChallengeResponse = { response: 'ProvideCredentials', ...PROXY_PASSWORD } as const;
    return session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse });
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
  gateway.state.asksPassword = true;
  const answer = await page.goto(`${gateway.url}alerts`);
  t.equal(answer?.status(), 200);
  t.equal(asked[0], `${gateway.url}alerts`);
  await page.getByRole('heading').first().waitFor();
  t.equal(await page.locator('html[data-kept]').count(), 0);
});

async function phone(t: Test, url: string): Promise<Page> {
  // With a profile of its own: usual contexts of tests have no notifications.
  const context = await chromium.launchPersistentContext(t.testdir(), {
    executablePath: WHOLE_CHROMIUM,
    args: ['--no-sandbox'],
    ...PHONE,
    permissions: ['notifications'],
  });
  t.teardown(() => context.close());
  const page = context.pages()[0] ?? (await context.newPage());
  page.on('pageerror', (error) => t.fail(`the page threw: ${error.message}`));
  await page.goto(`${url}settings/targets`);
  return page;
}

t.test(
  'alerts are turned on in the settings, and say why where they cannot be; a message is shown with its buttons',
  { skip: NO_WHOLE_BROWSER },
  async (t) => {
    const stage = await openStage(t);
    const page = await phone(t, stage.url);
    const button = page.getByRole('button', { name: 'Get alerts in this browser' });
    await button.waitFor();
    const card = page.locator('section[aria-labelledby=phones]');
    t.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'nothing is wider than the telephone',
    );
    await button.click();
    // There is no push service here: the page has the reason of the browser.
    await card.locator('.said.bad').filter({ hasText: /\w+/ }).waitFor();
    await untilTrue(page, isActive);

    const session = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [one] = registrations;
        if (one) resolve(one.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    const registrationId = await registered;
    const push = (data: unknown) =>
      session.send('ServiceWorker.deliverPushMessage', {
        origin: new URL(stage.url).origin,
        registrationId,
        data: JSON.stringify(data),
      });
    const shown = `navigator.serviceWorker.getRegistration().then((one) => one.getNotifications())`;
    const list = `${shown}.then((all) => JSON.stringify(all.map(({ title, body, tag, data, actions }) => ({ title, body, tag, data, actions }))))`;
    const actions = [
      { title: 'Acknowledge', body: {} },
      { title: 'Quiet for an hour', body: {} },
    ];
    const text = {
      version: 1,
      title: 'Alert: Night at Roof',
      body: 'Worst value: 61.2 dB',
      tag: 'event-7',
      open: 'alerts/7',
      actions,
    };
    await push(text);
    await untilTrue(page, `${shown}.then((all) => all.length === 1)`);
    t.match(JSON.parse(await page.evaluate<string>(list)), [
      {
        title: text.title,
        body: text.body,
        tag: 'event-7',
        data: { open: 'alerts/7' },
        actions: [
          { action: '0', title: 'Acknowledge' },
          { action: '1', title: 'Quiet for an hour' },
        ],
      },
    ]);
    await push({ ...text, title: 'Resolved: Night at Roof', actions: [] });
    await untilTrue(page, `${shown}.then((all) => all.length === 1 && all[0].title.startsWith('Resolved'))`);
    await push('a message of another version');
    await untilTrue(page, `${shown}.then((all) => all.some(({ title }) => title === 'An alert'))`);

    const [worker] = page.context().serviceWorkers();
    if (!worker) throw new Error('no worker');
    const asked = await worker.evaluate<string>(`new Promise((resolve) => {
      const before = self.fetch;
      self.fetch = async (address, { body }) => {
        resolve(JSON.stringify([new URL(address).pathname, JSON.parse(body)]));
        return new Response('{}', { status: 201 });
      };
      self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), {
        waitUntil: (done) => done.finally(() => { self.fetch = before; self.isRenewed = true; }),
        oldSubscription: { endpoint: 'https://push.example.org/old' },
        newSubscription: { toJSON: () => ({ endpoint: 'https://push.example.org/new', keys: { p256dh: 'p', auth: 'a' } }) },
      }));
    })`);
    t.strictSame(
      JSON.parse(asked),
      [
        '/api/nl43/_push',
        {
          endpoint: 'https://push.example.org/new',
          keys: { p256dh: 'p', auth: 'a' },
          replaces: 'https://push.example.org/old',
        },
      ],
      'the gateway learns of a subscription that the browser has renewed',
    );
    const lost = `${shown}.then((all) => all.some(({ title }) => /no alerts any more/.test(title)))`;
    t.notOk(await page.evaluate(lost));
    await worker.evaluate(`new Promise((next) => {
      const waitUntil = (done) => done.finally(next);
      self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { waitUntil }));
    })`);
    await untilTrue(page, lost);
  },
);

inBrowser(t, 'the address of a notification shows its event, also below many others', async (t) => {
  const stage = await openStage(t);
  const post = (path: string, body: object) =>
    fetch(`${stage.gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await stage.addMeter('roof', { name: 'Roof' });
  for (let n = 1; n <= 12; n++)
    await post('/_alerts/rules', {
      name: `Rule ${n}`,
      units: ['roof'],
      kind: 'device',
      condition: 'not_measuring',
      for: '0s',
    });
  const count = async () => {
    const answer = await fetch(`${stage.gateway.baseUrl}/_alerts/events?open=true`);
    return ((await answer.json()) as { readonly data: readonly object[] }).data.length;
  };
  const page = await stage.open('', PHONE);
  while ((await count()) < 12) await page.evaluate('new Promise((next) => setTimeout(next, 100))');
  await page.goto(`${stage.url}alerts/1`);
  await page.getByRole('heading', { name: /^Rule 1/ }).waitFor();
});
