/** Puts layers of settings on top of each other and checks the whole. Every error names key, value and origin. */
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { databaseAddress } from '../domain/database-address.ts';
import { isTimeZone, machineTimeZone } from '../domain/zone.ts';
import { messageOf } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { networkOf, portsOf } from '../outbound/policy.ts';
import { PROPERTIES, propertyOf, SETTING_NAMES, type SettingName, type Settings } from './schema.ts';

/** Wrong settings. One line for each wrong thing; the process shows them and ends with exit code 2. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** Values from one source. `from(key)` returns the place of a value, for a person. */
export interface Layer {
  readonly values: Readonly<Record<string, unknown>>;
  from(key: string): string;
}

/** Facts about the process: home folder and environment. */
export interface ProcessSurroundings {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const ajv = new Ajv2020({
  allErrors: true,
  keywords: ['x-unit', 'x-secret', 'x-live'],
  // At each start these take longer than the rest. A test sees whether the schema is one.
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});
ajv.addFormat('network', (text: string) => networkOf(text) !== undefined);
ajv.addFormat('timezone', isTimeZone);
ajv.addFormat('ports', (text: string) => portsOf(text) !== undefined);
const check = ajv.compile({ type: 'object', properties: PROPERTIES });

/** Whether there is a setting of this name. */
export const isSettingName = (key: string): key is SettingName => Object.hasOwn(PROPERTIES, key);

/** The default of `key_file` depends on the user; all others are in the schema. */
export function defaults({ home, env }: ProcessSurroundings): Layer {
  const configHome = env.XDG_CONFIG_HOME || join(home, '.config');
  const values: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) values[name] = propertyOf(name).default;
  delete values.timezone;
  values.key_file = join(configHome, 'slm-gateway', 'secret.key');
  return { values, from: () => 'the defaults' };
}

/** Later layers win. Throws SettingsError with everything that is wrong. */
export function combine(layers: readonly Layer[]): Settings {
  const values: Record<string, unknown> = {};
  const origin = new Map<string, string>();
  const problems: string[] = [];
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer.values)) {
      if (value === undefined) continue;
      if (!isSettingName(key)) problems.push(unknown(key, layer.from(key)));
      values[key] = value;
      origin.set(key, layer.from(key));
    }
  }
  const from = (key: string) => origin.get(key) ?? 'the defaults';
  if (!check(values)) problems.push(...(check.errors ?? []).map((error) => complaint(error, values, from)));
  const settings = values as Settings;
  if (problems.length === 0) problems.push(...conflicts(settings, from));
  if (problems.length > 0) throw new SettingsError([...new Set(problems)]);
  // The zone of the computer is asked when a unit needs it: Node's zones take 8 MB and 10 ms at their first use.
  if (values.timezone === undefined)
    Object.defineProperty(values, 'timezone', { get: machineTimeZone, enumerable: true });
  whole.add(settings);
  return Object.freeze(settings);
}

/** Settings that `combine` has made. */
const whole = new WeakSet<object>();

/** They need no second check, which would ask for the zone. */
export const isChecked = (given: object): given is Settings => whole.has(given);

function unknown(key: string, from: string): string {
  const suggestion = nearest(key, SETTING_NAMES);
  return `${key} (from ${from}) is not a setting${suggestion ? `; did you mean ${suggestion}?` : ''}`;
}

function complaint(error: ErrorObject, values: Record<string, unknown>, from: (key: string) => string): string {
  const [, key = '', ...rest] = error.instancePath.split('/');
  const where = rest.length > 0 ? `${key}/${rest.join('/')}` : key;
  return `${where}: ${shown(key, values[key])} (from ${from(key)}) ${reason(error, key)}`;
}

