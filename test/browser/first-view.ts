/** Cost of the first view of many meters: requests, bytes, and the work to the rows. On a slow line it is never empty. */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { CDPSession, Page } from 'playwright-core';
import t from 'tap';
import { WebSocket } from 'ws';
import { EVERY_DAY } from './support/levels.ts';
import { inBrowser, openStage, type Stage } from './support/stage.ts';

const MOST = 300;

/** Adds meters that nobody reads, with two minutes of levels each. */
async function addMeters(stage: Stage, first: number, last: number): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const levels = { steps: 10, leq: 54.3, lmax: 61, lmin: 49, lpeak: 75, lp: Array(10).fill(54) };
  for (let number = first; number <= last; number++) {
    const own = { host: '192.0.2.40', tcpPort: 2_000 + number, pollEnabled: false, history: 'poll' } as const;
    await stage.addMeter(`unit-${number}`, own);
    const seconds = Array.from({ length: 120 }, (_, index) => ({ at: now - 180 + index, ...levels }));
    const weighting = { frequency: 'A', time: 'F' } as const;
    stage.gateway.history.append({ unitId: `unit-${number}`, source: 'card', weighting, seconds });
  }
  await stage.gateway.history.flush();
}

interface FirstView {
  /** Paths and WebSockets, in their order, without those that come some seconds later. */
  asked(): readonly string[];
  /** By HTTP and of the first message, on the line. */
  bytes(): Promise<number>;
  /** CPU time of the main thread of the page so far, s. */
  work(): Promise<number>;
}

/** After two seconds the page asks for working parts, after three for a plan and the script of other pages. */
const isLater = (path: string) => path === '/health' || path.endsWith('/_plan');

/** Watches a page that shows nothing yet. */
async function watch(stage: Stage, page: Page): Promise<FirstView> {
  await page.addInitScript(NOTE_ROWS);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  page.on('websocket', (socket) => asked.push(new URL(socket.url()).pathname));
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Performance.enable');
  const paths = new Map<string, string>();
  const sizes = new Map<string, number>();
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sizes.set(paths.get(requestId) ?? '', encodedDataLength);
  });
  // On a slow computer the script of other pages comes before the rows.
  const first = () => {
    const [, ...later] = asked.filter((path) => path.endsWith('.js'));
    return asked.filter((path) => !isLater(path) && !later.includes(path));
  };
  return {
    asked: first,
    async bytes() {
      const counted = first().map((path) => sizes.get(path) ?? 0);
      // The browser does not tell what its WebSocket took on the line.
      return counted.reduce((sum, size) => sum + size, await bytesOfHello(stage.gateway.baseUrl));
    },
    work: () => workOf(network),
  };
}

inBrowser(
  t,
  'the list of meters is the first view of 12, 60, 100 and 300 meters where its address says so',
  async (t) => {
    const stage = await openStage(t);
    let present = 0;
    for (const meters of [12, 60, 100, MOST]) {
      await addMeters(stage, present + 1, meters);
      present = meters;
      const page = await stage.browse('about:blank');
      const view = await watch(stage, page);
      await page.goto(`${stage.url}?view=list`);
      await page.getByText(`${meters} meters`).waitFor();
      const work = await view.work();
      await page.locator('.spark').first().waitFor();
      const bytes = await view.bytes();
      t.ok(bytes <= 120_000, `${bytes} bytes at ${meters} meters`);
      const asked = view.asked();
      t.ok(asked.length <= 8, `${asked.length} requests: ${asked.join(' ')}`);
      t.equal(asked.filter((path) => path.endsWith('/history')).length, 0, 'none for each meter');
      // How long it takes depends on what else the computer does; the work of the browser does not.
      t.ok(work < 1, `${work.toFixed(2)} s of work to the rows of ${meters} meters`);
      const firstRows = Number(await page.evaluate('window.rowsFirst'));
      t.ok(firstRows >= 12 && firstRows <= 40, `${firstRows} rows are drawn first, more than the screen has: not all`);
      await page
        .locator('.unit-row')
        .nth(meters - 1)
        .waitFor({ state: 'attached' });
      t.equal(await page.locator('.unit-row').count(), meters, 'then the others');
      const { paint, rows } = await timesOf(page);
      t.comment(`${meters} meters: first contentful paint after ${paint} ms, rows after ${rows} ms`);
      await page.context().close();
    }
    const lines = await fetch(`${stage.gateway.baseUrl}/_history/lines`);
    const { data } = (await lines.json()) as { data: { units: readonly { levels: readonly (number | null)[] }[] } };
    t.equal(data.units.length, MOST);
    t.ok(
      data.units.every(({ levels }) => levels.length === 60 && levels.filter((level) => level === 54.3).length >= 10),
    );
  },
);

