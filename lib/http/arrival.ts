/** Where a request comes from, and whether it may pass: its address, what a proxy in front says, and the question to the authenticator. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Arrival } from '../access/contract.ts';
import { canonicalAddress, kindOf, networkOf } from '../outbound/policy.ts';
import type { Context, Middleware, Peer } from './context.ts';
import type { Access, Identity } from './contract.ts';

const MOST_KNOWN = 1_000;

/** The same callers come again and again, and to read an address takes longer than to find it here. */
function remembered<Result>(work: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as Result;
    if (known.size >= MOST_KNOWN) known.clear();
    const found = work(text);
    known.set(text, found);
    return found;
  };
}

/** An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) as IPv4, without a zone (`%eth0`); undefined for no address. */
export const plainAddress = remembered((text): string | undefined => {
  try {
    return canonicalAddress(text);
  } catch {
    return undefined;
  }
});

export type Networks = (address: string) => boolean;

/** From `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. Throws an error with the first invalid entry. */
export function networksFrom(entries: readonly string[]): Networks {
  const networks = entries.map((entry) => {
    const network = networkOf(entry);
    if (!network) throw new Error(`${JSON.stringify(entry)} is no address and no network like 192.0.2.0/24`);
    return network;
  });
  return (address) => networks.some((network) => network.holds(address));
}

/** Whether a host name or address leads to only this machine. A name is not looked up. */
export const isLoopback = remembered(
  (host) => /^(.+\.)?localhost\.?$/i.test(host) || (plainAddress(host) !== undefined && kindOf(host) === 'loopback'),
);

/** Address, scheme and host of the caller. `X-Forwarded-*` counts only from a proxy in `trusts`: other callers could write anything into it. */
export const arrival =
  (trusts: Networks): Middleware =>
  (next) =>
  (context) => {
    context.state.peer = peerOf(context.req, trusts);
    return next(context);
  };

export const arrivalOf = (headers: IncomingHttpHeaders, peer: Peer): Arrival => ({
  address: peer.address,
  headers,
  byProxy: peer.byProxy,
  secure: peer.protocol === 'https',
  origin: ownOrigin(peer),
  ownPage: headers.origin?.toLowerCase() === ownOrigin(peer),
});

/** The gateway as the caller named it: `https://meters.example`. */
export const ownOrigin = ({ protocol, host }: Peer): string => `${protocol}://${host}`.toLowerCase();

function peerOf(request: IncomingMessage, trusts: Networks): Peer {
  const { socket, headers } = request;
  const address = plainAddress(socket.remoteAddress ?? '') ?? '';
  const protocol = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  const host = headers.host ?? '';
  if (address === '' || !trusts(address)) return { address, byProxy: false, protocol, host };
  return {
    address: forwardedFor(words(headers['x-forwarded-for']), address, trusts),
    byProxy: true,
    protocol: words(headers['x-forwarded-proto']).findLast((word) => word === 'http' || word === 'https') ?? protocol,
    host: words(headers['x-forwarded-host']).at(-1) ?? host,
  };
}

/** From right to left: a hop counts as long as the hop that reported it is trusted. */
function forwardedFor(hops: readonly string[], proxy: string, trusts: Networks): string {
  let address = proxy;
  for (const hop of hops.toReversed()) {
    const reported = plainAddress(hop);
    if (reported === undefined) break;
    address = reported;
    if (!trusts(address)) break;
  }
  return address;
}

const words = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Reach of a route: the unit of its path, the units of the caller, or everything. */
export type Scope = 'unit' | 'filtered' | 'all';

export interface AccessQuestion extends Arrival {
  readonly access: Access;
  readonly method: string;
  /** True for a WebSocket handshake. */
  readonly upgrade: boolean;
  /** As in the path, perhaps malformed; empty when the path has no unit. */
  readonly unitId: string;
  readonly scope: Scope;
  /** The `ticket` of the query of a handshake. */
  readonly ticket: string | undefined;
}

/** Returns the identity of the caller, or throws a GatewayError to refuse the request. */
export type Authenticator = (visit: AccessQuestion) => Identity | Promise<Identity>;

/** Name of a caller that needs no sign-in. */
export const ANYBODY = 'anybody';

/** An admin of all units, named by address. */
export const anybody = (address: string): Identity => ({
  name: ANYBODY,
  keyId: null,
  role: 'admin',
  units: null,
  address,
  stillValid: () => true,
});

/** Lets everybody in who reaches the port: right only on the loopback address. */
export const everybody: Authenticator = ({ address }) => anybody(address);

/** A path without a route is public. */
export type Declared = Pick<AccessQuestion, 'access' | 'scope'>;

/** Returns the caller. Errors: UNAUTHENTICATED, FORBIDDEN, UNIT_NOT_FOUND, TOO_MANY_REQUESTS. */
export function checkAccess(
  authenticator: Authenticator,
  context: Context,
  { access, scope }: Declared,
  unitId: string,
  ticket?: string,
): Identity | Promise<Identity> {
  return authenticator({
    access,
    method: context.method,
    upgrade: context.state.upgrade ?? false,
    unitId,
    scope,
    ticket,
    ...arrivalOf(context.req.headers, context.state.peer),
  });
}
