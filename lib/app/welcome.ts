/** The lines for a person who starts the gateway in a terminal. */
import { resolve } from 'node:path';
import { KEYS_COMMAND } from '../root.ts';

/** Facts in the lines. */
export interface Welcome {
  readonly version: string;
  /** Base addresses for other computers. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly dashboard: boolean;
  readonly needsKey: boolean;
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

/** Several lines, each with a line feed: addresses, folders, and next steps. */
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

function keyText({ needsKey, addresses }: Welcome): string {
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
