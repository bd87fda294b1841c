/** The address of the gateway, and the API key. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../client/index.ts';
import { type Options, type Terminal, WrongWords } from './contract.ts';

const USUAL_URL = 'http://127.0.0.1:8100/api/nl43';
/** The form of API keys. Anything else is not sent: it may be another secret that was named by mistake. */
const KEY = /^slm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/;

type From = Pick<Terminal, 'env' | 'home'>;

/** Throws WrongWords. */
export const clientFor = (options: Options, terminal: From, signal?: AbortSignal): Client =>
  new Client({ baseUrl: urlOf(options, terminal), key: keyOf(options, terminal), signal });

function urlOf({ url }: Options, { env }: From): string {
  const given = typeof url === 'string' ? url : env.SLM_URL || USUAL_URL;
  const read = URL.canParse(given) ? new URL(given) : undefined;
  if (!read || !/^https?:$/.test(read.protocol)) {
    throw new WrongWords(`${JSON.stringify(given)} is not an address of a gateway, such as ${USUAL_URL}`);
  }
  if (read.username !== '' || read.password !== '') throw new WrongWords('an address with a password is not allowed');
  return given;
}

function keyOf(options: Options, { env, home }: From): string | undefined {
  const variable = env.SLM_API_KEY || env.SLM_KEY;
  const usual = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'slm', 'key');
  const named = typeof options['key-file'] === 'string' ? options['key-file'] : env.SLM_API_KEY_FILE;
  if (named) return checked(read(named), named);
  if (variable) return checked(variable.trim(), 'SLM_API_KEY');
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
