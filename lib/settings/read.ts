/** Reads one layer each: a JSON file, the environment, the command line. Converts text to values, checks nothing else. */
import { parseArgs } from 'node:util';
import { messageOf } from '../errors.ts';
import { nearest } from '../nearest.ts';
import {
  combine,
  defaults,
  isChecked,
  isSettingName,
  type Layer,
  type ProcessSurroundings,
  SettingsError,
} from './check.ts';
import {
  environmentName,
  flagName,
  hasFlag,
  propertyOf,
  SETTING_NAMES,
  type SettingName,
  type Settings,
} from './schema.ts';

const CONFIG_VARIABLE = 'SLM_CONFIG';
/** Variables of the command line `slm`, which may share the environment. */
const OF_CLIENTS = ['SLM_URL', 'SLM_API_KEY', 'SLM_API_KEY_FILE', 'SLM_KEY', 'SLM_CONTEXT'];
/** Kubernetes sets `SLM_PORT` to such a value in every container beside a service named `slm`. */
const OF_SERVICE = /^(tcp|udp|sctp):\/\//;

/** Returns the text of a file. Throws if it is missing. */
type ReadText = (path: string) => string;

/** Throws SettingsError if the text is not a JSON object. */
function fromFile(path: string, readText: ReadText): Layer {
  const values = parseFile(path, readText);
  return { values, from: () => `file ${path}` };
}

function parseFile(path: string, readText: ReadText): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readText(path).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new SettingsError([`config: ${JSON.stringify(path)} cannot be read: ${messageOf(error)}`]);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new SettingsError([`config: ${JSON.stringify(path)} must hold one JSON object`]);
  }
  // Editors find the schema of a JSON file by `$schema`.
  const { $schema: _, ...values } = parsed as Record<string, unknown>;
  return values;
}

/** Variables that begin with `SLM_`. */
interface FromEnvironment extends Layer {
  /** One warning for each variable that begins like a setting but is not a setting. */
  readonly warnings: readonly string[];
}

/**
 * Others may set variables that begin with `SLM_`: Kubernetes does so for services named `slm-gateway` or `slm`. These
 * are not errors.
 */
function fromEnvironment(env: Readonly<Record<string, string | undefined>>): FromEnvironment {
  const values: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || !variable.startsWith('SLM_')) continue;
    if (variable === CONFIG_VARIABLE || OF_CLIENTS.includes(variable)) continue;
    const name = variable.slice(4).toLowerCase();
    if (variable === environmentName('port') && OF_SERVICE.test(text)) {
      warnings.push(`environment variable ${variable} is the address of a service and is ignored`);
    } else if (isSettingName(name) && environmentName(name) === variable) values[name] = toValue(name, text);
    else warnings.push(strangeVariable(variable));
  }
  return { values, warnings, from: (key) => `environment variable SLM_${key.toUpperCase()}` };
}

function strangeVariable(variable: string): string {
  const suggestion = nearest(variable, [...SETTING_NAMES.map(environmentName), CONFIG_VARIABLE]);
  return `environment variable ${variable} is not a setting and is ignored${suggestion ? `; did you mean ${suggestion}?` : ''}`;
}

/** Requests other than running the gateway. */
interface Wishes {
  readonly help: boolean;
  readonly version: boolean;
  readonly printSettings: boolean;
  readonly config: string | undefined;
}

const WISHES = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  'print-settings': { type: 'boolean' },
  config: { type: 'string' },
} as const;

/** Throws SettingsError if a flag is unknown or lacks its value. */
export function fromArguments(argv: readonly string[]): { layer: Layer; wishes: Wishes } {
  const given = parse(argv);
  const values: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = given[flagName(name)];
    if (hasFlag(name) && value !== undefined) values[name] = typeof value === 'string' ? toValue(name, value) : value;
  }
  const wishes = {
    help: given.help === true,
    version: given.version === true,
    printSettings: given['print-settings'] === true,
    config: typeof given.config === 'string' ? given.config : undefined,
  };
  return { layer: { values, from: (key) => `command line --${key.replaceAll('_', '-')}` }, wishes };
}

/**
 * Flags for settings and for the settings file: name without dashes, and whether it takes a value. For programs that
 * pass them on.
 */
export const gatewayFlags = (): ReadonlyMap<string, 'string' | 'boolean'> =>
  new Map([
    ['config', 'string'],
    ...SETTING_NAMES.filter(hasFlag).map((name) => [flagName(name), flagType(name)] as const),
  ]);

const flagType = (name: SettingName) => (propertyOf(name).type === 'boolean' ? 'boolean' : 'string');

function parse(argv: readonly string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = { ...WISHES };
  for (const name of SETTING_NAMES.filter(hasFlag)) {
    options[flagName(name)] = { type: flagType(name) };
  }
  try {
    const parsed = parseArgs({ args: [...argv], options, strict: true, allowNegative: true, allowPositionals: false });
    return parsed.values as Record<string, string | boolean | undefined>;
  } catch (error) {
    throw new SettingsError([wrongArgument(error, Object.keys(options))]);
  }
}

function wrongArgument(error: unknown, known: readonly string[]): string {
  const [first = ''] = messageOf(error).split('\n');
  const word = /Unexpected argument '(.*)'\. /.exec(first)?.[1];
  if (word !== undefined)
    return `command line: ${JSON.stringify(word)} is neither an option nor a command; --help shows both`;
  const flag = /Unknown option '--([^']*)'/.exec(first)?.[1];
  if (flag === undefined) return `command line: ${first}`;
  const suggestion = nearest(flag, known);
  return `command line: --${flag} is not an option${suggestion ? `; did you mean --${suggestion}?` : ''}`;
}

/** Text of the wrong type stays text: the check then reports it, with the text. */
function toValue(name: SettingName, text: string): unknown {
  switch (propertyOf(name).type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
      return text.split(',').flatMap((part) => part.trim() || []);
    case 'object':
      return parseObject(text);
    default:
      return text;
  }
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The file that the environment names. */
const configVariable = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env[CONFIG_VARIABLE] || undefined;

/** Sources of settings. */
export interface Sources extends ProcessSurroundings {
  readonly argv: readonly string[];
  readonly readText: ReadText;
  /** Read when neither `--config` nor SLM_CONFIG names another file. */
  readonly usualFile: string;
}

/** Settings that were read. They are checked when `settings` is called. */
export interface Loaded {
  /** Throws SettingsError. Not called for help and version, which also work with wrong settings. */
  settings(): Settings;
  readonly wishes: Wishes;
  /** Warnings; the settings can still be used. */
  readonly warnings: readonly string[];
}

/** Defaults < file < environment < command line. Throws SettingsError when the command line itself cannot be read. */
export function load(sources: Sources): Loaded {
  const { layer, wishes } = fromArguments(sources.argv);
  const file = wishes.config ?? configVariable(sources.env) ?? sources.usualFile;
  const environment = fromEnvironment(sources.env);
  const settings = () => combine([defaults(sources), fromFile(file, sources.readText), environment, layer]);
  return { settings, wishes, warnings: environment.warnings };
}

/** Settings given by a program that embeds the gateway; the rest are defaults. Throws SettingsError. */
export function settingsFrom(given: Partial<Settings>, surroundings: ProcessSurroundings): Settings {
  if (isChecked(given)) return given;
  const layer: Layer = { values: given, from: () => 'the caller' };
  return combine([defaults(surroundings), layer]);
}