function reason(error: ErrorObject, key: string): string {
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`;
  if (error.keyword === 'type')
    return `must be ${error.params.type === 'integer' ? 'a whole number' : `of type ${error.params.type}`}`;
  if (error.keyword === 'format') return FORMS[error.params.format] ?? 'has the wrong form';
  if (error.keyword === 'pattern') return PATTERNS[key] ?? 'has the wrong form';
  return error.message ?? 'is wrong';
}

const FORMS: Readonly<Record<string, string>> = {
  network: 'must hold networks such as 192.0.2.0/24, 2001:db8::/32 or a single address',
  timezone: 'must be the IANA name of a time zone, such as Europe/Berlin',
  ports: 'must hold ports such as 2255 or 2000-2999',
};

/** By the setting. */
const PATTERNS: Readonly<Record<string, string>> = {
  host: 'must be an address or a name without a port, such as 127.0.0.1',
  database_schema:
    'must be a name of up to 63 small letters, digits and underscores that begins with no digit, such as site_north',
  base_path: 'must be a path with a leading slash and none at the end, such as /api/nl43, or empty',
  slmm_base_path: 'must be a path with a leading slash and none at the end, such as /api/nl43',
  ftp_announced_address: 'must be an IP address, such as 192.0.2.10, or empty',
  allowed_hosts: 'must be a name or an address without a port, such as slm.example.org',
  allowed_origins:
    'must be http:// or https:// with a host in small letters and nothing after it but a port, such as https://dash.example.org',
  proxy_user_header: 'must be the name of a header, of letters, digits and hyphens, such as Remote-User, or empty',
  public_url:
    'must be http:// or https:// with a host and no slash at the end, such as https://noise.example.org, or empty',
  instance_address:
    'must be http:// or https:// with a host and nothing after it but a port, such as http://192.0.2.10:8100',
};

function shown(key: string, value: unknown): string {
  return isSettingName(key) && propertyOf(key)['x-secret'] ? '***' : JSON.stringify(value);
}

/** Rules between settings. */
function conflicts(settings: Settings, from: (key: string) => string): string[] {
  const found: string[] = [];
  const blame = (key: SettingName, why: string) =>
    found.push(`${key}: ${shown(key, settings[key])} (from ${from(key)}) ${why}`);
  if (settings.meter_spacing_ms < 1_000 && !settings.unsafe_spacing) {
    blame(
      'meter_spacing_ms',
      'must be at least 1000: a meter needs a second of rest (unsafe_spacing lifts this for simulated ones)',
    );
  }
  if (settings.ftp_port_last < settings.ftp_port_first) blame('ftp_port_last', 'must not be below ftp_port_first');
  if (settings.ftp_port_first === 0 && settings.ftp_port_last !== 0) blame('ftp_port_last', 'needs ftp_port_first');
  if (settings.slmm && settings.slmm_base_path === settings.base_path)
    blame('slmm_base_path', 'must not be that of base_path: set base_path to another one, such as /slm');
  if (settings.ws_dead_ms <= settings.ws_ping_ms) blame('ws_dead_ms', 'must be above ws_ping_ms');
  if (settings.reconnect_max_ms < settings.reconnect_min_ms) {
    blame('reconnect_max_ms', 'must not be below reconnect_min_ms, which would have no effect');
  }
  if (settings.reply_total_timeout_ms < settings.reply_timeout_ms) {
    blame('reply_total_timeout_ms', 'must not be below reply_timeout_ms');
  }
  if (settings.tls_cert_file !== '' && settings.tls_key_file === '') blame('tls_cert_file', 'needs tls_key_file');
  if (settings.tls_key_file !== '' && settings.tls_cert_file === '') blame('tls_key_file', 'needs tls_cert_file');
  const { instance_address: address } = settings;
  if (address !== '' && !URL.canParse(address)) blame('instance_address', 'is no address: see host and port');
  const wrong = settings.database_url === '' ? undefined : notAnAddress(settings.database_url);
  if (wrong) blame('database_url', wrong);
  return found;
}

function notAnAddress(url: string): string | undefined {
  try {
    databaseAddress(url);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The settings as they may be shown. */
export function maskedSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [
      name,
      propertyOf(name)['x-secret'] && settings[name] !== '' ? '***' : maskedPart(settings[name]),
    ]),
  );
}

/** Settings of plugins are not known here: a text under a name that sounds like a secret is masked. */
function maskedPart(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(maskedPart);
  const parts = Object.entries(value).map(([name, part]) => [
    name,
    typeof part === 'string' && part !== '' && /(password|secret|token|key)$/i.test(name) ? '***' : maskedPart(part),
  ]);
  return Object.fromEntries(parts);
}
