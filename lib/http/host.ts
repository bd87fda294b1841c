/**
 * Against DNS rebinding: a page of some other site can make its own name resolve to our address, but its browser
 * then names that site in `Host`. Names that are not ours are refused before anything else is checked.
 */
import { hostname } from 'node:os';
import { GatewayError } from '../errors.ts';
import type { Context, Middleware } from './context.ts';
import { PROBES } from './health.ts';
import { addressOf, isLoopback } from './networks.ts';

export interface OwnNames {
  /** What the server is bound to. */
  readonly host: string;
  /** Further names of the gateway, without a port. */
  readonly allowedHosts: readonly string[];
}

/** Programs that monitor the gateway use an address or a name of their own, and these answers contain no secrets. */
const PROBE_PATHS: ReadonlySet<string> = new Set(PROBES.map(({ path }) => path));

export function knownHost(names: OwnNames, machine = hostname()): Middleware {
  const knows = nameCheck(names, machine);
  let lastGood: string | undefined;
  return (context, next) => {
    if (PROBE_PATHS.has(context.path)) return next();
    const { host } = context.state.peer;
    if (host !== lastGood || isRepeated(context)) {
      const name = nameIn(host);
      if (name === undefined || isRepeated(context) || !knows(name)) throw wrongHost(name);
      lastGood = host;
    }
    return next();
  };
}

/** An address needs no look-up, so it cannot be rebound. But if the gateway listens on loopback, no other address leads here. */
function nameCheck({ host, allowedHosts }: OwnNames, machine: string): (name: string) => boolean {
  const names = new Set([host, ...allowedHosts].map(plain));
  if (isLoopback(host)) return (name) => isLoopback(name) || names.has(name);
  for (const own of [machine, `${machine}.local`]) names.add(plain(own));
  return (name) => isLoopback(name) || addressOf(name) !== undefined || names.has(name);
}

/** Without port, brackets and the dot of an absolute name; undefined for what is no host. */
function nameIn(host: string): string | undefined {
  const found = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::\d{1,5})?$/i.exec(host);
  return found ? plain(found[1] ?? found[2] ?? '') : undefined;
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Two Host headers can confuse a proxy in front (RFC 9112, 3.2); Node would take the first. */
function isRepeated({ req: { rawHeaders } }: Context): boolean {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') seen += 1;
  }
  return seen > 1;
}

function wrongHost(name: string | undefined): GatewayError {
  const detail =
    name === undefined
      ? 'One well-formed Host header is required.'
      : `The gateway does not answer to the name ${name}; to allow it, add the name to the setting allowed_hosts.`;
  return new GatewayError('WRONG_HOST', detail);
}
