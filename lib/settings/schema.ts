/**
 * The gateway's own settings: name, type, limits, unit, default and words, once. The type, the checks, the command
 * line, the environment names and the help are made from them. A plugin has its own schema; its values are in
 * `plugin_settings`.
 */
import { LOG_LEVELS } from '../log.ts';
import { callers } from './callers.ts';
import { meters } from './meters.ts';
import { count, type Group, ms, type Property } from './property.ts';
import { instances, storage } from './storage.ts';

const server = {
  host: {
    type: 'string',
    title: 'Address to listen on',
    description: '127.0.0.1 serves only this computer; 0.0.0.0 or :: serves the network and needs an API key.',
    default: '127.0.0.1',
    pattern: '^[A-Za-z0-9.:-]{1,253}$',
  },
  port: {
    ...count('Port to listen on', 8100, 0, 65_535),
    description: '0 takes any free port and prints it.',
  },
  base_path: {
    type: 'string',
    title: 'Path that every route of the API begins with',
    description: 'A leading slash and no slash at the end; empty puts the API at the root.',
    default: '/api/nl43',
    pattern: '^(/[A-Za-z0-9._~-]+)*$',
    maxLength: 200,
  },
  public_url: {
    type: 'string',
    title: 'Address of the gateway for people outside, for the links in mails and reports; empty: no links',
    description:
      'The root, without base_path and without a slash at the end, such as https://noise.example.org. Its name must be in allowed_hosts.',
    default: '',
    maxLength: 500,
    pattern: '^(https?://[A-Za-z0-9.:\\[\\]-]+(/[A-Za-z0-9._~-]+)*)?$',
  },
  body_limit: {
    ...count('Largest request body', 65_536, 1_024, 10_485_760),
    'x-unit': 'bytes',
  },
  receive_timeout_ms: ms(
    'Longest time for the head of a request, for its body, and for silence in a file',
    15_000,
    100,
    300_000,
  ),
  shutdown_timeout_ms: ms('Longest time for a clean stop', 8_000, 100, 9_500),
  dashboard: {
    type: 'boolean',
    title: 'Serve the dashboard at / and the API pages at /docs',
    description: 'Also off while base_path is empty, because then all paths belong to the API.',
    default: true,
  },
  timezone: {
    type: 'string',
    title: 'Time zone of a new unit',
    description: 'An IANA name such as Europe/Berlin. Without it: the zone of this computer.',
    default: '',
    format: 'timezone',
  },
  log_level: {
    type: 'string',
    title: 'Least severe log lines that are written',
    enum: LOG_LEVELS,
    default: 'info',
    'x-live': true,
  },
  log_levels: {
    type: 'object',
    title: 'The same for single parts',
    description: 'Such as {"mqtt": "debug", "http": "warn"}. GET _settings/log-levels lists the parts.',
    additionalProperties: { type: 'string', enum: LOG_LEVELS },
    default: {},
    'x-live': true,
  },
  log_format: {
    type: 'string',
    title: 'How log lines look',
    description:
      'auto: lines for people on a terminal, JSON everywhere else. pino: JSON with numbers for level and time, as up to 0.2.0.',
    enum: ['auto', 'json', 'text', 'pino'],
    default: 'auto',
  },
  log_stream: {
    type: 'string',
    title: 'Where log lines go',
    description: 'stdout: then nothing else is written there, and the address stands only in the log.',
    enum: ['stderr', 'stdout'],
    default: 'stderr',
  },
} as const satisfies Group;

const plugins = {
  plugins: {
    type: 'array',
    title: 'Plugins to load, in this order',
    description:
      'Built-in ones by name; others by path (with a slash, relative to the folder the gateway is started in) or by package name.',
    items: { type: 'string', minLength: 1 },
    uniqueItems: true,
    default: [
      'config',
      'capabilities',
      'status',
      'live',
      'polling',
      'session',
      'doctor',
      'metrics',
      'measurement',
      'settings',
      'results',
      'ftp',
      'mirror',
      'campaign',
      'log',
      'notes',
      'history',
      'stations',
      'calibration',
      'assessment',
      'permits',
      'indices',
      'reports',
      'evidence',
      'audit',
      'jobs',
      'about',
      'dashboard',
      'shares',
      'people',
      'mqtt',
      'alerts',
      'sites',
      'slmm',
    ],
  },
  plugin_settings: {
    type: 'object',
    title: 'Settings of plugins, by plugin name',
    description: 'In the environment and on the command line: one JSON object.',
    additionalProperties: { type: 'object' },
    default: {},
  },
} as const satisfies Group;

const listOf = (format: 'network' | 'ports', title: string, description: string) =>
  ({ type: 'array', title, description, items: { type: 'string', format }, default: [], 'x-live': true }) as const;

