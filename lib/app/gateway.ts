/** The composition root: builds the parts of the gateway, starts them in order, and stops them in reverse. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { accessTables, checkAccessSettings, embedded, openAccess } from '../access/index.ts';
import { openJournal } from '../audit/journal.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Family } from '../drivers/contract.ts';
import { BUILT_IN, createFamilies } from '../drivers/index.ts';
import { createEventStream, createWireTaps } from '../events/stream.ts';
import { ftpCards } from '../files/index.ts';
import type { Batch, History, LateSpan, StoredRows } from '../history/contract.ts';
import { openHistory } from '../history/index.ts';
import type { Authenticator } from '../http/arrival.ts';
import { createInsideCalls, createRouteAsker } from '../http/inside/index.ts';
import { RouteTable } from '../http/routes.ts';
import { startHttp } from '../http/server.ts';
import { JOBS, jobMigrations, openJobs } from '../jobs/index.ts';
import { createLog, type Log, logLevelsOf, partLog } from '../log.ts';
import { createFleet } from '../meter/fleet.ts';
import { createMails, createOutbound } from '../outbound/index.ts';
import { type LoadedPlugins, loadPlugins } from '../plugin/load.ts';
import { type Settings, settingsFrom } from '../settings/index.ts';
import { openSigningKeys } from '../signing/keys.ts';
import { createParts } from '../status/parts.ts';
import { createStatus } from '../status/projection.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/index.ts';
import { notChecked } from '../system.ts';
import type { FindAddresses, Transport } from '../transport/contract.ts';
import { leased } from '../transport/leased.ts';
import { OpenPlaces } from '../transport/open-places.ts';
import { tcpTransport } from '../transport/tcp.ts';
import { VERSION } from '../version.ts';
import { backupRoute, forgetDrafts } from './backup.ts';
import { type ActiveInstance, clusterRoutes, noInstances } from './instances.ts';
import { createReload, type Reload } from './reload.ts';
import { type Parts, type StopSettings, takeDown } from './stop.ts';
import { historyTrouble, troubleOf, troublesOf } from './troubles.ts';
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
  policiesFor,
  portsFolder,
  publishConfigs,
  settingsOfPlugins,
  storeSettings,
  tcpSettings,
  tellRequests,
} from './wiring.ts';

/** Whether every caller needs a key. */
export { needsKeys } from '../access/index.ts';

/** Parts that an embedding program or a test may replace. */
export interface Extras {
  readonly clock?: Clock;
  /** Connections to meters. Default: TCP. */
  readonly transport?: Transport;
  readonly log?: Log;
  /** Families of meters beside the built-in ones. */
  readonly families?: readonly Family[];
  /** Decides who may call. Default: the API keys of the data folder, as the settings say. */
  readonly authenticator?: Authenticator;
  /** Reads the settings again. Throws SettingsError. Absent: they cannot be read again. */
  readonly readAgain?: () => Settings;
  /** Set when several instances share one database. Default: the gateway is alone. */
  readonly instance?: ActiveInstance;
}

/** A gateway that runs. */
export interface Gateway {
  /** `http://HOST:PORT` and the base path. */
  readonly baseUrl: string;
  /** The same for other computers; empty if this computer has no network. */
  readonly announced: readonly string[];
  readonly port: number;
  readonly store: Store;
  readonly history: History & StoredRows;
  /** Facts for the person who starts the gateway. */
  about(): Omit<Welcome, 'version'>;
  /** Reads the settings again and applies those that can change now. Errors: INVALID. */
  readonly reload: Reload['again'];
  /** Plugins that run, and those that failed with the step. */
  readonly plugins: Pick<LoadedPlugins, 'names' | 'failures'>;
  /**
   * Takes no more requests, ends streams with 1001, lets the running commands finish, closes connections and writes
   * pending data. All this ends within `shutdown_timeout_ms`, even if a part hangs. May be called twice.
   * Resolves with the parts that did not stop cleanly; the log has the reasons.
   */
  stop(): Promise<readonly string[]>;
}

/**
 * Missing settings have their defaults; neither files nor the environment are read. Throws SettingsError, StoreError,
 * or an error that says why it cannot listen on the address. Nothing is left open then.
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

/** With an empty base path a page has no address: every address may belong to the API. */
const pluginsOf = ({ plugins, dashboard, base_path }: Settings): readonly string[] => {
  const without = base_path === '' ? ['dashboard', 'shares'] : dashboard ? [] : ['dashboard'];
  return plugins.filter((name) => !without.includes(name));
};

