/** The first lines in a terminal, and the log in words. */
import { resolve } from 'node:path';
import type { LogTarget } from '../log.ts';
import { KEYS_COMMAND } from '../root.ts';

export interface Welcome {
  readonly version: string;
  /** Base addresses for other computers. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly dashboard: boolean;
  readonly needsKey: boolean;
  /** Makes the first admin; undefined: somebody can call already. */
  readonly firstCode?: string | undefined;
  readonly dataDir: string;
  readonly meters: { readonly known: number; readonly enabled: number };
  /** Why this instance is not the gateway now; undefined: it is the gateway. */
  readonly waits?: string | undefined;
  /** Parts that do not work, each as one sentence. */
  readonly troubles: readonly string[];
}

/** The first line, which programs look for as well. */
export const listensLine = ({ version, addresses, port }: Welcome): string =>
  `slm-gateway ${version} listens on ${addresses.join(' and ') || `port ${port}`}\n`;

export function welcomeText(about: Welcome): string {
  const [address = ''] = about.addresses;
  if (about.waits !== undefined) return `${listensLine(about)}  ${about.waits}\n`;
  const lines: readonly (readonly [string, string])[] = [
    ['dashboard', about.dashboard && address !== '' ? new URL('/', address).href : 'off'],
    ['API', address === '' ? `port ${about.port}` : `${address}/openapi.json describes it`],
    ['API key', keyText(about)],
    ['data', resolve(about.dataDir)],
    ['meters', metersText(about)],
    ...about.troubles.map((detail) => ['TROUBLE', detail] as const),
    ['to end it', 'Ctrl-C'],
  ];
  return `${listensLine(about)}${lines.map(([name, text]) => `  ${name.padEnd(10)} ${text}\n`).join('')}`;
}

function keyText({ needsKey, firstCode, addresses }: Welcome): string {
  if (firstCode !== undefined) return `needed; the first admin enters this code in the dashboard: ${firstCode}`;
  if (needsKey) return `needed; make one with: ${KEYS_COMMAND} create --name me --role admin`;
  const isLocal = addresses.every((address) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(address).hostname));
  return isLocal
    ? 'not needed: only programs on this computer can call'
    : 'NOT NEEDED: everybody who reaches this address controls the meters';
}

function metersText({ meters: { known, enabled }, dashboard }: Welcome): string {
  if (known === 0) return `none yet; add one ${dashboard ? 'in the dashboard, or ' : ''}with: slm add NAME ADDRESS`;
  const off = known - enabled;
  return `${known}${off > 0 ? `, ${off} of them switched off` : ''}`;
}

const WORDS: Readonly<Record<string, string>> = { warn: 'WARN', error: 'ERROR' };

/** Log lines as time, severity, message, and the rest as name=value. Text that is no JSON is passed on as it is. */
export const readableLog = (to: LogTarget): LogTarget => ({
  write: (line: string) => void to.write(textOf(line)),
});

function textOf(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg, err, ...rest } = entry;
  const at = new Date(String(time)).toLocaleTimeString('en-GB', { hour12: false });
  const more = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`);
  const first = [at, (WORDS[String(level)] ?? String(level)).padEnd(5), String(msg ?? ''), ...more].join(' ');
  return `${harmless(first)}\n${stackOf(err)}`;
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);

/** Texts may come from a meter or a caller: characters that would move the cursor are removed. */
const harmless = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return '';
  const lines = String(error.stack).split('\n');
  return lines.map((line) => `    ${harmless(line)}\n`).join('');
}
