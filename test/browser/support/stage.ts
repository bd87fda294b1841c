/** A gateway with a simulated meter, on real time, and a browser in front of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { Client } from '../../../client/index.ts';
import { type Extras, type Gateway, startGateway } from '../../../lib/app/gateway.ts';
import type { Settings } from '../../../lib/settings/index.ts';
import type { DeviceConfig } from '../../../lib/store/contract.ts';
import { PacedClock } from '../../../simulator/control/paced-clock.ts';
import { type FleetMember, startFleet, stopFleet } from '../../../simulator/fleet.ts';

/** The whole browser, for what the one without windows does not have: notifications, and apps that are installed. */
export const WHOLE_CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Chromium without windows takes half as much of the processor: it is used where it is installed. */
const HEADLESS = '/usr/bin/chromium-headless-shell';
/** Where the browser is. */
export const CHROMIUM = !process.env.CHROMIUM && existsSync(HEADLESS) ? HEADLESS : WHOLE_CHROMIUM;
const missing = (path: string) =>
  existsSync(path)
    ? false
    : `no browser at ${path}: install chromium, or name one in the environment variable CHROMIUM`;
/** Text of the tests that are skipped without a browser. */
export const NO_BROWSER = missing(CHROMIUM);
export const NO_WHOLE_BROWSER = missing(WHOLE_CHROMIUM);

/** A test that is skipped without a browser. */
export const inBrowser = (t: Test, title: string, test: (t: Test) => Promise<void>) =>
  t.test(title, { skip: NO_BROWSER }, test);

export interface Stage {
  readonly gateway: Gateway;
  readonly meter: FleetMember['meter'];
  /** Of the gateway, without a key. */
  readonly client: Client;
  /** Where the API keys are. */
  readonly dataDir: string;
  /** Address of the dashboard, with a slash at the end. */
  readonly url: string;
  /** A page whose errors fail the test: those that it throws, and those that the browser reports, such as of the CSP. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** The same at another address, such as that of a proxy. */
  browse(address: string, options?: BrowserContextOptions): Promise<Page>;
  /** Adds the simulated meter without the browser, read every two seconds. */
  addMeter(unitId: string, more?: Partial<DeviceConfig>): Promise<void>;
}

/** `extras`: what only programs give a gateway, such as more families of meters. */
export async function openStage(t: Test, settings: Partial<Settings> = {}, extras: Extras = {}): Promise<Stage> {
  // First of all, so that the browser of the stage before is still there.
  const opened = browserFor(t);
  const clock = new PacedClock();
  const fleet = await startFleet({ meters: 1, host: '127.0.0.1', seed: 1, sampleStores: true, clock });
  const [member] = fleet;
  if (!member) throw new Error('no simulated meter');
  const folder = t.testdir();
  const dataDir = join(folder, 'data');
  const usual: Partial<Settings> = {
    data_dir: dataDir,
    key_file: join(folder, 'key'),
    port: 0,
    allow_loopback_meters: true,
    log_level: 'silent',
    timezone: 'Europe/Berlin',
  };
  const gateway = await startGateway({ ...usual, ...settings }, extras);
  const browser = await opened;
  const contexts: BrowserContext[] = [];
  t.teardown(async () => {
    // A page that is gone already must not keep the gateway running.
    await Promise.allSettled(contexts.map((context) => context.close()));
    await gateway.stop();
    await stopFleet(fleet);
  });
  const url = new URL('/', gateway.baseUrl).href;
  const { meter } = member;
  const browse = async (address: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
    contexts.push(context);
    return openPage(t, context, address);
  };
  const addMeter = async (unitId: string, more: Partial<DeviceConfig> = {}) => {
    const { configs } = gateway.store;
    const ports = { tcpPort: meter.tcpPort, ftpPort: meter.ftpPort };
    const own = { unitId, host: '127.0.0.1', ...ports, pollIntervalSeconds: 2, timezone: 'Europe/Berlin' };
    await configs.change(unitId, () => ({ ...configs.defaults, ...own, ...more }));
  };
  const open = (path: string, options?: BrowserContextOptions) => browse(`${url}${path}`, options);
  const client = new Client({ baseUrl: gateway.baseUrl });
  return { gateway, client, meter, dataDir, url, open, browse, addMeter };
}

type StageWork = (t: Test, stage: Stage) => Promise<void>;

/** The same with a stage of its own, perhaps with these settings. */
export function stageTest(t: Test, title: string, ...given: [StageWork] | [Partial<Settings>, StageWork]): void {
  const [settings, work] = given.length === 1 ? [{}, given[0]] : given;
  inBrowser(t, title, async (t) => work(t, await openStage(t, settings)));
}

/**
 * Stages of a process follow one another: they have one browser, which ends when no other one has begun so soon, ms. On a busy computer a second
 * passes between two files, and to start a browser takes as much of the processor as a short test.
 */
const NEXT_STAGE_MS = 3_000;
let running: Promise<Browser> | undefined;
let stages = 0;

/** The browser of this process, until all that the test has begun after this has ended. */
export function browserFor(t: Test): Promise<Browser> {
  stages += 1;
  t.teardown(() => {
    stages -= 1;
    setTimeout(() => void endIfUnused(), NEXT_STAGE_MS);
  });
  running ??= launched();
  return running;
}

function launched(): Promise<Browser> {
  const browser = chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const forget = () => {
    if (running === browser) running = undefined;
  };
  browser.then((one) => one.once('disconnected', forget), forget);
  return browser;
}

async function endIfUnused(): Promise<void> {
  if (stages > 0) return;
  const last = running;
  running = undefined;
  await (await last)?.close();
}

async function openPage(t: Test, context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  page.on('pageerror', (error) => t.fail(`the page threw: ${error.message}`));
  page.on('console', (message) => {
    // Answers with an error status are wanted, and so is a gateway that is gone, also for the worker. The browser reports
    // each.
    const isAnswer =
      /^(Failed to load resource|WebSocket connection to \S+ failed|An unknown error occurred when fetching the script|A bad HTTP response code \(503\))/.test(
        message.text(),
      );
    if (message.type() === 'error' && !isAnswer) t.fail(`the browser reports: ${message.text()}`);
  });
  await page.goto(address);
  return page;
}
