/**
 * The structured log, one JSON object per line on standard error. Secrets are masked only here. The level can be
 * changed while the gateway runs, for each part.
 */
import { type LoggerOptions, pino, stdTimeFunctions } from 'pino';

/** One line: fields and a sentence, or a sentence alone. `err` is the field of an error. */
interface Write {
  (fields: object, sentence?: string): void;
  (sentence: string): void;
}

/** Log of parts of the gateway and of plugins. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A log whose lines have these fields as well. */
  child(fields: Readonly<Record<string, unknown>>): Log;
}

/** Target of lines; each ends with LF. */
export interface LogTarget {
  write(line: string): unknown;
}

/** From most lines to no lines. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** Lines of this level and of higher levels are written. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRETS = [
  'ftp_username',
  'ftp_password',
  'ftpUsername',
  'ftpPassword',
  'password',
  'secret_key',
  'database_url',
  'authorization',
];
const PATHS = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const NUMBERS: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50, silent: 100 };
/** On a logger and all its children: their part. */
const PART = Symbol('part');
/** On a logger and all its children: their levels. */
const LEVELS = Symbol('levels');

/** The lowest written severity: for each named part, and for all others. */
class LogLevels {
  #usual: LogLevel;
  #parts: Readonly<Record<string, LogLevel>> = {};
  /** Parts that have a logger. */
  readonly names = new Set<string>();

  constructor(usual: LogLevel) {
    this.#usual = usual;
  }

  get usual(): LogLevel {
    return this.#usual;
  }

  get parts(): Readonly<Record<string, LogLevel>> {
    return this.#parts;
  }

  set(usual: LogLevel, parts: Readonly<Record<string, LogLevel>>): void {
    this.#usual = usual;
    this.#parts = { ...parts };
  }

  /** Whether a line of this severity is written. */
  allows(part: string | undefined, severity: number): boolean {
    const own = part !== undefined && Object.hasOwn(this.#parts, part) ? this.#parts[part] : undefined;
    return severity >= NUMBERS[own ?? this.#usual];
  }
}

type Marked = Log & { readonly [PART]?: string; readonly [LEVELS]?: LogLevels };

/** Level and time in pino's own form, as in versions up to 0.2.0: a number, and milliseconds since 1970. */
const NUMBERED: LoggerOptions = {};
const NAMED: LoggerOptions = { timestamp: stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } };

/** `numbered`: level and time are numbers in place of words, as programs that read the log of pino expect. */
export function createLog(
  level: LogLevel,
  target: LogTarget = process.stderr,
  parts: Readonly<Record<string, LogLevel>> = {},
  numbered = false,
): Log {
  const levels = new LogLevels(level);
  levels.set(level, parts);
  const log = pino(
    {
      ...(numbered ? NUMBERED : NAMED),
      // All lines reach the hook, because the levels can change, and pino's own levels are fixed in each child.
      level: 'debug',
      base: null,
      redact: { paths: PATHS, censor: '***' },
      hooks: {
        logMethod(words, method, severity) {
          if (levels.allows((this as Marked)[PART], severity)) method.apply(this, words);
        },
      },
    },
    target,
  );
  return Object.assign(log, { [LEVELS]: levels });
}

/** The logger of a part of the gateway, whose level can be set by its name. Its children belong to the same part. */
export function partLog(log: Log, name: string, bindings: Readonly<Record<string, string>> = { part: name }): Log {
  logLevelsOf(log)?.names.add(name);
  return Object.assign(log.child(bindings), { [PART]: name });
}

/** Whether a line would be written: so costly content is only made for written lines. */
export const isWritten = (log: Log, level: LogLevel): boolean =>
  logLevelsOf(log)?.allows((log as Marked)[PART], NUMBERS[level]) ?? true;

/** Undefined for a logger of another program. */
export const logLevelsOf = (log: Log): LogLevels | undefined => (log as Marked)[LEVELS];
