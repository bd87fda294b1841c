/** The settings of the plugin, and the options of a connection. Files are read again for each connection. */
import { readFileSync } from 'node:fs';
import type { IClientOptions } from 'mqtt';
import type { Schema } from '../../lib/index.ts';
import { TOPIC } from './topics.ts';

/** `default`: also the type of the setting. */
type Setting<Value> = Schema & { readonly default: Value };

const text = (title: string, more: Schema = {}): Setting<string> => ({ type: 'string', title, default: '', ...more });
const count = (title: string, usual: number, minimum: number, maximum: number): Setting<number> => ({
  type: 'integer',
  title,
  default: usual,
  minimum,
  maximum,
});
const flag = (title: string, usual: boolean): Setting<boolean> => ({ type: 'boolean', title, default: usual });

const PROPERTIES = {
  url: text('Address of the broker; if empty, nothing is published', {
    pattern: '^$|^mqtts?://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?/?$',
    description: 'mqtt://HOST:PORT or mqtts://HOST:PORT, without a user name and a password',
  }),
  client_id: text('Name of this client at the broker; empty: made of the topic', {
    pattern: '^[A-Za-z0-9_.-]{0,64}$',
  }),
  username: text('User at the broker', { maxLength: 256 }),
  password: text('Password at the broker; better in a file', { maxLength: 4_096 }),
  password_file: text('File with the password; a line end at its end is ignored'),
  ca_file: text('File with the certificates of authorities to trust (PEM); empty: those of Node'),
  cert_file: text('File with the certificate of this client (PEM)'),
  key_file: text('File with the key of that certificate (PEM)'),
  topic: text('First part of all topics', {
    default: 'slm',
    maxLength: 100,
    pattern: TOPIC,
    description: 'words of letters, digits, dashes and underscores with slashes between them',
  }),
  tags: {
    type: 'array',
    items: { type: 'string', maxLength: 40, format: 'tag' },
    maxItems: 16,
    uniqueItems: true,
    default: [] as readonly string[],
    title: 'Only units with one of these tags are published; none: all units',
  },
  levels_min_ms: count('Shortest time between two messages with levels of one unit, ms', 1_000, 100, 3_600_000),
  spool_messages: count('Most messages kept while the broker is away', 10_000, 10, 1_000_000),
  retry_min_ms: count('First pause before the broker is tried again, ms', 1_000, 100, 600_000),
  retry_max_ms: count('Longest such pause, ms; it doubles with each failure', 60_000, 100, 3_600_000),
  connect_timeout_ms: count('Longest time to connect to the broker, ms', 15_000, 100, 120_000),
  home_assistant: flag('Tell Home Assistant of each unit', true),
  home_assistant_prefix: text('First part of the topics that Home Assistant reads', {
    default: 'homeassistant',
    maxLength: 100,
    pattern: TOPIC,
    description: 'words of letters, digits, dashes and underscores with slashes between them',
  }),
  commands: flag('Accept commands from a topic', false),
  observations: flag('Accept observations of stations from a topic', false),
  notes: flag('Accept notes and exclusions from a topic', false),
  command_key: text('Name of the API key whose role and units count for commands, observations and notes', {
    maxLength: 64,
  }),
};

export const MQTT_SETTINGS: Schema = { type: 'object', default: {}, properties: PROPERTIES };

/** With defaults filled in. */
export type MqttSettings = { readonly [Name in keyof typeof PROPERTIES]: (typeof PROPERTIES)[Name]['default'] };

/** Throws an error that says what to change. */
export function checkSettings({ commands, observations, notes, command_key, ...more }: MqttSettings): void {
  const { cert_file, key_file } = more;
  for (const [name, isOn] of Object.entries({ commands, observations, notes }))
    if (isOn && command_key === '') throw new Error(`${name}: true needs command_key, the name of an API key`);
  if ((cert_file === '') !== (key_file === '')) throw new Error('cert_file and key_file need each other');
  if (more.password !== '' && more.password_file !== '') throw new Error('give password or password_file, not both');
  if (more.retry_max_ms < more.retry_min_ms) throw new Error('retry_max_ms must not be below retry_min_ms');
  if (!URL.canParse(more.url)) throw new Error('url: its port must be 1 to 65535');
  if (!more.url.startsWith('mqtts:') && `${more.ca_file}${cert_file}` !== '') {
    throw new Error('ca_file and cert_file need a url that begins with mqtts://');
  }
}

/** Throws when a file cannot be read. */
export function connectionOptions(settings: MqttSettings): IClientOptions {
  const { username, ca_file, cert_file, key_file, connect_timeout_ms } = settings;
  const password = passwordOf(settings);
  return {
    ...clientAddress(settings.url),
    // Every broker accepts 3.1.1.
    protocolVersion: 4,
    clientId: settings.client_id || `slm-gateway-${settings.topic.replaceAll('/', '-')}`,
    clean: true,
    // The plugin connects again itself, with growing pauses.
    reconnectPeriod: 0,
    connectTimeout: connect_timeout_ms,
    keepalive: 30,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(ca_file !== '' && { ca: readFileSync(ca_file) }),
    ...(cert_file !== '' && { cert: readFileSync(cert_file), key: readFileSync(key_file) }),
  };
}

/** Throws if the port is invalid. */
export function clientAddress(url: string): Pick<IClientOptions, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'mqtts:';
  const usual = isTls ? 8_883 : 1_883;
  return { protocol: isTls ? 'mqtts' : 'mqtt', host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || usual };
}

const passwordOf = ({ password, password_file }: MqttSettings): string =>
  password_file === '' ? password : readFileSync(password_file, 'utf8').replace(/\r?\n$/, '');
