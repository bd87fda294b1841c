/**
 * Where a request comes from, and whether it may pass: addresses and networks, what a proxy in front says, and the
 * question to the authenticator. Keys and roles are known only to the authenticator.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Arrival } from '../access/contract.ts';
import { canonicalAddress, kindOf, networkOf } from '../outbound/policy.ts';
import type { Context, Middleware, Peer } from './context.ts';
import type { Access, Identity } from './contract.ts';

/** An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) as IPv4, without a zone (`%eth0`); undefined for no address. */
export function plainAddress(text: string): string | undefined {
  try {
    return canonicalAddress(text);
  } catch {
    return undefined;
  }
}

/** Whether an address lies in one of them. */
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

const MOST_KNOWN = 1_000;

const known = new Map<string, boolean>();

/** Whether a host name or address leads to only this machine. A name is not looked up. */
export function isLoopback(host: string): boolean {
  const before = known.get(host);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const found = leadsToLoopback(host);
  known.set(host, found);
  return found;
}

function leadsToLoopback(host: string): boolean {
  if (/^(.+\.)?localhost\.?$/i.test(host)) return true;
  return plainAddress(host) !== undefined && kindOf(host) === 'loopback';
}

/**
 * The first middleware: sets address, scheme and host of the caller in the state of the request. `X-Forwarded-*` counts
 * only from a proxy in `trusts`: other callers could write anything into it.
 */
export const arrival =
  (trusts: Networks): Middleware =>
  (next) =>
  (context) => {
    context.state.peer = peerOf(context.req, trusts);
    return next(context);
  };

/** `Arrival` of a request, from its headers and its peer. */
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

/** Where a request came from: its connection, or what a trusted proxy says. */
function peerOf(request: IncomingMessage, trusts: Networks): Peer {
  const { socket, headers } = request;
  const address = addressOfSocket(socket);
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

const addresses = new WeakMap<Socket, string>();

/** Kept: the address stays the same as long as the connection lives. */
function addressOfSocket(socket: Socket): string {
  const known = addresses.get(socket);
  if (known !== undefined) return known;
  const address = plainAddress(socket.remoteAddress ?? '') ?? '';
  if (address !== '') addresses.set(socket, address);
  return address;
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

/** Reach of a route: the unit of its path, only the units of the caller, or everything. */
export type Scope = 'unit' | 'filtered' | 'all';

/** A request, as the authenticator needs it. */
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

/** The caller where no key is needed: an admin of all units, named by address. */
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

/** The access that a route declares; a path without a route is public. */
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
