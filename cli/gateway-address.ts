/**
 * The address of the gateway, and the API key: from options, the environment, or a context. A context is a gateway by name, in a
 * file of the user: `~/.config/slm/contexts.json`. It holds addresses and names of key files, no keys.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '../client/index.ts';
import { type Options, type Terminal, WrongWords } from './contract.ts';

const USUAL_URL = 'http://127.0.0.1:8100/api/nl43';
/** The form of API keys. Anything else is not sent: it may be another secret that was named by mistake. */
const KEY = /^slm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/;

type From = Pick<Terminal, 'env' | 'home'>;

/** Throws WrongWords. */
export function clientFor(options: Options, terminal: From, signal?: AbortSignal): Client {
  const { url } = options;
  const context = contextOf(options, terminal);
  const given = typeof url === 'string' ? url : (context?.url ?? (terminal.env.SLM_URL || USUAL_URL));
  return new Client({ baseUrl: checkedUrl(given), key: keyOf(options, terminal, context), signal });
}

/** The gateway that was chosen by its name. An address comes before the context in use, but not together with a name on the command line. */
function contextOf({ url, context }: Options, from: From): Context | undefined {
  if (typeof context === 'string') {
    if (typeof url === 'string') throw new WrongWords('--context and --url are two addresses: give one of them');
    return contextNamed(context, readContexts(from));
  }
  if (typeof url === 'string' || from.env.SLM_URL) return undefined;
  const all = readContexts(from);
  const name = from.env.SLM_CONTEXT || all.current;
  return name === null ? undefined : contextNamed(name, all);
}

/** Throws WrongWords where this cannot be the address of a gateway. */
export function checkedUrl(given: string): string {
  const read = URL.canParse(given) ? new URL(given) : undefined;
  if (!read || !/^https?:$/.test(read.protocol)) {
    throw new WrongWords(`${JSON.stringify(given)} is not an address of a gateway, such as ${USUAL_URL}`);
  }
  if (read.username !== '' || read.password !== '') throw new WrongWords('an address with a password is not allowed');
  return given;
}

function keyOf(options: Options, from: From, context: Context | undefined): string | undefined {
  const { env } = from;
  const variable = env.SLM_API_KEY || env.SLM_KEY;
  const usual = join(folderOf(from), 'key');
  const named = typeof options['key-file'] === 'string' ? options['key-file'] : env.SLM_API_KEY_FILE;
  if (named) return checked(read(named), named);
  if (variable) return checked(variable.trim(), 'SLM_API_KEY');
  // The usual key is for the usual gateway: another gateway must not see it.
  if (context) return context.key_file === undefined ? undefined : checked(read(context.key_file), context.key_file);
  return existsSync(usual) ? checked(read(usual), usual) : undefined;
}

/** `>` writes UTF-16 in the PowerShell that comes with Windows. */
function read(file: string): string {
  try {
    const bytes = readFileSync(file);
    return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8').trim();
  } catch (error) {
    throw new WrongWords(`the key file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function checked(key: string, from: string): string {
  if (KEY.test(key)) return key;
  throw new WrongWords(
    `the text in ${from} is not an API key: a key begins with slm_; do not use the gateway's own key file here`,
  );
}

// Gateways by name, in a file of the user: `~/.config/slm/contexts.json`. It holds addresses and names of key files, no keys.

interface Context {
  readonly url: string;
  /** File with the API key for this gateway alone. */
  readonly key_file?: string;
}

interface Contexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

type Where = Pick<Terminal, 'env' | 'home'>;

const folderOf = ({ env, home }: Where): string => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'slm');

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