const addresses = {
  allow_loopback_meters: {
    type: 'boolean',
    title: 'Allow meters on this computer itself',
    description: 'For the simulator.',
    default: false,
    'x-live': true,
  },
  meter_allow_networks: listOf(
    'network',
    'Networks that meters may be in',
    'Such as 192.0.2.0/24 or 2001:db8::/32. Empty: all except loopback, link-local, multicast and metadata addresses. To allow one of those, add an entry that lies inside it.',
  ),
  meter_deny_networks: listOf('network', 'Networks that no meter may be in', 'Wins over meter_allow_networks.'),
  meter_allow_ports: listOf(
    'ports',
    'Ports of meters that may be connected to',
    'For commands and for FTP; 2255 or 2000-2999. Empty: all.',
  ),
  meter_deny_ports: listOf('ports', 'Ports that are never connected to', 'Wins over meter_allow_ports.'),
} as const satisfies Group;

const outside = {
  outbound_allow_networks: listOf(
    'network',
    'Networks that webhooks and requests for time stamps may be sent to',
    'Empty: all except loopback, link-local, multicast and metadata addresses, and this computer. To allow one of those, add an entry that lies inside it.',
  ),
  outbound_deny_networks: listOf(
    'network',
    'Networks that no webhook and no request for a time stamp is sent to',
    'Wins over outbound_allow_networks.',
  ),
} as const satisfies Group;

const streams = {
  live_linger_ms: ms('Time a live stream goes on after its last watcher has left', 3_000, 0, 600_000),
  live_silence_ms: ms('Silence of a live stream after which it counts as lost', 30_000, 200, 600_000),
  ws_ping_ms: ms('Time between pings to a WebSocket client', 25_000, 100, 3_600_000),
  ws_dead_ms: ms('Silence of a WebSocket client after which it counts as gone', 55_000, 200, 3_600_000),
  ws_message_limit: { ...count('Largest message from a WebSocket client', 4_096, 125, 1_048_576), 'x-unit': 'bytes' },
} as const satisfies Group;

const ftp = {
  ftp_announced_address: {
    type: 'string',
    title: 'IP address for the connection from a meter in active mode',
    description:
      'Empty: the local address of the control connection. Set it if the gateway is behind NAT or in a container.',
    default: '',
    pattern: '^[0-9A-Fa-f.:]*$',
  },
  ftp_port_first: {
    ...count('First port to listen on for a data connection in active mode', 0, 0, 65_535),
    description: '0: any free port.',
  },
  ftp_port_last: count('Last port to listen on for a data connection in active mode', 0, 0, 65_535),
  ftp_timeout_ms: ms('Longest silence of the FTP server of a meter', 10_000, 10, 300_000),
} as const satisfies Group;

const slmm = {
  slmm: {
    type: 'boolean',
    title: 'Answer the API of SLMM, too',
    description: 'For clients that were written for SLMM: docs/slmm.md.',
    default: false,
  },
  slmm_base_path: {
    type: 'string',
    title: 'Path that the API of SLMM begins with',
    description: 'Set it to /api/nl43, and base_path to another one, to take the place of SLMM.',
    default: '/slmm/api/nl43',
    pattern: '^(/[A-Za-z0-9._~-]+)+$',
    maxLength: 200,
  },
} as const satisfies Group;

/** All settings, in the groups of the documents. */
export const GROUPS = Object.freeze({
  'The server': server,
  'Who may call': callers,
  Storage: storage,
  'Several instances': instances,
  Plugins: plugins,
  Meters: meters,
  'Addresses of meters': addresses,
  'Addresses of webhooks': outside,
  'Live streams': streams,
  'Files of a meter (FTP)': ftp,
  'In place of SLMM': slmm,
});

/** All settings by name. */
export const PROPERTIES = Object.freeze({
  ...server,
  ...callers,
  ...storage,
  ...instances,
  ...plugins,
  ...meters,
  ...addresses,
  ...outside,
  ...streams,
  ...ftp,
  ...slmm,
});

type ValueOf<P> = P extends { enum: readonly (infer Word)[] }
  ? Word
  : P extends { type: 'string' }
    ? string
    : P extends { type: 'integer' | 'number' }
      ? number
      : P extends { type: 'boolean' }
        ? boolean
        : P extends { type: 'array'; items: { type: 'object' } }
          ? readonly Readonly<Record<string, string>>[]
          : P extends { type: 'array' }
            ? readonly string[]
            : P extends { additionalProperties: { enum: readonly (infer Word)[] } }
              ? Readonly<Record<string, Word>>
              : Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The name of a setting: `log_level`. */
export type SettingName = keyof typeof PROPERTIES;
/** The present settings: snake_case names as in a file, units in the names. */
export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof PROPERTIES)[Name]> };

/** In the order of the documents. */
export const SETTING_NAMES = Object.freeze(Object.keys(PROPERTIES) as SettingName[]);
/** Facts about a setting. */
export const propertyOf = (name: SettingName): Property => PROPERTIES[name];
/** `SLM_LOG_LEVEL`. */
export const environmentName = (name: SettingName): string => `SLM_${name.toUpperCase()}`;
/** `log-level`. */
export const flagName = (name: SettingName): string => name.replaceAll('_', '-');
/** Whether a new value takes effect without a restart. */
export const isLive = (name: SettingName): boolean => propertyOf(name)['x-live'] === true;
/** A secret has no flag. */
export const hasFlag = (name: SettingName): boolean => propertyOf(name)['x-secret'] !== true;
