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
const PLACES = ['config', 'data-dir', 'key-file'];

type Options = NonNullable<ParseArgsConfig['options']>;

function readWords<Own extends Options>(own: Own) {
  try {
    return parseArgs({ args: process.argv.slice(2), options: { ...USUAL, ...own }, allowPositionals: true });
  } catch (error) {
    throw new WrongWords(messageOf(error).split('. ')[0]);
  }
}

interface CommandLine<Own extends Options> {
  readonly name: string;
  /** As people write it: `npm run audit --`. */
  readonly call: string;
  readonly usage: string;
  readonly options: Own;
}

/** Runs the command line of this process. Exit codes: 0 done, 1 it failed, 2 wrong command line or wrong settings. */
export async function runCommand<Own extends Options>(
  { name, call, usage, options }: CommandLine<Own>,
  work: (values: ReturnType<typeof readWords<Own>>['values'], words: readonly string[]) => Promise<unknown>,
): Promise<void> {
  try {
    const { values, positionals } = readWords(options);
    if ('help' in values && values.help) say(usage.trimEnd());
    else await work(values, positionals);
  } catch (error) {
    for (const line of error instanceof SettingsError ? error.problems : [messageOf(error)]) note(`${name}: ${line}`);
    const isWrong = error instanceof WrongWords;
    if (isWrong) note(`${name}: ${call} --help shows what it takes`);
    process.exitCode = isWrong || error instanceof SettingsError ? 2 : 1;
  }
}

/** A line of the result. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line for people. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The command of a name. Throws WrongWords with those that there are. */
export function commandIn<Command>(commands: Readonly<Record<string, Command>>, name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new WrongWords(`${JSON.stringify(name)} is none of ${Object.keys(commands).join(', ')}`);
  return command;
}

/** Refuses words behind a command that takes no more of them. */
export function refuseMore([word]: readonly string[]): void {
  if (word !== undefined) throw new WrongWords(`${JSON.stringify(word)} is one word too many`);
}

/** Settings with the files and folders that the options name. Throws SettingsError. */
export function settingsHere(values: Readonly<Record<string, unknown>>): Settings {
  const argv = PLACES.flatMap((name) => (typeof values[name] === 'string' ? [`--${name}=${values[name]}`] : []));
  const usualFile = fileURLToPath(new URL('config/default.json', ROOT));
  const readText = (path: string) => readFileSync(path, 'utf8');
  return load({ argv, env: process.env, home: homedir(), readText, usualFile }).settings();
}
