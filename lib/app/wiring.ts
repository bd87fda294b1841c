/** Turns settings into the options of each part, and connects the parts. No part reads the settings file itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SESSIONS } from '../access/tables.ts';
import type { AuditWriter } from '../audit/contract.ts';
import { databaseAddress, databaseUrlOf } from '../domain/database-address.ts';
import type { Families } from '../drivers/contract.ts';
import { notSupported } from '../drivers/not-supported.ts';
import { type GatewayError, messageOf } from '../errors.ts';
import type { EventStream } from '../events/contract.ts';
import type { CardCaller } from '../files/contract.ts';
import type { FtpCoordinator, PortRange } from '../files/index.ts';
import type { HistoryBackup, HistoryOptions } from '../history/index.ts';
import type { Examples } from '../http/documents/openapi.ts';
import type { AllowedCallers, HttpSettings } from '../http/server.ts';
import { readPair } from '../http/tls.ts';
import type { Fleet } from '../meter/fleet.ts';
import type { MeterSettings } from '../meter/settings.ts';
import { createPolicy, type PolicySettings } from '../outbound/policy.ts';
import type { PluginSettings } from '../plugin/load.ts';
import { ROOT } from '../root.ts';
import { type Settings, SettingsError } from '../settings/index.ts';
import type { ConfigStore, DeviceConfig, Store } from '../store/contract.ts';

const MB = 1_000_000;

/** Share of the stop time for the meters; the rest is for requests and the store. */
const METERS_SHARE = 0.6;

export const storeSettings = (settings: Settings) => ({
  server: settings.database_url ? databaseAddress(databaseUrlOf(settings)) : undefined,
  dataDir: settings.data_dir,
  keyFile: settings.key_file,
  secretKey: settings.secret_key || undefined,
  timezone: () => settings.timezone,
  acceptLoss: settings.accept_loss,
});

export const historySettings = (
  settings: Settings,
): Pick<HistoryOptions, 'path' | 'database' | 'acceptLoss' | 'retention' | 'maxBytes' | 'minFreeBytes'> => ({
  path: join(settings.data_dir, 'history.db'),
  database: databaseUrlOf(settings) || undefined,
  acceptLoss: settings.accept_loss,
  retention: { secondsDays: settings.history_seconds_days, minutesDays: settings.history_minutes_days },
  maxBytes: settings.history_max_mb * MB,
  minFreeBytes: settings.history_min_free_mb * MB,
});

export const auditLimits = ({ audit_keep_days, audit_max_mb }: Settings) => ({
  keepDays: audit_keep_days,
  maxBytes: audit_max_mb * MB,
});

/** Spans in ms. */
export const httpSettings = (settings: Settings): HttpSettings => ({
  host: settings.host,
  port: settings.port,
  basePath: settings.base_path,
  bodyLimit: settings.body_limit,
  receiveTimeoutMs: settings.receive_timeout_ms,
  requestDeadlineMs: settings.request_deadline_ms,
  pingMs: settings.ws_ping_ms,
  deadMs: settings.ws_dead_ms,
  messageLimit: settings.ws_message_limit,
  connectionLimit: settings.connection_limit,
  connectionsPerAddress: settings.connections_per_address,
  tls: certificateOf(settings),
  ...allowedCallers(settings),
  trustedProxies: settings.trusted_proxies,
});

export const allowedCallers = (settings: Settings): AllowedCallers => ({
  allowedHosts: settings.allowed_hosts,
  allowedOrigins: settings.allowed_origins,
});

const certificateOf = ({ tls_cert_file, tls_key_file }: Settings) =>
  tls_cert_file === '' ? undefined : { certFile: tls_cert_file, keyFile: tls_key_file };

/** Throws SettingsError when certificate and key cannot be used. */
export function checkCertificate(settings: Settings): void {
  const files = certificateOf(settings);
  try {
    if (files) readPair(files);
  } catch (error) {
    throw new SettingsError([`tls_cert_file, tls_key_file: ${messageOf(error)}`]);
  }
}

/** Missing times keep their defaults; ms. */
export const meterSettings = (settings: Settings): Partial<MeterSettings> => ({
  spacingMs: settings.meter_spacing_ms,
  connectTimeoutMs: settings.connect_timeout_ms,
  replyTimeoutMs: settings.reply_timeout_ms,
  replyTotalTimeoutMs: settings.reply_total_timeout_ms,
  requestDeadlineMs: settings.request_deadline_ms,
  queueLimit: settings.queue_limit,
  idleCloseMs: settings.idle_close_ms,
  connection: settings.connection,
  idleCheckMs: settings.idle_check_ms,
  reconnectMinMs: settings.reconnect_min_ms,
  reconnectMaxMs: settings.reconnect_max_ms,
  reconnectWaitedMs: settings.reconnect_waited_ms,
  connectsPerMinute: settings.connects_per_minute,
  streamLingerMs: settings.live_linger_ms,
  frameTimeoutMs: settings.live_silence_ms,
  closeTimeoutMs: Math.floor(settings.shutdown_timeout_ms * METERS_SHARE),
});

export const tcpSettings = (settings: Settings) => ({
  keepAliveMs: settings.tcp_keepalive_ms,
  keepAliveIntervalMs: settings.tcp_keepalive_interval_ms,
  keepAliveProbes: settings.tcp_keepalive_probes,
});

