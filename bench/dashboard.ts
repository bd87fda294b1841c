/**
 * How soon 12, 100 and 300 meters are there: the first contentful paint and the first rows, in a browser that knows nothing yet. Then
 * what the list of 300 meters costs the browser while each has a new reading every second: CPU of the renderer, and memory
 * every ten minutes against memory at the beginning. A whole gateway, a real Chromium, no meters. Exits with 1 when a bound is broken.
 * `node bench/dashboard.ts [seconds] [plan]`, with the plan in place of the list; without a browser it says so and measures nothing.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type CDPSession, chromium } from 'playwright-core';
import { startGateway } from '../lib/app/gateway.ts';
import { createLog } from '../lib/log.ts';

const METERS = 300;
/** Meters at which the first view is measured. */
const FIRST_VIEWS = [12, 100, METERS];
/** Of each; the median counts. */
const VIEWS = 5;
/** From the beginning of the navigation to the first rows. */
const ROWS_MS = 1_000;
const SECONDS = Number(process.argv[2] ?? 120);
const isPlan = process.argv[3] === 'plan';
/** The small lines of ten minutes fill up first: they are part of what is held. */
const WARM_S = 30;
/** So long a small line is: from then on as much goes as comes. */
const LINE_S = 600;
const BOUND = { core: 0.3, mb: 8, mbFull: 2 };
const LOOKS = 5;
const LOOK_MS = 700;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PLUGIN = fileURLToPath(new URL('setting/readings-plugin.ts', import.meta.url));
const MB = 1_048_576;

if (existsSync(CHROMIUM)) await measure();
else console.log(`no browser at ${CHROMIUM}: nothing was measured`);

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const gateway = await startGateway(
    {
      port: 0,
      data_dir: join(folder, 'data'),
      key_file: join(folder, 'key'),
      allow_loopback_meters: true,
      plugins: ['config', 'status', 'live', 'about', 'history', 'alerts', 'dashboard', PLUGIN],
    },
    { log: createLog('silent') },
  );
  const { configs } = gateway.store;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  for (let number = 1; number <= METERS; number++) {
    const own = { unitId: `unit-${number}`, host: '192.0.2.40', tcpPort: 2_000 + number, pollEnabled: false };
    // The first is away from the others, with its own label.
    const place = {
      latitude: number === 1 ? 55.6 : 55.5 + number / 10_000,
      longitude: 3.5 + ((number * 0.618_034) % 1) / 10,
    };
    const more = { ...place, pollIntervalSeconds: 1, history: 'off' } as const;
    await configs.change(own.unitId, () => ({ ...configs.defaults, ...own, ...more }));
    if (FIRST_VIEWS.includes(number)) await firstViews(browser, new URL('/', gateway.baseUrl).href, number);
  }
  try {
    await watch(browser, new URL(isPlan ? '/?view=plan' : '/', gateway.baseUrl).href);
  } finally {
    await browser.close();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each in a context of its own: nothing is in a cache. */
async function firstViews(browser: Browser, address: string, meters: number): Promise<void> {
  const found: { readonly paint: number; readonly rows: number }[] = [];
  for (let turn = 0; turn < VIEWS; turn++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByRole('list', { name: 'Meters' }).getByRole('listitem').first().waitFor();
    const rows = Number(await page.evaluate('performance.now()'));
    await page.getByText(`${meters} meters`).waitFor();
    const paint = await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime');
    found.push({ paint: Number(paint), rows });
    await page.context().close();
  }
  const [paint, rows] = [medianOf(found.map((one) => one.paint)), medianOf(found.map((one) => one.rows))];
  console.log(
    `first view  ${meters} meters: painted after ${paint.toFixed(0)} ms, rows after ${rows.toFixed(0)} ms (at most ${ROWS_MS})`,
  );
  if (rows > ROWS_MS) process.exitCode = 1;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function watch(browser: Browser, address: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.getByText(`${METERS} meters`).waitFor();
  const tab = await page.context().newCDPSession(page);
  await setTimeout(WARM_S * 1_000);
  const begun = performance.now();
  const cpuBefore = await rendererSeconds(browser);
  const first = await shownHeld(tab, 0);
  let [full, last] = [first, first];
  for (let at = 0; at < SECONDS; ) {
    const next = Math.min(at + LINE_S, SECONDS);
    await setTimeout(begun + next * 1_000 - performance.now());
    at = next;
    last = await shownHeld(tab, at);
    if (at <= LINE_S) full = last;
  }
  const core = (await rendererSeconds(browser)) - cpuBefore;
  const share = core / ((performance.now() - begun) / 1_000);
  const age = await page.locator('main time').first().textContent();
  const grown = (last - first) / MB;
  const grownFull = (last - full) / MB;
  console.log(
    `renderer    ${METERS} meters at 1 Hz: ${(100 * share).toFixed(1)} % of a core (at most ${100 * BOUND.core} %)`,
  );
  console.log(`grown       ${grown.toFixed(1)} MB (at most ${BOUND.mb})`);
  if (SECONDS > LINE_S)
    console.log(`            ${grownFull.toFixed(1)} MB since the lines were full (at most ${BOUND.mbFull})`);
  console.log(`fresh       the first meter is shown with the age "${age}"`);
  if (share > BOUND.core || grown > BOUND.mb || grownFull > BOUND.mbFull) process.exitCode = 1;
}

/**
 * Bytes of JavaScript, and nodes of the page, after a garbage collection: the least of some, as what has come and is not drawn
 * yet is held as well, and is more while the machine has no time for the browser.
 */
async function shownHeld(tab: CDPSession, at: number): Promise<number> {
  const found: { readonly bytes: number; readonly nodes: number }[] = [];
  for (let turn = 0; turn < LOOKS; turn++) {
    await setTimeout(LOOK_MS);
    await tab.send('HeapProfiler.collectGarbage');
    const { usedSize } = await tab.send('Runtime.getHeapUsage');
    found.push({ bytes: usedSize, nodes: (await tab.send('Memory.getDOMCounters')).nodes });
  }
  const bytes = Math.min(...found.map((one) => one.bytes));
  const nodes = Math.min(...found.map((one) => one.nodes));
  console.log(
    `after ${String(at).padStart(4)} s ${(bytes / MB).toFixed(1).padStart(5)} MB, ${nodes} nodes of the page`,
  );
  return bytes;
}

/** CPU seconds of all renderers. */
async function rendererSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