inBrowser(t, 'Overview has the rows of 60 meters before the verdicts, in 8 requests', async (t) => {
  const stage = await openStage(t);
  const meters = 60;
  await addMeters(stage, 1, meters);
  const limits = [{ index: 'leq', window: '15m', from: '00:00', to: '24:00', days: EVERY_DAY, limit_db: 55 }];
  const units = Array.from({ length: meters / 2 }, (_, index) => `unit-${index + 1}`);
  await stage.client.call('/_permits/site-a', { method: 'PUT', body: { title: 'Site A', units, limits } });
  const page = await stage.browse('about:blank');
  const view = await watch(stage, page);
  const verdicts = Promise.withResolvers<void>();
  await page.route(/_verdicts/, async (route) => {
    await verdicts.promise;
    await route.continue();
  });
  await page.goto(stage.url);
  const site = page.getByRole('region', { name: 'Site A' });
  await site.getByText('The verdict about yesterday is being asked for').waitFor();
  t.equal(await page.locator('.weeks li').count(), meters);
  t.equal(await page.getByText('Nothing needs a person now.').count(), 0, 'nobody knows it yet');
  const { rows } = await timesOf(page);
  t.comment(`${meters} meters: rows of Overview after ${rows} ms, ${(await view.work()).toFixed(2)} s of work`);
  verdicts.resolve();
  await site.getByText('Yesterday cannot be judged').waitFor();
  // They are asked for when the rows are there.
  const isOfVerdicts = (path: string) => /_(verdicts|alerts\/days|stations|calibrations)$/.test(path);
  const asked = view.asked();
  const before = asked.slice(0, asked.findIndex(isOfVerdicts));
  t.ok(before.length <= 8, `${before.length} requests: ${before.join(' ')}`);
  t.strictSame(
    asked.slice(before.length).filter((path) => !isOfVerdicts(path)),
    [],
    'nothing else later',
  );
  const bytes = await view.bytes();
  t.ok(bytes <= 120_000, `${bytes} bytes with the verdicts`);
});

inBrowser(t, 'on a slow line the page has an outline of its parts', async (t) => {
  const stage = await openStage(t);
  await addMeters(stage, 1, 2);
  const page = await stage.browse('about:blank');
  const script = Promise.withResolvers<void>();
  const levels = Promise.withResolvers<void>();
  await page.route(/dashboard-.*\.js$/, async (route) => {
    await script.promise;
    await route.continue();
  });
  await page.routeWebSocket(/_live/, async (socket) => {
    const server = socket.connectToServer();
    server.onMessage(async (message) => {
      await levels.promise;
      socket.send(message);
    });
  });
  const there = page.goto(`${stage.url}?view=list`);
  await page.locator('.bone').first().waitFor();
  t.equal(await page.getByRole('navigation').count(), 0, 'before the script is there');
  script.resolve();
  await there;
  await page.getByText('The meters are being asked for ...').waitFor();
  t.ok(await page.locator('.bone').first().isVisible(), 'before the levels are there');
  levels.resolve();
  await page.getByText('2 meters').waitFor();
  t.equal(await page.locator('.bone').count(), 0);
});

/** Notes when the first row is drawn. */
const NOTE_ROWS = `new MutationObserver((_, watch) => {
  if (!document.querySelector('.unit-row, .weeks li')) return;
  watch.disconnect();
  window.rowsFirst = document.querySelectorAll('.unit-row').length;
  requestAnimationFrame(() => { window.rowsAt = performance.now(); });
}).observe(document, { childList: true, subtree: true })`;

/** ms since the navigation began. */
async function timesOf(page: Page): Promise<{ readonly paint: number; readonly rows: number }> {
  return page.evaluate(`({
    paint: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
    rows: Math.round(window.rowsAt),
  })`);
}

/** CPU time of the main thread of the page so far, s. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.POSITIVE_INFINITY;
}

/** On the line, until the first message of a browser's socket of all meters is there. */
async function bytesOfHello(baseUrl: string): Promise<number> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/_live`);
  const line = new Promise<Socket>((resolve) => socket.once('upgrade', (answer) => resolve(answer.socket)));
  await once(socket, 'message');
  const { bytesRead } = await line;
  socket.terminate();
  return bytesRead;
}
