/**
 * Names of the gateway, and web pages that may call it.
 *
 * Names, against DNS rebinding: another site can make its own name resolve to our address, but the browser then sends
 * that name in `Host`. Names that are not ours are refused before all other checks.
 *
 * Pages, for browsers: pages of our own origin and of the listed origins may call. Pages of any other origin are
 * refused, with every method. A caller that sends no Origin and no Sec-Fetch-Site is not a browser and passes. CORS
 * answers with the listed origin only: nothing is reflected, and `null` (a sandboxed frame, a file) is never listed.
 */
import { hostname } from 'node:os';
import { GatewayError } from '../errors.ts';
import { isLoopback, ownOrigin, plainAddress } from './arrival.ts';
import { SHARE_PATH } from './callers.ts';
import type { Context } from './context.ts';
import { PROBES } from './health.ts';

/** A path with its secret masked, for the log. */
export const withoutToken = (path: string): string => (path.startsWith(SHARE_PATH) ? `${SHARE_PATH}***` : path);

/** If its Content-Security-Policy allows it. */
const mayBeFramed = (path: string): boolean => path.startsWith(SHARE_PATH);

/** Names under which the gateway may be called. */
export interface OwnNames {
  /** The address to which the server is bound. */
  readonly host: string;
  /** Without a port. */
  readonly allowedHosts: readonly string[];
}

/** Monitoring programs use an address or a name of their own, and these answers contain no secrets. */
const PROBE_PATHS: ReadonlySet<string> = new Set(PROBES.map(({ path }) => path));

/** Refuses requests for other names with WRONG_HOST. */
export function knownHost(names: OwnNames, machine = hostname()): (context: Context) => void {
  const knows = nameCheck(names, machine);
  return (context) => {
    if (PROBE_PATHS.has(context.path)) return;
    const name = nameIn(context.state.peer.host);
    if (name === undefined || isRepeated(context) || !knows(name)) throw wrongHost(name);
  };
}

/** An address needs no look-up and so cannot be rebound. But on loopback no other address leads to the gateway. */
function nameCheck({ host, allowedHosts }: OwnNames, machine: string): (name: string) => boolean {
  const names = new Set([host, ...allowedHosts].map(plain));
  if (isLoopback(host)) return (name) => isLoopback(name) || names.has(name);
  for (const own of [machine, `${machine}.local`]) names.add(plain(own));
  return (name) => isLoopback(name) || plainAddress(name) !== undefined || names.has(name);
}

/** Without port, brackets and the dot of an absolute name; undefined for text that is not a host. */
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

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
const HEADERS = 'Authorization, Content-Type, Request-Timeout, X-Request-Id';
const READABLE = 'Content-Disposition, Retry-After, X-Request-Id';
/** A browser may keep the answer to a preflight this long, s. */
const PREFLIGHT_S = '600';

/**
 * Refuses pages of other origins with FOREIGN_ORIGIN. `allowed`: `https://dash.example.org`, as browsers write origins.
 * Returns true after it has answered a preflight of an allowed page.
 */
export function ownPages(allowed: readonly string[]): (context: Context) => boolean {
  const listed = new Set(allowed);
  return (context) => {
    const origin = context.req.headers.origin ?? '';
    if (listed.size > 0) context.vary('Origin');
    if (listed.has(origin)) permit(context, origin);
    else if (isForeign(context, origin)) throw foreign(origin);
    if (!listed.has(origin) || !isPreflight(context)) return false;
    preflight(context);
    return true;
  };
}

function permit(context: Context, origin: string): void {
  context.set('Access-Control-Allow-Origin', origin);
  context.set('Access-Control-Expose-Headers', READABLE);
}

const isPreflight = (context: Context): boolean =>
  context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';

function preflight(context: Context): void {
  context.set('Access-Control-Allow-Methods', METHODS);
  context.set('Access-Control-Allow-Headers', HEADERS);
  context.set('Access-Control-Max-Age', PREFLIGHT_S);
  context.status = 204;
}

function isForeign(context: Context, origin: string): boolean {
  if (origin !== '') return origin.toLowerCase() !== ownOrigin(context.state.peer);
  // An image or a script of another page asks without an Origin; a link that a person follows is allowed.
  const site = context.req.headers['sec-fetch-site'];
  return (site === 'cross-site' || site === 'same-site') && !isFollowedLink(context);
}

const isFollowedLink = (context: Context): boolean =>
  (context.method === 'GET' || context.method === 'HEAD') &&
  context.get('Sec-Fetch-Mode') === 'navigate' &&
  (context.get('Sec-Fetch-Dest') === 'document' ||
    (context.get('Sec-Fetch-Dest') === 'iframe' && mayBeFramed(context.path)));

function foreign(origin: string): GatewayError {
  const pages = origin === '' || origin === 'null' ? 'Pages of other origins' : `Pages of ${origin.slice(0, 200)}`;
  return new GatewayError('FOREIGN_ORIGIN', `${pages} may not call the gateway; see the setting allowed_origins.`);
}
