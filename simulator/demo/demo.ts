/**
 * Starts a gateway as a library in front of simulated meters. Its units go straight into its store, because its API may ask
 * for a key that the demo does not have. Only this file of the simulator uses the gateway.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import type { FleetMember } from '../fleet.ts';
import { PACKAGE } from '../package-folder.ts';
import { bringRecordings, bringWeather, goOnWithWeather, shownTime } from './past.ts';
import { callerOf, drawPlan, makePermits, UnusualTimes, writeEvents, writeNotes } from './permits.ts';
import { PlaceClock, SITE_METERS, startSites } from './sites.ts';
import { PastSounds } from './week.ts';

interface DemoOptions {
  readonly host: string;
  readonly port: number;
  /** Flags of the gateway, as its own command line takes them. They win over the environment. */
  readonly gatewayWords?: readonly string[];
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called for variables that only look like settings of the gateway, and when a simulated history ends early. */
  readonly warn?: (text: string) => void;
  /** Days of simulated history that the meters of the sites get; default none. */
  readonly pastDays?: number;
  readonly seed?: number;
  /** Whether meters hear the sounds of their sites, each at its time of day. Default: they hear what they were started with. */
  readonly siteSounds?: boolean;
  /** Folder of the gateway's database; without one it is a fresh folder that goes when the demo ends. */
  readonly dataDir?: string | undefined;
}

const POLL_SECONDS = 10;

export interface Demo {
  readonly baseUrl: string;
  /** Undefined: the gateway serves no dashboard. */
  readonly dashboardUrl?: string | undefined;
  stop(): Promise<void>;
}

/** The demo uses this part of `lib/app/gateway.ts`. */
interface Gateway extends Demo {
  readonly store: {
    readonly configs: {
      readonly defaults: { readonly timezone: string };
      change(unitId: string, next: () => Readonly<Record<string, unknown>>): Promise<unknown>;
    };
  };
  readonly history: {
    append(batch: Readonly<Record<string, unknown>>): unknown;
    flush(signal?: AbortSignal): Promise<void>;
    extent(unitId: string): Promise<{ readonly first: number | null }>;
  };
}
interface GatewayModule {
  startGateway(settings: Readonly<Record<string, unknown>>): Promise<Gateway>;
  needsKeys(settings: Readonly<Record<string, unknown>>): boolean;
}

/** The demo uses this part of `lib/settings/index.ts`. */
interface SettingsModule {
  load(sources: {
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly home: string;
    readonly readText: (path: string) => string;
    readonly usualFile: string;
  }): { settings(): Readonly<Record<string, unknown>>; readonly warnings: readonly string[] };
  gatewayFlags(): ReadonlyMap<string, 'string' | 'boolean'>;
}

// No literal paths, so that the simulator's own type check does not depend on the gateway.
const ENDING = extname(import.meta.url);
const importOf = async <T>(path: string) => (await import(new URL(`${path}${ENDING}`, PACKAGE).href)) as T;
const settingsModule = () => importOf<SettingsModule>('lib/settings/index');

/** Every flag of the gateway's command line that gives a setting. */
export const gatewayFlags = async () => (await settingsModule()).gatewayFlags();

