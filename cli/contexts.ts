/** Gateways by name, in a file of the user: `~/.config/slm/contexts.json`. It holds addresses and names of key files, no keys. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Terminal, WrongWords } from './contract.ts';

/** One gateway. */
export interface Context {
  /** Its address, with or without the base path. */
  readonly url: string;
  /** File with the API key for this gateway alone. */
  readonly key_file?: string;
}

/** Content of the file. */
export interface Contexts {
  /** Name of the context for commands without `--context`. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

type Where = Pick<Terminal, 'env' | 'home'>;

/** The folder of `slm` in the home of the user. */
export const folderOf = ({ env, home }: Where): string => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'slm');

const fileOf = (where: Where): string => join(folderOf(where), 'contexts.json');

/** Without a file there are no contexts. Throws WrongWords for a file that cannot be read. */
export function readContexts(where: Where): Contexts {
  try {
    return JSON.parse(readFileSync(fileOf(where), 'utf8')) as Contexts;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { current: null, contexts: {} };
    throw new WrongWords(`${fileOf(where)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Replaces the file as a whole; only its user can read it. */
export function writeContexts(where: Where, contexts: Contexts): void {
  const file = fileOf(where);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(contexts, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Throws WrongWords for an unknown name. */
export function contextNamed(name: string, { contexts }: Contexts): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found) return found;
  throw new WrongWords(`there is no context ${JSON.stringify(name)}; slm context list shows them`);
}
