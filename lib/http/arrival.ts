/**
 * The first middleware: address of the caller and the host name of the request. `X-Forwarded-*` counts only from a
 * listed proxy: other callers could write anything into it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Arrival } from '../access/contract.ts';
import type { Middleware, Peer } from './context.ts';
import { type Networks, plainAddress } from './networks.ts';

/**
 * Sets address, scheme and host of the caller in the state of the request. `trusted`: the proxies whose headers
 * count.
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