export async function startDemo(fleet: readonly FleetMember[], options: DemoOptions): Promise<Demo> {
  const env = options.env ?? process.env;
  const own = options.dataDir ?? env.SLM_DATA_DIR;
  const { dataDir, forget } = await place(own);
  try {
    // The key is next to the data folder: the gateway refuses a key file inside it.
    const storage = { data_dir: dataDir, key_file: `${dataDir}.key` };
    const usual = { host: options.host, port: options.port, log_level: 'warn', allow_loopback_meters: true };
    const settings = await settingsOf({ ...usual, ...storage }, { ...options, env });
    const gateway = await openGateway(settings, own === undefined);
    const stopping = new AbortController();
    let past = Promise.resolve();
    const stop = async () => {
      stopping.abort();
      await past;
      await gateway.stop().finally(forget);
    };
    // Before the first stream is recorded.
    const isNew = Boolean(options.pastDays) && (await gateway.history.extent('sim-1')).first === null;
    await configureUnits(gateway, fleet).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    const { signal } = stopping;
    // A gateway that stops, or a full disk, ends it; what is there by then may stay.
    const isNotWhole = (error: unknown) => {
      if (!signal.aborted) options.warn?.(`the simulated history is not whole: ${reasonOf(error)}`);
    };
    const later = await bringSites(gateway, fleet, { ...options, isNew }, signal).catch(isNotWhole);
    past = Promise.resolve(later?.()).catch(isNotWhole);
    const dashboardUrl = await dashboardOf(gateway.baseUrl);
    return { baseUrl: gateway.baseUrl, dashboardUrl, stop };
  } catch (error) {
    await forget();
    throw error;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function place(dataDir: string | undefined): Promise<{ dataDir: string; forget(): Promise<void> }> {
  if (dataDir) return { dataDir: resolve(dataDir), forget: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'slm-demo-'));
  return { dataDir: join(folder, 'data'), forget: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** In place of the path of a settings file, when no path is given. */
const DEMO = 'the demo';

/** Settings of the demo, a settings file, the environment, the command line: each overrides those before it. */
async function settingsOf(demo: Readonly<Record<string, unknown>>, { gatewayWords = [], env, warn }: DemoOptions) {
  const { load } = await settingsModule();
  const readText = (path: string) =>
    JSON.stringify({ ...demo, ...(path === DEMO ? {} : JSON.parse(readFileSync(path, 'utf8'))) });
  // The data folder is in the settings of the demo, with the key that belongs to it.
  const { SLM_DATA_DIR: _, ...environment } = env ?? {};
  const loaded = load({ argv: gatewayWords, env: environment, home: homedir(), readText, usualFile: DEMO });
  for (const warning of loaded.warnings) warn?.(warning);
  return loaded.settings();
}

async function openGateway(settings: Readonly<Record<string, unknown>>, isForgotten: boolean): Promise<Gateway> {
  const { startGateway, needsKeys } = await importOf<GatewayModule>('lib/app/gateway');
  // A folder that goes when the demo ends is no place for a key.
  if (isForgotten && needsKeys(settings)) throw open(settings);
  return startGateway(settings).catch((error: unknown) => {
    throw isTaken(error) ? taken(settings) : error;
  });
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EADDRINUSE';

/** The gateway's own words name its own flag, which this command line does not have. */
const taken = ({ host, port }: Readonly<Record<string, unknown>>) =>
  new Error(
    `cannot listen on ${host} port ${port}: another program listens there; choose another one with --http-port`,
  );

const open = ({ host }: Readonly<Record<string, unknown>>) =>
  new Error(
    `--host ${host} lets other machines call: add --insecure-no-auth to let everybody control these meters, or keep API keys in a folder of your own and name it with --data-dir`,
  );

/** It is at the root of the server, where the gateway serves one. */
async function dashboardOf(baseUrl: string): Promise<string | undefined> {
  const root = new URL('/', baseUrl).href;
  const { ok } = await fetch(root).catch(() => ({ ok: false }));
  return ok ? root : undefined;
}

/** Meters of a site are recorded with their stream, as their past was; the others by their readings: both can be looked at. */
async function configureUnits(gateway: Gateway, fleet: readonly FleetMember[]): Promise<void> {
  await Promise.all(
    fleet.map((member, index) =>
      configureUnit(gateway, member, placeOf(index), index < SITE_METERS.length ? 'stream' : 'poll'),
    ),
  );
}

const HOUR_S = 3_600;

/** Minutes of the week, permits and rules of the sites are there when this resolves. The answer brings the rest. */
async function bringSites(
  { baseUrl, history, store }: Gateway,
  fleet: readonly FleetMember[],
  { pastDays = 0, seed = 1, siteSounds = false, isNew }: DemoOptions & { readonly isNew: boolean },
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const now = Math.floor(Date.now() / 1_000);
  const clock = new PlaceClock(store.configs.defaults.timezone, now);
  const members = fleet.slice(0, SITE_METERS.length);
  startSites(members, clock, siteSounds, signal);
  if (!isNew) return () => goOnWithWeather(baseUrl, seed, signal);
  const unusual = new UnusualTimes(clock);
  const past = { from: clock.ago(pastDays, 0), to: now };
  const present = members.map(({ unitId }) => unitId);
  const sounds = SITE_METERS.slice(0, members.length).map((site, index) => {
    const unitId = `sim-${index + 1}`;
    const made = new PastSounds(site, clock, unusual.of(unitId), seed + index);
    return { made, series: { unitId, weighting: { frequency: 'A', time: 'F' } } };
  });
  let written = Promise.resolve();
  for (const { made, series } of sounds) {
    const intervals = made.minutes({ from: past.from, to: now - (now % 60) });
    // Minutes are made while the minutes of the meter before are written.
    await written;
    history.append({ ...series, source: 'poll', intervals });
    written = history.flush(signal);
  }
  await written;
  // A gateway that asks for a key has no permits and no weather of the demo.
  const call = callerOf(baseUrl, signal);
  const rules = await makePermits(call, present).catch(() => []);
  return async () => {
    if (rules.length > 0) {
      await writeEvents(call, rules, unusual, past);
      await writeNotes(call, present, unusual, past);
      await drawPlan(call, present, baseUrl, signal);
    }
    await bringWeather(baseUrl, { first: past.from, now, seed, windy: unusual.windy, signal }).catch(() => {});
    void goOnWithWeather(baseUrl, seed, signal);
    // The newest hours first. Percentiles and single events need seconds.
    const bringSeconds = async (from: number, to: number) => {
      for (let hour = to; hour > from; hour -= HOUR_S)
        for (const { made, series } of sounds) {
          const seconds = made.seconds({ from: hour - HOUR_S, to: Math.min(hour, now) });
          history.append({ ...series, source: 'stream', seconds });
          await history.flush(signal);
        }
    };
    const nextHour = now - (now % HOUR_S) + HOUR_S;
    const yesterday = Math.max(past.from, nextHour - 48 * HOUR_S);
    await bringSeconds(yesterday, nextHour);
    for (const { unitId, meter } of members) {
      const times = unusual.recordedAt(unitId);
      if (times.length > 0) await bringRecordings(baseUrl, { unitId, meter }, times, { seed, signal });
    }
    await bringSeconds(past.from, yesterday);
  };
}

/** Meters that listen on every interface are reached by loopback: a wildcard is no address to connect to. */
const connectable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

/** Made up: a point in the open North Sea. */
const MIDDLE = { latitude: 55.5, longitude: 3.5 };
const APART_M = 120;
const DEGREE_M = 111_195;

interface Place {
  readonly name: string | null;
  readonly place: string | null;
  readonly tags: readonly string[];
  /** Metres to the east and to the north of the middle. */
  readonly at: readonly [east: number, north: number];
}

/** Meters without a site lie around the middle like the seeds of a sunflower, some hundred metres apart. */
function placeOf(index: number): Place {
  const site = SITE_METERS[index];
  if (site) return site;
  const turn = index * Math.PI * (3 - Math.sqrt(5));
  const away = APART_M * Math.sqrt(index);
  return { name: null, place: null, tags: ['simulated'], at: [Math.sin(turn) * away, Math.cos(turn) * away] };
}

function positionOf([east, north]: Place['at']): Readonly<Record<'latitude' | 'longitude', number>> {
  const round = (value: number) => Number(value.toFixed(5));
  return {
    latitude: round(MIDDLE.latitude + north / DEGREE_M),
    longitude: round(MIDDLE.longitude + east / DEGREE_M / Math.cos((MIDDLE.latitude * Math.PI) / 180)),
  };
}

async function configureUnit(
  { store }: Gateway,
  { unitId, meter }: FleetMember,
  { name, place, tags, at }: Place,
  history: 'stream' | 'poll',
): Promise<void> {
  setToPlace(meter, store.configs.defaults.timezone);
  await store.configs.change(unitId, () => ({
    ...store.configs.defaults,
    unitId,
    host: connectable(meter.host),
    tcpPort: meter.tcpPort,
    tcpEnabled: true,
    ftpEnabled: true,
    webEnabled: false,
    ftpPort: meter.ftpPort,
    ftpMode: 'active',
    ftpUsername: 'USER',
    ftpPassword: '0000',
    pollEnabled: true,
    pollIntervalSeconds: POLL_SECONDS,
    history,
    name,
    place,
    ...positionOf(at),
    tags,
  }));
}

/** A meter knows no zone. It shows the time of its place, as a person has set it. An error of its profile stays. */
function setToPlace(meter: FleetMember['meter'], timeZone: string): void {
  const local = new Date(shownTime(meter)).toLocaleString('sv-SE', { timeZone });
  meter.set('Clock', local.replaceAll('-', '/'));
}
