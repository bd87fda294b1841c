/**
 * Starts a gateway as a library in front of simulated meters. Its units go straight into its store, because its API may ask
 * for a key that the demo does not have. Only this file of the simulator uses the gateway.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { bringRecordings, bringWeather, goOnWithWeather, pastHour, shownTime } from './demo-past.ts';
import { bringEvents, EVENT_HOURS, makeRules, type Rule } from './demo-rules.ts';
import type { FleetMember } from './fleet.ts';
import { PACKAGE } from './package-folder.ts';

/** Where the gateway listens, and its settings. */
export interface DemoOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Flags of the gateway, as its own command line takes them. They win over the environment. */
  readonly gatewayWords?: readonly string[];
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called for variables that only look like settings of the gateway, and when a simulated history ends early. */
  readonly warn?: (text: string) => void;
  /** Days of simulated history that the first meters get; default none. */
  readonly pastDays?: number;
  /** Seed of the simulated history. */
  readonly seed?: number;
  /** Folder of the gateway's database; without one it is a fresh folder that goes when the demo ends. */
  readonly dataDir?: string;
}

/** A demo is looked at, so its values are to move. */
const POLL_SECONDS = 10;

/** The gateway of the demo while it runs. */
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
/** The demo uses this part of `lib/app/gateway.ts`. */
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

/** Rejects where the gateway cannot start. */
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
    await configureUnits(gateway, fleet).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    const units = options.pastDays ? fleet.slice(0, WITH_PAST).map(({ unitId }) => unitId) : [];
    const { signal } = stopping;
    const rules = units.length > 0 ? await makeRules(gateway.baseUrl, units, signal).catch(() => []) : [];
    // A gateway that stops, or a full disk, ends it; what is there by then may stay.
    past = bringPast(gateway, fleet, options, rules, signal).catch((error: unknown) => {
      if (!signal.aborted) options.warn?.(`the simulated history is not whole: ${reasonOf(error)}`);
    });
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

/** Those with a past are recorded with their stream, as their past was; the others by their readings: both can be looked at. */
async function configureUnits(gateway: Gateway, fleet: readonly FleetMember[]): Promise<void> {
  await Promise.all(
    fleet.map((member, index) => configureUnit(gateway, member, index < WITH_PAST ? 'stream' : 'poll')),
  );
}

/** So many meters get a past: more would keep the machine busy for long. */
const WITH_PAST = 2;
const HOUR_S = 3_600;
const DAY_MS = 86_400_000;

/** The newest hours first, so that the last day is there at once, with its alert events. Ends early when the demo does. */
async function bringPast(
  { baseUrl, history }: Gateway,
  fleet: readonly FleetMember[],
  { pastDays = 0, seed = 1 }: DemoOptions,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const thisHour = now - (now % HOUR_S);
  const end = now * 1_000;
  const last = end - EVENT_HOURS * HOUR_S * 1_000;
  const fresh: FleetMember[] = [];
  for (const member of fleet.slice(0, pastDays > 0 ? WITH_PAST : 0)) {
    if ((await history.extent(member.unitId)).first === null) fresh.push(member);
  }
  const first = end - pastDays * DAY_MS;
  // A gateway that asks for a key has no weather.
  if (fresh.length > 0) await bringWeather(baseUrl, { first: first / 1_000, now, seed, signal }).catch(() => {});
  void goOnWithWeather(baseUrl, seed, signal);
  for (let ago = 0; ago <= pastDays * 24; ago += 1) {
    for (const [index, { unitId }] of fresh.entries()) {
      if (signal.aborted) return;
      const seconds = pastHour(thisHour - ago * HOUR_S, now, seed + index);
      history.append({ unitId, source: 'stream', weighting: { frequency: 'A', time: 'F' }, seconds });
    }
    await history.flush(signal);
    if (ago === Math.min(EVENT_HOURS, pastDays * 24))
      await bringEvents(baseUrl, rules, { from: last, to: end }, signal);
  }
  if (first < last) await bringEvents(baseUrl, rules, { from: first, to: last }, signal);
  for (const member of fresh) await bringRecordings(baseUrl, member, now, { first, seed, signal });
}

/** Meters that listen on every interface are reached by loopback: a wildcard is no address to connect to. */
const connectable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

/** Where the first meters of the demo stand. */
const PLACES = [
  { name: 'Simulated: roof', place: 'Main Street 1, north side', tags: ['site-a', 'simulated'] },
  { name: 'Simulated: courtyard', place: 'Main Street 1, ground floor', tags: ['site-a', 'simulated'] },
  { name: 'Simulated: school', place: 'Station Road 8, by the fence', tags: ['site-b', 'simulated'] },
];

/** Made up: a point in the open North Sea. */
const MIDDLE = { latitude: 55.5, longitude: 3.5 };
const APART_M = 120;
const DEGREE_M = 111_195;

/** The meters of the demo lie around it like the seeds of a sunflower, some hundred metres apart. */
function positionOf(index: number): Readonly<Record<'latitude' | 'longitude', number>> {
  const turn = index * Math.PI * (3 - Math.sqrt(5));
  const degrees = (APART_M * Math.sqrt(index)) / DEGREE_M;
  const east = (Math.sin(turn) * degrees) / Math.cos((MIDDLE.latitude * Math.PI) / 180);
  const round = (value: number) => Number(value.toFixed(5));
  return {
    latitude: round(MIDDLE.latitude + Math.cos(turn) * degrees),
    longitude: round(MIDDLE.longitude + east),
  };
}

async function configureUnit(
  { store }: Gateway,
  { unitId, meter }: FleetMember,
  history: 'stream' | 'poll',
): Promise<void> {
  setToPlace(meter, store.configs.defaults.timezone);
  const index = Number(unitId.replace(/^sim-/, '')) - 1;
  const present = PLACES[index];
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
    name: present?.name ?? null,
    place: present?.place ?? null,
    ...positionOf(index),
    tags: present?.tags ?? ['simulated'],
  }));
}

/** A meter knows no zone. It shows the time of its place, as a person has set it. An error of its profile stays. */
function setToPlace(meter: FleetMember['meter'], timeZone: string): void {
  const local = new Date(shownTime(meter)).toLocaleString('sv-SE', { timeZone });
  meter.set('Clock', local.replaceAll('-', '/'));
}
