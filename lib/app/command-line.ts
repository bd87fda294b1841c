/**
 * Common parts of the commands beside the gateway (`keys`, `history`, `audit`, `database`): their words, and the
 * settings that a gateway started here would have.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { WrongWords } from '../access/commands.ts';
import { messageOf } from '../errors.ts';
import { ROOT } from '../root.ts';
import { load, type Settings, SettingsError } from '../settings/index.ts';

const TEXT = { type: 'string' } as const;
/** Options of each command. */
const USUAL = { config: TEXT, 'data-dir': TEXT, help: { type: 'boolean', short: 'h' } } as const;
/** Options that are passed on to the settings. */
const PLACES = ['config', 'data-dir', 'key-file'];

/** Options and words of a command line. Throws WrongWords. */
export function readWords<Options extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  own: Options,
) {
  try {
    return parseArgs({ args: [...argv], options: { ...USUAL, ...own }, allowPositionals: true });
  } catch (error) {
    throw new WrongWords(messageOf(error).split('. ')[0]);
  }
}

/** The command of a name. Throws WrongWords with those that there are. */
export function commandIn<Command>(commands: Readonly<Record<string, Command>>, name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new WrongWords(`${JSON.stringify(name)} is none of ${Object.keys(commands).join(', ')}`);
  return command;
}

/** Settings with the files and folders that the options name. Throws SettingsError. */
export function settingsHere(values: { readonly [name: string]: string | boolean | undefined }): Settings {
  const argv = PLACES.flatMap((name) => {
    const value = values[name];
    return typeof value === 'string' ? [`--${name}=${value}`] : [];
  });
  const usualFile = fileURLToPath(new URL('config/default.json', ROOT));
  const readText = (path: string) => readFileSync(path, 'utf8');
  return load({ argv, env: process.env, home: homedir(), readText, usualFile }).settings();
}

/** 2 for a wrong command line or wrong settings, 1 for any other failure. */
export const exitCodeOf = (error: unknown): 1 | 2 =>
  error instanceof WrongWords || error instanceof SettingsError ? 2 : 1;
