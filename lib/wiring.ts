/** Settings to the options of each part, and one part's needs to what another offers. No part knows a settings file. */
import { join } from 'node:path';
import { messageOf } from './errors.ts';
import type { EventStream } from './events/contract.ts';
import type { FtpCoordinator, PortRange } from './files/index.ts';
import type { HistoryOptions } from './history/index.ts';
import type { HttpSettings } from './http/server.ts';
import { readPair } from './http/tls.ts';
import type { Fleet } from './meter/fleet.ts';
import type { MeterSettings } from './meter/settings.ts';
import type { PolicySettings } from './policy/policy.ts';
import { type Settings, SettingsError } from './settings/index.ts';
import type { ConfigStore } from './store/contract.ts';

const MB = 1_000_000;

/** Part of the time for a clean stop that the meters may take; the rest is for requests and the store. */
const METERS_SHARE = 0.6;

/** Where the history is, how long it keeps what, and how large it may be. */
export const historySettings = (
  settings: Settings,
): Pick<HistoryOptions, 'path' | 'retention' | 'maxBytes' | 'minFreeBytes'> => ({
  path: join(settings.data_dir, 'history.db'),
  retention: { secondsDays: settings.history_seconds_days, minutesDays: settings.history_minutes_days },
  maxBytes: settings.history_max_mb * MB,
  minFreeBytes: settings.history_min_free_mb * MB,
});

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
  allowedHosts: settings.allowed_hosts,
  allowedOrigins: settings.allowed_origins,
  trustedProxies: settings.trusted_proxies,
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

export const ftpSettings = (settings: Settings) => ({
  timeoutMs: settings.ftp_timeout_ms,
  announcedAddress: settings.ftp_announced_address || undefined,
  portRange: { first: settings.ftp_port_first, last: settings.ftp_port_last } satisfies PortRange,
});

export const policySettings = (settings: Settings): PolicySettings => ({
  allowLoopback: settings.allow_loopback_meters,
  allowNetworks: settings.meter_allow_networks,
  denyNetworks: settings.meter_deny_networks,
  allowPorts: settings.meter_allow_ports,
  denyPorts: settings.meter_deny_ports,
});

/** Nobody listens on this machine for webhooks unless a network of the setting says so. */
export const outboundSettings = (settings: Settings): PolicySettings => ({
  allowLoopback: false,
  allowNetworks: settings.outbound_allow_networks,
  denyNetworks: settings.outbound_deny_networks,
  allowPorts: [],
  denyPorts: [],
});

/** What the messages of that policy name. */
export const OUTBOUND_NAMES = Object.freeze({
  loopback: 'outbound_allow_networks',
  allowNetworks: 'outbound_allow_networks',
  denyNetworks: 'outbound_deny_networks',
});

/** Where TCP is off nobody else talks to the meter now, but somebody may have a moment ago, or may soon. */
export function ftpCoordinators(configs: Pick<ConfigStore, 'get'>, fleet: Pick<Fleet, 'meter' | 'commandGap'>) {
  return (unitId: string): FtpCoordinator | undefined => {
    const config = configs.get(unitId);
    if (!config) return undefined;
    if (!config.tcpEnabled) {
      const gap = fleet.commandGap(config);
      return { before: (signal) => gap.wait(signal), after: () => gap.restart() };
    }
    const meter = fleet.meter(unitId);
    return { before: (signal) => meter.waitForGap(signal), after: () => meter.restartGap() };
  };
}

/** Changes of configs as events. What is in the store when this is called counts as known. */
export function publishConfigs(configs: Pick<ConfigStore, 'list' | 'onChange'>, events: EventStream): void {
  const known = new Set(configs.list().map(({ unitId }) => unitId));
  configs.onChange((unitId, config) => {
    const change = !config ? 'removed' : known.has(unitId) ? 'changed' : 'created';
    if (config) known.add(unitId);
    else known.delete(unitId);
    events.publish(unitId, 'config', { change });
  });
}
