/** The composition root: builds the parts of the gateway, starts them in order, stops them in reverse. */
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { type CallerAccess, openAccess } from '../access/index.ts';
import { type Journal, openJournal } from '../audit/journal.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Family } from '../drivers/contract.ts';
import { BUILT_IN, createFamilies } from '../drivers/index.ts';
import { GatewayError } from '../errors.ts';
import { createEventStream } from '../events/stream.ts';
import { createWireTaps } from '../events/wire.ts';
import { ftpCards } from '../files/index.ts';
import type { Batch, History } from '../history/contract.ts';
import { openHistory } from '../history/index.ts';
import type { Authenticator } from '../http/access.ts';
import type { Trouble } from '../http/health.ts';
import { createInsideCalls, createRouteAsker } from '../http/inside.ts';
import { RouteTable } from '../http/routes.ts';
import { startHttp } from '../http/server.ts';
import { JOBS, migrations as jobMigrations, openJobs } from '../jobs/index.ts';
import { createLog, type Log, levelsOf, partOf } from '../log.ts';
import { createFleet } from '../meter/fleet.ts';
import { createOutbound } from '../outbound/index.ts';
import { type Failure, type LoadedPlugins, loadPlugins } from '../plugin/load.ts';
import { type Settings, settingsFrom } from '../settings/index.ts';
import { createStatus } from '../status/projection.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/index.ts';
import { notChecked } from '../system.ts';
import type { Transport } from '../transport/contract.ts';
import { tcpTransport } from '../transport/tcp.ts';
import { VERSION } from '../version.ts';
import { backupRoute, forgetDrafts } from './backup.ts';
import { createReload, type Reload } from './reload.ts';
import { type Parts, type Surroundings, takeDown } from './stop.ts';
import type { Welcome } from './welcome.ts';
import {
  allowedCallers,
  apiExamples,
  auditLimits,
  checkCertificate,
  copiesOf,
  ftpCoordinators,
  ftpSettings,
  historySettings,
  httpSettings,
  meterSettings,
  pluginSettings,
  policiesFor,
  publishConfigs,
  tcpSettings,
  tellRequests,
} from './wiring.ts';

/** What an embedding program or a test may replace. */
export interface Extras {
  readonly clock?: Clock;
  /** How meters are reached. Default: TCP. */
  readonly transport?: Transport;
  readonly log?: Log;
  /** Families of meters beside the built-in ones. */
  readonly families?: readonly Family[];
  /** Who may call. Default: the API keys of the data folder, as the settings say. */
  readonly authenticator?: Authenticator;
  /** Reads the settings again. Throws SettingsError. Without it they cannot be read again. */
  readonly readAgain?: () => Settings;
}

export interface Gateway {
  /** `http://HOST:PORT` and the base path. */
  readonly baseUrl: string;
  /** The same as other computers reach it; none if this computer has no network. */
  readonly announced: readonly string[];
  readonly port: number;
  readonly store: Store;
  /** The levels that are kept of each meter. */
  readonly history: History;
  /** What a person wants to know at the start. */
  about(): Omit<Welcome, 'version'>;
  /** Reads the settings again and takes up those that can change now. Errors: INVALID. */
  readonly reload: Reload['again'];
  /** Plugins that run, and those that failed with the step. */
  readonly plugins: Pick<LoadedPlugins, 'names' | 'failures'>;
  /**
   * Takes no more requests, ends streams with 1001, lets the running commands finish, closes connections and writes
   * what is pending; within `shutdown_timeout_ms`, whatever hangs. May be called twice.
   * Resolves with the parts that did not stop in good order; the log has the reasons.
   */
  stop(): Promise<readonly string[]>;
}

/**
 * Settings that are not given have their defaults; neither files nor the environment are read. Throws SettingsError,
 * StoreError, or an error that says why it cannot listen on the address; nothing is left open then.
 */
export async function startGateway(given: Partial<Settings>, extras: Extras = {}): Promise<Gateway> {
  const settings = settingsFrom(given, { env: process.env, home: homedir() });
  const clock = extras.clock ?? systemClock;
  const log = extras.log ?? createLog(settings.log_level, process.stderr, settings.log_levels);
  const around = { settings, clock, log };
  const parts: Parts = {};
  const unchecked = notChecked();
  if (unchecked) log.warn({ data_dir: settings.data_dir, key_file: settings.key_file }, unchecked);
  try {
    const { store, history, reload, plugins, http } = await build(parts, around, extras);
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
    const about = () => aboutOf(parts, settings, announced);
    return { baseUrl, announced, port: http.port, store, history, about, reload, plugins, stop };
  } catch (error) {
    await takeDown(parts, around);
    throw error;
  }
}

/** With an empty base path there is no address for a page: every address may be one of the API. */
const pluginsOf = ({ plugins, dashboard, base_path }: Settings): readonly string[] =>
  dashboard && base_path !== '' ? plugins : plugins.filter((name) => name !== 'dashboard');