async function build(parts: Parts, around: StopSettings, extras: Extras) {
  const { settings, clock, log } = around;
  checkCertificate(settings);
  if (!extras.authenticator) checkAccessSettings(settings);
  const kept = await openKept(parts, around, extras);
  const access = extras.authenticator
    ? embedded(extras.authenticator)
    : await openAccess({
        settings,
        tables: await accessTables(kept.store),
        configs: kept.store.configs,
        audit: kept.audit,
        clock,
        log: partLog(log, 'access'),
      });
  parts.access = access;
  const policies = policiesFor(() => parts.http?.port);
  policies.take(settings);
  const reached = openMeters(parts, around, extras, kept, policies.addresses);
  const table = new RouteTable();
  const reload = await addOwnRoutes(table, parts, around, extras, (next) => {
    logLevelsOf(log)?.set(next.log_level, next.log_levels);
    policies.take(next);
    access.apply(next);
    parts.http?.allow(allowedCallers(next));
    kept.audit.retain(auditLimits(next));
    kept.history.retain(historySettings(next).retention ?? { secondsDays: 0, minutesDays: 0 });
  });
  const audit = tellRequests(kept.audit, kept.events);
  const offer = {
    ...kept,
    ...reached,
    basePath: settings.base_path,
    publicUrl: settings.public_url,
    stored: kept.history,
    call: createInsideCalls({ table, holders: access.holders, audit, deadlineMs: settings.request_deadline_ms, log }),
    ask: createRouteAsker(table, settings.base_path),
    instances: (extras.instance ?? noInstances).known,
    guesses: access.guesses,
    issuerSessions: access.issuerSessions,
    rightsOf: access.rightsOf,
    table,
    outbound: createOutbound({ clock, addresses: policies.outside, internet: policies.internet }),
    mails: createMails(),
    dataDir: settings.data_dir,
    clock,
    log,
  };
  const plugins = await loadPlugins(pluginsOf(settings), settings.plugin_settings, offer, settingsOfPlugins(settings));
  parts.plugins = plugins;
  await kept.jobs.begin();
  await extras.instance?.beforeListen();
  const http = await startHttp({
    settings: httpSettings(settings),
    version: VERSION,
    table,
    authenticator: access.authenticator,
    audit,
    examples: apiExamples,
    troubles: () => [...troublesOf({ ...kept, failures: plugins.failures }), ...(extras.instance?.troubles() ?? [])],
    clock,
    log: partLog(log, 'http'),
  });
  parts.http = http;
  return { store: kept.store, history: kept.history, reload: reload.again, plugins, http };
}

/** Opens the stored data, and the parts that are made from events. */
async function openKept(parts: Parts, { settings, clock, log }: StopSettings, { instance }: Extras) {
  const logOf = (part: string) => partLog(log, part);
  const store = await openStore({
    ...storeSettings(settings),
    ownership: instance?.ownership,
    clock,
    log: logOf('store'),
  });
  parts.store = store;
  const folder = join(settings.data_dir, 'audit');
  const audit = await openJournal({ folder, ...auditLimits(settings), clock, log: logOf('audit') });
  parts.audit = audit;
  const events = createEventStream(clock, logOf('events'));
  const onAppend = (batch: Batch) => events.publish(batch.unitId, 'rows', batch);
  const onLate = ({ unitId, ...late }: LateSpan) => events.publish(unitId, 'late', late);
  const kept = { ...historySettings(settings), witness: store, onAppend, onLate };
  const history = await openHistory({ ...kept, clock, log: logOf('history') });
  parts.history = history;
  const status = createStatus({ events, snapshots: store.snapshots, clock, log: logOf('status') });
  parts.status = status;
  const own = createParts();
  own.add('history', () => historyTrouble(history));
  const tables = await store.tables('job', [JOBS], jobMigrations);
  const jobs = await openJobs({ tables, events, clock, log: logOf('jobs') });
  parts.jobs = jobs;
  const signing = await openSigningKeys(store, audit, clock);
  parts.signing = signing;
  return { store, audit, events, history, status, parts: own, jobs, signing };
}

type Kept = Awaited<ReturnType<typeof openKept>>;

/** Nothing is connected yet. */
function openMeters(
  parts: Parts,
  { settings, clock, log }: StopSettings,
  extras: Extras,
  { store, jobs, events }: Kept,
  addresses: FindAddresses,
) {
  const taps = createWireTaps();
  const families = createFamilies([...BUILT_IN, ...(extras.families ?? [])]);
  const places = new OpenPlaces(portsFolder(settings.data_dir));
  parts.places = places;
  const plain = extras.transport ?? tcpTransport({ ...tcpSettings(settings), clock, addresses, places });
  const fleet = createFleet({
    families,
    events,
    taps,
    known: (unitId) => store.snapshots.get(unitId),
    configs: store.configs,
    transport: extras.instance ? leased(plain, extras.instance.mayAct) : plain,
    settings: meterSettings(settings),
    clock,
    log: partLog(log, 'meters'),
  });
  parts.fleet = fleet;
  const ftp = { ...ftpSettings(settings, families), coordinator: ftpCoordinators(fleet) };
  const cards = ftpCards({ ...ftp, clock, log: partLog(log, 'files'), addresses, taps });
  events.on('removal', ({ unitId }) => {
    cards.forget(unitId);
    jobs.drop(unitId);
  });
  publishConfigs(store.configs, events);
  return { meters: fleet, families, cards, addresses, taps };
}

async function addOwnRoutes(
  table: RouteTable,
  parts: Parts,
  { settings, clock, log }: StopSettings,
  { readAgain, instance }: Extras,
  apply: (next: Settings) => void,
): Promise<Reload> {
  await forgetDrafts(settings.data_dir);
  const copies = copiesOf(parts);
  const backup = { dataDir: settings.data_dir, version: VERSION, copies, clock, log: partLog(log, 'backup') };
  const reload = createReload({ settings, readAgain, apply, log });
  const cluster = clusterRoutes(instance ?? noInstances);
  for (const route of [...(parts.access?.routes ?? []), backupRoute(backup), ...cluster, ...reload.routes])
    table.add(route);
  return reload;
}

function aboutOf({ http, access, store, plugins }: Parts, settings: Settings, addresses: readonly string[]) {
  const configs = store?.configs.list() ?? [];
  return {
    addresses,
    port: http?.port ?? 0,
    dashboard: plugins?.names.includes('dashboard') ?? false,
    needsKey: access?.needsKey() ?? true,
    firstCode: access?.firstCode(),
    dataDir: settings.data_dir,
    meters: { known: configs.length, enabled: configs.filter(({ tcpEnabled }) => tcpEnabled).length },
    troubles: (plugins?.failures ?? []).map((failure) => troubleOf(failure).detail),
  };
}
