/** The composition root: builds the parts of the gateway, starts them in order, stops them in reverse. */
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { type CallerAccess, openAccess } from './access/index.ts';
import { type Journal, openJournal } from './audit/journal.ts';
import { type Clock, systemClock, unlessAborted, within } from './clock.ts';
import { GatewayError, messageOf } from './errors.ts';
import { createEventStream } from './events/stream.ts';
import { ftpCards } from './files/index.ts';
import type { Batch, History } from './history/contract.ts';
import { openHistory } from './history/index.ts';
import type { Authenticator } from './http/access.ts';
import type { Trouble } from './http/health.ts';
import { createInsideCalls } from './http/inside.ts';
import { RouteTable } from './http/routes.ts';
import { type HttpServer, startHttp } from './http/server.ts';
import { JOBS, type JobService, migrations as jobMigrations, openJobs } from './jobs/index.ts';
import { createLog, type Log } from './log.ts';
import { createFleet, type Fleet } from './meter/fleet.ts';
import { NL43_DRIVER } from './nl43/driver.ts';
import { createOutbound } from './outbound/index.ts';
import { type Failure, type LoadedPlugins, loadPlugins } from './plugin/load.ts';
import { createPolicy } from './policy/policy.ts';
import { type Settings, settingsFrom } from './settings/index.ts';
import { createStatus, type Projection } from './status/projection.ts';
import type { Store } from './store/contract.ts';
import { openStore } from './store/index.ts';
import type { Transport } from './transport/contract.ts';
import { tcpTransport } from './transport/tcp.ts';
import { VERSION } from './version.ts';
import {
  checkCertificate,
  ftpCoordinators,
  ftpSettings,
  historySettings,
  httpSettings,
  meterSettings,
  OUTBOUND_NAMES,
  outboundSettings,
  policySettings,
  publishConfigs,
  tcpSettings,
} from './wiring.ts';

/** What an embedding program or a test may bring along. */
export interface Extras {
  readonly clock?: Clock;
  /** How meters are reached. Default: TCP. */
  readonly transport?: Transport;
  readonly log?: Log;
  /** Who may call. Default: the API keys of the data folder, as the settings say. */
  readonly authenticator?: Authenticator;
}

export interface Gateway {
  /** `http://HOST:PORT` and the base path. */
  readonly baseUrl: string;
  /** The same as others can reach it; none where the machine has no network. */
  readonly announced: readonly string[];
  readonly port: number;
  readonly store: Store;
  /** The levels that are kept of each meter. */
  readonly history: History;
  /** Plugins that run, and those that failed with the step. */
  readonly plugins: Pick<LoadedPlugins, 'names' | 'failures'>;
  /**
   * Takes no more requests, ends streams with 1001, lets the running commands finish, closes connections and writes
   * what is pending; within `shutdown_timeout_ms`, whatever hangs. May be called twice.
   * Resolves with the parts that did not stop in good order; the log has the reasons.
   */
  stop(): Promise<readonly string[]>;
}

/** Everything that is started, as far as it is. */
interface Parts {
  audit?: Journal;
  access?: CallerAccess;
  store?: Store;
  jobs?: JobService;
  history?: History;
  status?: Projection;
  fleet?: Fleet;
  plugins?: LoadedPlugins;
  http?: HttpServer;
}