async function build(parts: Parts, { settings, clock, log }: Surroundings, extras: Extras) {
  checkCertificate(settings);
  const logOf = (part: string) => partOf(log, part);
  const access = extras.authenticator ? embedded(extras.authenticator) : openAccess(settings, clock, logOf('access'));
  parts.access = access;
  const store = await openStore({
    dataDir: settings.data_dir,
    keyFile: settings.key_file,
    secretKey: settings.secret_key || undefined,
    timezone: settings.timezone,
    clock,
    log: logOf('store'),
  });
  parts.store = store;
  const audit = await openJournal({
    folder: join(settings.data_dir, 'audit'),
    ...auditLimits(settings),
    clock,
    log: logOf('audit'),
  });
  parts.audit = audit;
  const events = createEventStream(clock, logOf('events'));
  const taps = createWireTaps();
  const tellingAudit = tellRequests(audit, events);
  const onAppend = (batch: Batch) => events.publish(batch.unitId, 'rows', batch);
  const history = await openHistory({ ...historySettings(settings), clock, log: logOf('history'), onAppend });
  parts.history = history;
  const policies = policiesFor(() => parts.http?.port);
  policies.take(settings);
  const { addresses, outside } = policies;
  const outbound = createOutbound({ clock, addresses: outside });
  const status = createStatus({ events, snapshots: store.snapshots, clock, log: logOf('status') });
  parts.status = status;
  const jobs = await openJobs({
    tables: await store.tables('job', [JOBS], jobMigrations),
    events,
    clock,
    log: logOf('jobs'),
  });
  parts.jobs = jobs;
  const families = createFamilies([...BUILT_IN, ...(extras.families ?? [])]);
  const fleet = createFleet({
    configs: store.configs,
    transport: extras.transport ?? tcpTransport({ ...tcpSettings(settings), clock, addresses }),
    clock,
    log: logOf('meters'),
    settings: meterSettings(settings),
    families,
    events,
    taps,
    known: (unitId) => store.snapshots.get(unitId),
  });
  parts.fleet = fleet;
  const coordinator = ftpCoordinators(fleet);
  const ftp = ftpSettings(settings, families);
  const cards = ftpCards({ ...ftp, clock, log: logOf('files'), coordinator, addresses, taps });
  store.configs.onChange((unitId, config) => {
    if (config) return;
    cards.forget(unitId);
    jobs.drop(unitId);
  });
  publishConfigs(store.configs, events);
  const table = new RouteTable();
  for (const route of access.routes) table.add(route);
  await forgetDrafts(settings.data_dir);
  table.add(
    backupRoute({
      dataDir: settings.data_dir,
      version: VERSION,
      copies: copiesOf(parts, settings),
      clock,
      log: logOf('backup'),
    }),
  );
  const call = createInsideCalls({
    table,
    holders: access.holders,
    audit: tellingAudit,
    deadlineMs: settings.request_deadline_ms,
    log,
  });
  const offer = {
    call,
    ask: createRouteAsker(table),
    guesses: access.guesses,
    table,
    store,
    jobs,
    meters: fleet,
    families,
    cards,
    addresses,
    audit,
    history,
    outbound,
    events,
    taps,
    status,
    dataDir: settings.data_dir,
    clock,
    log,
  };
  const apply = (next: Settings) => {
    levelsOf(log)?.set(next.log_level, next.log_levels);
    policies.take(next);
    access.apply(next);
    parts.http?.allow(allowedCallers(next));
    audit.retain(auditLimits(next));
    history.retain(historySettings(next).retention ?? { secondsDays: 0, minutesDays: 0 });
  };
  const reload = createReload({ settings, readAgain: extras.readAgain, apply, log });
  for (const route of reload.routes) table.add(route);
  const plugins = await loadPlugins(pluginsOf(settings), pluginSettings(settings), offer);
  parts.plugins = plugins;
  await jobs.begin();
  const http = await startHttp({
    settings: httpSettings(settings),
    version: VERSION,
    table,
    authenticator: access.authenticator,
    audit: tellingAudit,
    examples: apiExamples,
    troubles: () => [...plugins.failures.map(troubleOf), ...auditTrouble(audit), ...storageTrouble(store)],
    clock,
    log: logOf('http'),
  });
  parts.http = http;
  return { store, history, reload: reload.again, plugins, http };
}

function aboutOf({ http, access, store, plugins }: Parts, settings: Settings, addresses: readonly string[]) {
  const configs = store?.configs.list() ?? [];
  return {
    addresses,
    port: http?.port ?? 0,
    dashboard: plugins?.names.includes('dashboard') ?? false,
    needsKey: access?.needsKey() ?? true,
    dataDir: settings.data_dir,
    meters: { known: configs.length, enabled: configs.filter(({ tcpEnabled }) => tcpEnabled).length },
    troubles: (plugins?.failures ?? []).map((failure) => troubleOf(failure).detail),
  };
}

/** The reason may name a path of this computer: it is only in the log. */
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

/** A program that embeds the gateway with its own authenticator keeps its own keys. */
const embedded = (authenticator: Authenticator): CallerAccess => ({
  authenticator,
  holders: () => {
    throw new GatewayError('UNAUTHENTICATED', 'There are no API keys here.');
  },
  needsKey: () => true,
  apply() {},
  guesses: () => ({ wrongKeys: 0, wrongTickets: 0 }),
  routes: [],
  close: async () => {},
});
