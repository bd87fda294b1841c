/**
 * Takes the pictures of the dashboard in docs/images: `node docs/pictures.ts` starts a demo with a week of past and some
 * meters in trouble, opens every page in Chromium and ends. `node docs/pictures.ts docs/images/pages all` takes each page at two
 * widths, light and dark, as small files.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Client } from '../client/index.ts';
import { PacedClock } from '../simulator/control/paced-clock.ts';
import { startDemo } from '../simulator/demo/demo.ts';
import { startFleet, stopFleet } from '../simulator/fleet.ts';

const FOLDER = process.argv[2] ?? fileURLToPath(new URL('images/', import.meta.url));
const isForAll = process.argv[3] === 'all';
const PAGES: Readonly<Record<string, string>> = {
  fleet: '?view=list',
  plan: '?view=plan',
  meter: 'm/sim-1',
  history: 'm/sim-1/history?last=604800000',
  days: 'm/sim-1/days',
  assessment: 'm/sim-1/assessment',
  evidence: 'm/sim-1/evidence',
  files: 'm/sim-1/files',
  campaign: 'm/sim-2/campaign',
  log: 'm/sim-1/log',
  trouble: 'm/sim-3',
  alerts: 'alerts',
  event: 'alerts/1',
  overview: 'overview',
  compare: 'compare?units=sim-1,sim-2&last=86400000&against=86400000',
  wall: 'wall',
  reports: 'reports',
  settings: 'settings',
  people: 'settings/people',
  recipients: 'settings/targets',
  sites: 'settings/sites',
  data: 'settings/data',
  gateway: 'settings/gateway',
  check: 'verify',
  api: 'docs',
};
/** Also taken as on a telephone in the dark, for the guide. */
const ON_PHONE = ['fleet', 'overview', 'meter', 'alerts'];
/** For the small lines of the list, and the chart of a meter, to be there. */
const WARM_MS = 90_000;
const LOOKS = isForAll
  ? [390, 1440].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))
  : [
      { width: 1200, scheme: 'light' as const },
      { width: 390, scheme: 'dark' as const },
    ];

await mkdir(FOLDER, { recursive: true });
const fleet = await startFleet({ meters: 5, host: '127.0.0.1', seed: 1, clock: new PacedClock() });
const dataDir = await mkdtemp(join(tmpdir(), 'slm-pictures-'));
const demo = await startDemo(fleet, {
  host: '127.0.0.1',
  port: 0,
  pastDays: 7,
  seed: 1,
  siteSounds: true,
  dataDir: join(dataDir, 'data'),
  gatewayWords: ['--log-level', 'silent', '--timezone', 'Europe/Berlin'],
});
try {
  await furnish(new Client({ baseUrl: demo.baseUrl }));
  await take();
} finally {
  await demo.stop();
  await stopFleet(fleet);
  await rm(dataDir, { recursive: true, force: true });
}

async function furnish(client: Client): Promise<void> {
  await client.addAlertRule({
    // Above all of the simulated past: a new rule says nothing of the time before it.
    name: 'Site limit, any hour',
    kind: 'level',
    units: ['sim-1'],
    quantity: 'leq',
    window: '1h',
    limit_db: 80,
    severity: 'warning',
    targets: [],
    schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' }],
  });
  await client.addAlertRule({
    name: 'A meter is lost',
    kind: 'device',
    tag: 'railway',
    condition: 'unreachable',
    for: '30s',
    severity: 'critical',
    targets: [],
  });
  const settings = { frequency_weighting: 'A', time_weighting: 'F' };
  await client.saveProfile('day-and-night', { description: 'Site measurements', settings });
  // A meter takes no settings while it measures.
  await client.control('sim-2', 'stop').catch(() => {});
  await client.applyProfile('day-and-night', ['sim-2']);
  await client.control('sim-1', 'start').catch(() => {});
  await client.post('sim-1', 'ftp/enable').catch(() => {});
  await setTimeout(5_000);
  await client.mirror('sim-1');
  const report = { name: 'Week of the site', period: 'week', at: '06:00', formats: ['pdf', 'xlsx'] } as const;
  const { data } = await client.addReport({ ...report, units: ['sim-1'], zone: 'Europe/Berlin' });
  await client.runReport(data.id);
  fleet[2]?.meter.faults.on('wedge', {});
  await setTimeout(WARM_MS);
}

async function take(): Promise<void> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  for (const { width, scheme } of LOOKS) {
    const viewport = { width, height: width < 600 ? 844 : 800 };
    const page = await browser.newPage({ viewport, colorScheme: scheme, locale: 'en-GB', timezoneId: 'Europe/Berlin' });
    // The past of the demo comes at the same time, and takes a slow computer whole.
    page.setDefaultTimeout(240_000);
    for (const [name, path] of Object.entries(PAGES)) {
      if (!isForAll && width === 390 && !ON_PHONE.includes(name)) continue;
      await page.goto(new URL(path, `${demo.dashboardUrl}`).href);
      // The chart of a meter fills up.
      await setTimeout(name === 'meter' ? 25_000 : 3_000);
      await page.waitForFunction('!document.querySelector(".skeleton")');
      const file = isForAll ? `${name}-${width}-${scheme}.jpg` : width === 390 ? `${name}-phone.png` : `${name}.png`;
      await page.screenshot({
        path: join(FOLDER, file),
        ...(isForAll && { type: 'jpeg', quality: 60 }),
        fullPage: name !== 'api' && name !== 'log' && name !== 'wall',
      });
    }
    await page.close();
  }
  await browser.close();
}