interface Surroundings {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Settings that are not given have their defaults; neither files nor the environment are read. Throws SettingsError,
 * StoreError, or an error that says why the address cannot be had; nothing is left open then.
 */
export async function startGateway(given: Partial<Settings>, extras: Extras = {}): Promise<Gateway> {
  const settings = settingsFrom(given, { env: process.env, home: homedir() });
  const clock = extras.clock ?? systemClock;
  const log = extras.log ?? createLog(settings.log_level);
  const around = { settings, clock, log };
  const parts: Parts = {};
  try {
    const { store, history, plugins, http } = await build(parts, around, extras);
    const baseUrl = `${http.origin}${settings.base_path}`;
    const announced = http.announced.map((origin) => `${origin}${settings.base_path}`);
    log.info(
      { address: announced.join(' ') || `port ${http.port}`, plugins: plugins.names, version: VERSION },
      'the gateway is ready',
    );
    let stopping: Promise<readonly string[]> | undefined;
    const stop = () => {
      stopping ??= takeDown(parts, around);
      return stopping;
    };
    return { baseUrl, announced, port: http.port, store, history, plugins, stop };
  } catch (error) {
    await takeDown(parts, around);
    throw error;
  }
}

/** An empty base path leaves no address to a page: those of the API could be any. */
const pluginsOf = ({ plugins, dashboard, base_path }: Settings): readonly string[] =>
  dashboard && base_path !== '' ? plugins : plugins.filter((name) => name !== 'dashboard');

async function build(parts: Parts, { settings, clock, log }: Surroundings, extras: Extras) {
  checkCertificate(settings);
  const access = extras.authenticator ? embedded(extras.authenticator) : openAccess(settings, clock, log);
  parts.access = access;
  const store = await openStore({
    dataDir: settings.data_dir,
    keyFile: settings.key_file,
    secretKey: settings.secret_key || undefined,
    timezone: settings.timezone,
    clock,
    log,
  });
  parts.store = store;
  const audit = await openJournal({
    folder: join(settings.data_dir, 'audit'),
    keepDays: settings.audit_keep_days,
    maxBytes: settings.audit_max_mb * 1_000_000,
    clock,
    log,
  });
  parts.audit = audit;
  const events = createEventStream(clock, log);
  const onAppend = (batch: Batch) => events.publish(batch.unitId, 'rows', batch);
  const history = await openHistory({ ...historySettings(settings), clock, log, onAppend });
  parts.history = history;
  const { addresses } = createPolicy({ settings: policySettings(settings), ownPort: () => parts.http?.port });
  const outside = createPolicy({
    settings: outboundSettings(settings),
    ownPort: () => parts.http?.port,
    names: OUTBOUND_NAMES,
  });
  const outbound = createOutbound({ clock, addresses: outside.addresses });
  const status = createStatus({ events, snapshots: store.snapshots, clock, log });
  parts.status = status;
  const jobs = await openJobs({ tables: await store.tables('job', [JOBS], jobMigrations), events, clock, log });
  parts.jobs = jobs;
  const fleet = createFleet({
    configs: store.configs,
    transport: extras.transport ?? tcpTransport({ ...tcpSettings(settings), clock, addresses }),
    clock,
    log,
    settings: meterSettings(settings),
    driver: NL43_DRIVER,
    events,
    startedAt: (unitId) => store.snapshots.get(unitId).measurementStartTime,
  });
  parts.fleet = fleet;
  const coordinator = ftpCoordinators(store.configs, fleet);
  const cards = ftpCards({ ...ftpSettings(settings), clock, log, coordinator, addresses });
  store.configs.onChange((unitId, config) => {
    if (config) return;
    cards.forget(unitId);
    jobs.drop(unitId);
  });
  publishConfigs(store.configs, events);
  const table = new RouteTable();
  for (const route of access.routes) table.add(route);
  const call = createInsideCalls({
    table,
    holders: access.holders,
    audit,
    deadlineMs: settings.request_deadline_ms,
    log,
  });
  const offer = {
    call,
    guesses: access.guesses,
    table,
    store,
    jobs,
    meters: fleet,
    cards,
    addresses,
    audit,
    history,
    outbound,
    events,
    status,
    dataDir: settings.data_dir,
    clock,
    log,
  };
  const plugins = await loadPlugins(pluginsOf(settings), settings.plugin_settings, offer);
  parts.plugins = plugins;
  await jobs.begin();
  const http = await startHttp({
    settings: httpSettings(settings),
    version: VERSION,
    table,
    authenticator: access.authenticator,
    audit,
    troubles: () => [...plugins.failures.map(troubleOf), ...auditTrouble(audit), ...storageTrouble(store)],
    clock,
    log,
  });
  parts.http = http;
  return { store, history, plugins, http };
}

/** The reason may name a path of this machine: it stands in the log alone. */
const troubleOf = ({ entry, step }: Failure): Trouble => {
  const name = basename(entry);
  return { part: `plugin ${name}`, detail: `The plugin ${name} failed at step ${step}; the log has the reason.` };
};

const auditTrouble = ({ shortage }: Journal): Trouble[] =>
  shortage ? [{ part: 'audit log', detail: shortage.detail, ...(!shortage.full && { harmless: true }) }] : [];

function storageTrouble(store: Store): Trouble[] {
  const detail = store.trouble();
  return detail === undefined ? [] : [{ part: 'database', detail }];
}

/** Whoever embeds the gateway with a authenticator of its own keeps its own keys. */
const embedded = (authenticator: Authenticator): CallerAccess => ({
  authenticator,
  holders: () => {
    throw new GatewayError('UNAUTHENTICATED', 'There are no API keys here.');
  },
  guesses: () => ({ wrongKeys: 0, wrongTickets: 0 }),
  routes: [],
  close: async () => {},
});

/** Share of the time left that a part may take to stop: one that hangs leaves some to those after it. */
const PART_SHARE = 0.75;

/** A part that fails or hangs is named in the log and does not keep the next one from being stopped. */
async function takeDown(parts: Parts, { settings, clock, log }: Surroundings): Promise<string[]> {
  const { http, plugins, jobs, fleet, status, access, audit, history, store } = parts;
  const unclean: string[] = [];
  const end = clock.elapsed() + settings.shutdown_timeout_ms;
  const step = async (name: string, stop: (limitMs: number) => Promise<void> | undefined) => {
    const limitMs = Math.max(0, end - clock.elapsed()) * PART_SHARE;
    const late = () => new Error('not in time');
    const work = async (signal: AbortSignal) => unlessAborted(stop(limitMs) ?? Promise.resolve(), signal);
    await within(clock, limitMs, late, work).catch((error: unknown) => {
      unclean.push(name);
      log.error({ part: name, reason: messageOf(error) }, `${name} did not stop in good order`);
    });
  };
  http?.refuse();
  await step('the jobs', () => jobs?.close());
  await step('the plugins', () => plugins?.stop());
  // Requests that wait for a meter are answered here; only then can the server be drained.
  await step('the meters', () => fleet?.close());
  status?.close();
  // What is left is broken off within the time of the step.
  await step('the server', (limitMs) => http?.drained(limitMs * PART_SHARE));
  await step('the API keys', () => access?.close());
  await step('the audit log', () => audit?.close());
  await step('the history', () => history?.close());
  await step('the store', () => store?.close());
  return unclean;
}
