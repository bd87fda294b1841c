/** The settings while the gateway runs: the present values, reading them again, and the level of the log. */
import { whole } from '../domain/fields/field.ts';
import { GatewayError } from '../errors.ts';
import type { Route, Schema } from '../http/contract.ts';
import { LOG_LEVELS, type Log, type LogLevel, logLevelsOf } from '../log.ts';
import {
  isLive,
  maskedSettings,
  SETTING_NAMES,
  type SettingName,
  type Settings,
  SettingsError,
} from '../settings/index.ts';

interface ReloadParts {
  readonly settings: Settings;
  /** From file, environment and command line. Absent if another program gave them. Throws SettingsError. */
  readonly readAgain?: (() => Settings) | undefined;
  readonly apply: (settings: Settings) => void;
  readonly log: Log;
}

interface Reloaded {
  /** Applied now. */
  readonly changed: readonly SettingName[];
  /** Applied after a restart. */
  readonly restart: readonly SettingName[];
}

/** The present settings, and the routes that show and reload them. */
export interface Reload {
  /** Errors: INVALID if a setting is wrong; then nothing has changed. */
  again(): Reloaded;
  readonly routes: readonly Route[];
}

export function createReload(parts: ReloadParts): Reload {
  let present = parts.settings;
  let waiting: readonly SettingName[] = [];
  const again = (): Reloaded => {
    const read = readAgain(parts);
    const different = SETTING_NAMES.filter((name) => !isSame(read[name], present[name]));
    const changed = different.filter(isLive);
    waiting = different.filter((name) => !isLive(name));
    present = Object.freeze({ ...present, ...Object.fromEntries(changed.map((name) => [name, read[name]])) });
    parts.apply(present);
    parts.log.info({ changed, restart_needed: waiting }, 'the settings were read again');
    return { changed, restart: waiting };
  };
  return { again, routes: [settingsRoute(() => ({ present, waiting })), reloadRoute(again), ...levelRoutes(parts)] };
}

function readAgain({ readAgain }: ReloadParts): Settings {
  if (!readAgain) throw new GatewayError('INVALID', 'These settings come from the program that started the gateway.');
  try {
    return readAgain();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new GatewayError('INVALID', `Nothing was changed: ${error.problems.join('; ')}.`);
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const NAMES: Schema = { type: 'array', items: { type: 'string' } };

const settingsRoute = (now: () => { present: Settings; waiting: readonly SettingName[] }): Route => ({
  method: 'GET',
  path: '/_settings',
  access: 'admin',
  summary: 'Show the present settings, secrets masked',
  answer: {
    data: {
      type: 'array',
      items: whole({
        name: { type: 'string' },
        value: { description: 'The present value.' },
        takes_effect: { type: 'string', enum: ['reload', 'restart'], description: 'When a new value takes effect.' },
        restart_needed: { type: 'boolean', description: 'A new value was read, and waits for a restart.' },
      }),
    },
  },
  errors: [],
  handle() {
    const { present, waiting } = now();
    const values = maskedSettings(present);
    const data = SETTING_NAMES.map((name) => ({
      name,
      value: values[name],
      takes_effect: isLive(name) ? 'reload' : 'restart',
      restart_needed: waiting.includes(name),
    }));
    return { data };
  },
});

const reloadRoute = (again: () => Reloaded): Route => ({
  method: 'POST',
  path: '/_settings/reload',
  access: 'admin',
  summary: 'Read the settings again, and apply those that can change while the gateway runs',
  description:
    'From the file and the command line of the start, as SIGHUP does. A wrong setting is 422, and nothing changes.',
  answer: { message: { type: 'string' }, data: whole({ changed: NAMES, restart_needed: NAMES }) },
  errors: ['INVALID'],
  handle() {
    const { changed, restart } = again();
    return { message: messageFor(changed, restart), data: { changed, restart_needed: restart } };
  },
});

function messageFor(changed: readonly string[], restart: readonly string[]): string {
  const first = changed.length === 0 ? 'No setting has changed' : `Changed: ${changed.join(', ')}`;
  return restart.length === 0 ? `${first}.` : `${first}. These need a restart: ${restart.join(', ')}.`;
}

const LEVEL: Schema = { type: 'string', enum: [...LOG_LEVELS] };
const LEVELS: Schema = {
  type: 'object',
  additionalProperties: LEVEL,
  maxProperties: 100,
  description: 'Level by part. Parts that are not named have the level `log_level`.',
};
const SHOWN = whole({ log_level: LEVEL, levels: LEVELS, parts: { ...NAMES, description: 'All parts.' } });

interface Wanted {
  readonly log_level?: LogLevel;
  readonly levels?: Readonly<Record<string, LogLevel>>;
}

function levelRoutes({ log }: ReloadParts): Route[] {
  const levels = () => {
    const found = logLevelsOf(log);
    if (!found) throw new GatewayError('INVALID', 'The log comes from the program that started the gateway.');
    return found;
  };
  const shown = () => ({ log_level: levels().usual, levels: levels().parts, parts: [...levels().names].sort() });
  const change: Route<Wanted> = {
    method: 'PUT',
    path: '/_settings/log-levels',
    access: 'admin',
    summary: 'Change how much the log says, by part, until the settings are read again',
    body: { type: 'object', properties: { log_level: LEVEL, levels: LEVELS }, additionalProperties: false },
    answer: { message: { type: 'string' }, data: SHOWN },
    errors: ['INVALID'],
    handle({ body }) {
      const stranger = Object.keys(body.levels ?? {}).find((name) => !levels().names.has(name));
      if (stranger !== undefined) {
        const detail = `There is no part ${JSON.stringify(stranger)}; GET _settings/log-levels lists them.`;
        const errors = [{ path: `/levels/${stranger}`, message: 'is no part of the gateway' }];
        throw new GatewayError('INVALID', detail, { errors });
      }
      levels().set(body.log_level ?? levels().usual, body.levels ?? levels().parts);
      return { message: 'The levels of the log are changed.', data: shown() };
    },
  };
  return [
    {
      method: 'GET',
      path: '/_settings/log-levels',
      access: 'admin',
      summary: 'Show how much the log says, by part',
      answer: { data: SHOWN },
      errors: ['INVALID'],
      handle: () => ({ data: shown() }),
    },
    change as Route,
  ];
}