/** `lacking` names the families without files. */
export const ftpSettings = (settings: Settings, families: Families) => ({
  lacking: withoutCard(families),
  timeoutMs: settings.ftp_timeout_ms,
  announcedAddress: settings.ftp_announced_address || undefined,
  portRange: { first: settings.ftp_port_first, last: settings.ftp_port_last } satisfies PortRange,
});

/** They are among the gateway's own. `about` says how many sites there are. */
export const settingsOfPlugins = (settings: Settings): PluginSettings => ({
  about: { sites: settings.plugins.includes('sites') ? settings.sites.length : 0 },
  calibration: { drift_db: settings.calibration_drift_db },
  sites: { sites: settings.sites },
  slmm: { enabled: settings.slmm, base_path: settings.slmm_base_path },
});

const policySettings = (settings: Settings): PolicySettings => ({
  allowLoopback: settings.allow_loopback_meters,
  allowPrivate: true,
  allowNetworks: settings.meter_allow_networks,
  denyNetworks: settings.meter_deny_networks,
  allowPorts: settings.meter_allow_ports,
  denyPorts: settings.meter_deny_ports,
});

/** Webhooks to this computer are refused unless a network of the setting allows them. */
const outboundSettings = (settings: Settings, allowPrivate: boolean): PolicySettings => ({
  allowLoopback: false,
  allowPrivate,
  allowNetworks: settings.outbound_allow_networks,
  denyNetworks: settings.outbound_deny_networks,
  allowPorts: [],
  denyPorts: [],
});

/** For messages of that policy. */
const OUTBOUND_NAMES = Object.freeze({
  loopback: 'outbound_allow_networks',
  allowNetworks: 'outbound_allow_networks',
  denyNetworks: 'outbound_deny_networks',
});

/** FTP keeps the rest of the meter, too. */
export function ftpCoordinators(fleet: Pick<Fleet, 'commandGap'>) {
  return (unitId: string): FtpCoordinator | undefined => {
    const gap = fleet.commandGap(unitId);
    if (!gap) return undefined;
    let seen = gap.commands;
    const before = async (caller: CardCaller) => {
      await gap.wait(caller);
      seen = gap.commands;
    };
    const between = async (caller: CardCaller) => {
      if (gap.commands !== seen) await before(caller);
    };
    return { before, between, after: () => gap.restart() };
  };
}

const withoutCard =
  (families: Families) =>
  ({ unitId, family: name }: Pick<DeviceConfig, 'unitId' | 'family'>): GatewayError | undefined => {
    const family = families.get(name);
    return family.card ? undefined : notSupported(unitId, family, 'files');
  };

/** Publishes changes of configs as events. */
export function publishConfigs(configs: Pick<ConfigStore, 'onChange'>, events: EventStream): void {
  configs.onChange((unitId, config, before) => {
    const change = !config ? 'removed' : before ? 'changed' : 'created';
    events.publish(unitId, 'config', { change });
    if (change === 'created') events.publish(unitId, 'addition', {});
    if (change === 'removed') events.publish(unitId, 'removal', {});
  });
}

/** Answers of a simulated meter, written by `test/more/documents.ts`. */
export function apiExamples(): Examples {
  return JSON.parse(readFileSync(new URL('config/api-examples.json', ROOT), 'utf8')) as Examples;
}

/** An audit record about a unit is also published as an event, without the values. */
export const tellRequests = (audit: AuditWriter, events: Pick<EventStream, 'publish'>): AuditWriter => ({
  add(entry) {
    const written = audit.add(entry);
    const { unitId, who, role, method, route, body, status, code = null } = entry;
    const fields = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    if (unitId !== '') events.publish(unitId, 'request', { by: who, role, method, route, fields, status, code });
    return written;
  },
});

/** Hosts that the gateway may connect to, by the present settings. */
export function policiesFor(ownPort: () => number | undefined) {
  let meters: ReturnType<typeof createPolicy>;
  let others: ReturnType<typeof createPolicy>;
  let open: ReturnType<typeof createPolicy>;
  return {
    take(settings: Settings): void {
      meters = createPolicy({ settings: policySettings(settings), ownPort });
      others = createPolicy({ settings: outboundSettings(settings, true), ownPort, names: OUTBOUND_NAMES });
      open = createPolicy({ settings: outboundSettings(settings, false), ownPort, names: OUTBOUND_NAMES });
    },
    addresses: (host: string, port: number) => meters.addresses(host, port),
    outside: (host: string, port: number) => others.addresses(host, port),
    /** For addresses that any caller may enter. */
    internet: (host: string, port: number) => open.addresses(host, port),
  };
}

/** For the local ports of open connections. */
export const portsFolder = (dataDir: string): string => join(dataDir, 'places');

/** Copies each database while it is in use. Sessions are left out: one that has ended must not come back with a backup. */
export const copiesOf = ({ store, history }: { readonly store?: Store; readonly history?: HistoryBackup }) => ({
  'gateway.db': async (file: string) => store?.backup(file, [SESSIONS.name]),
  'history.db': async (file: string) => history?.backup(file),
});
