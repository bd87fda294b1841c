/**
 * The list of twelve meters, open for a virtual week: a reading a minute, meters that stop and start again, and an alert each time. What
 * the page holds after each virtual day, against the first. A whole gateway and a real Chromium, both on a clock that is moved.
 * Exits with 1 when it grows. `node bench/page-week.ts [days]`; without a browser it says so and measures nothing.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startGateway } from '../lib/app/gateway.ts';
import { createLog } from '../lib/log.ts';
import { VirtualClock } from '../simulator/clock.ts';

const METERS = 12;
const DAYS = Number(process.argv[2] ?? 7);
/** Shorter than the silence after which a page looks for its gateway. */
const STEP_MS = 20_000;
const DAY_MS = 86_400_000;
const MOST_MB = 2;
const MOST_NODES = 500;
const MB = 1_048_576;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PLUGIN = fileURLToPath(new URL('setting/minutes-plugin.ts', import.meta.url));
const RULE = { name: 'Stopped', kind: 'device', condition: 'not_measuring', for: '1m' };

if (existsSync(CHROMIUM)) await measure();
else console.log(`no browser at ${CHROMIUM}: nothing was measured`);

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
  const clock = new VirtualClock(Date.now());
  const places = { data_dir: join(folder, 'data'), key_file: join(folder, 'key') };
  const plugins = ['config', 'status', 'live', 'about', 'history', 'alerts', 'dashboard', PLUGIN];
  const gateway = await startGateway({ port: 0, ...places, plugins }, { clock, log: createLog('silent') });
  const { configs } = gateway.store;
  const units = Array.from({ length: METERS }, (_, index) => `unit-${index + 1}`);
  for (const [index, unitId] of units.entries()) {
    const own = { unitId, host: '192.0.2.40', tcpPort: 2_000 + index, pollEnabled: false, history: 'off' } as const;
    await configs.change(unitId, () => ({ ...configs.defaults, ...own }));
  }
  await clock.until(
    fetch(`${gateway.baseUrl}/_alerts/rules`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...RULE, units }),
    }),
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.clock.install({ time: clock.now() });
    await clock.until(page.goto(new URL('/', gateway.baseUrl).href));
    await clock.until(page.getByText(`${METERS} meters`).waitFor());
    await days(page, clock);
  } finally {
    await browser.close();
    await clock.until(gateway.stop());
    await rm(folder, { recursive: true, force: true });
  }
}

async function days(page: Page, clock: VirtualClock): Promise<void> {
  const tab = await page.context().newCDPSession(page);
  let first: { readonly mb: number; readonly nodes: number } | undefined;
  for (let day = 1; day <= DAYS; day++) {
    for (let at = 0; at < DAY_MS; at += STEP_MS) {
      await clock.advance(STEP_MS);
      await page.clock.fastForward(STEP_MS);
    }
    await tab.send('HeapProfiler.collectGarbage');
    const mb = (await tab.send('Runtime.getHeapUsage')).usedSize / MB;
    const { nodes } = await tab.send('Memory.getDOMCounters');
    const shown = await page.locator('main time').first().textContent();
    console.log(`day ${day}: ${mb.toFixed(1)} MB, ${nodes} nodes, the first meter is shown with the age "${shown}"`);
    first ??= { mb, nodes };
    if (mb - first.mb > MOST_MB || nodes - first.nodes > MOST_NODES) process.exitCode = 1;
  }
}
