/**
 * The demo's composition root: a gateway as a library in front of simulated meters. Its units go straight into its store,
 * because its doors may ask for an API key that the demo does not have. The one place of the simulator that may reach for
 * the gateway; nothing else here knows that it exists.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FleetMember } from './fleet.ts';

export interface DemoOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Whether a gateway that other machines reach may run without API keys. */
  readonly insecureNoAuth?: boolean;
  /** Folder of the gateway's database; without one it is a fresh folder that goes when the demo ends. */
  readonly dataDir?: string;
}

/** A demo is looked at, so its values are to move. */
const POLL_SECONDS = 10;

export interface Demo {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** What the demo needs of `lib/gateway.ts`. */
interface Gateway extends Demo {
  readonly store: {
    readonly configs: { change(unitId: string, next: () => Readonly<Record<string, unknown>>): Promise<unknown> };
  };
}
type StartGateway = (settings: Readonly<Record<string, unknown>>) => Promise<Gateway>;

export async function startDemo(fleet: readonly FleetMember[], options: DemoOptions): Promise<Demo> {
  const { dataDir, forget } = await place(options.dataDir);
  try {
    // The key stands beside the data folder: the gateway does not take one inside.
    const storage = { data_dir: dataDir, key_file: `${dataDir}.key` };
    const gateway = await openGateway({
      host: options.host,
      port: options.port,
      insecure_no_auth: options.insecureNoAuth ?? false,
      log_level: 'warn',
      allow_loopback_meters: true,
      ...storage,
    }).catch((error: unknown) => {
      throw options.dataDir === undefined && lacksKey(error) ? open(options.host) : error;
    });
    const stop = () => gateway.stop().finally(forget);
    await configureUnits(gateway, fleet).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return { baseUrl: gateway.baseUrl, stop };
  } catch (error) {
    await forget();
    throw error;
  }
}

async function place(dataDir: string | undefined): Promise<{ dataDir: string; forget(): Promise<void> }> {
  if (dataDir) return { dataDir: resolve(dataDir), forget: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'slm-demo-'));
  return { dataDir: join(folder, 'data'), forget: () => rm(folder, { recursive: true, force: true }) };
}

async function openGateway(settings: Readonly<Record<string, unknown>>): Promise<Gateway> {
  // The path is no literal, so that the simulator's own type check does not depend on the gateway.
  const module = new URL('../lib/gateway.ts', import.meta.url).href;
  const { startGateway } = (await import(module)) as { startGateway: StartGateway };
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

const lacksKey = (error: unknown): boolean =>
  error instanceof Error && error.name === 'SettingsError' && error.message.includes('no API key');

/** A folder that goes when the demo ends is no place for a key. */
const open = (host: string) =>
  new Error(
    `--host ${host} lets other machines call: add --insecure-no-auth to let everybody control these meters, or keep API keys in a folder of your own and name it with --data-dir`,
  );

async function configureUnits(gateway: Gateway, fleet: readonly FleetMember[]): Promise<void> {
  await Promise.all(fleet.map((member) => configureUnit(gateway, member)));
}

/** Meters that listen on every interface are reached by loopback: a wildcard is no address to connect to. */
const connectable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

async function configureUnit({ store }: Gateway, { unitId, meter }: FleetMember): Promise<void> {
  await store.configs.change(unitId, () => ({
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
  }));
}
