/** The first middleware of all: where a request came from, and whether it is a WebSocket handshake. */
import { GatewayError } from '../errors.ts';
import type { Middleware } from './context.ts';
import type { Networks } from './networks.ts';
import { peerOf } from './peer.ts';

/** Longest path and query, characters. Node bounds the headers by itself. */
const LONGEST_URL = 8_192;

export function arrival(trusts: Networks, upgrade: boolean): Middleware {
  return (context, next) => {
    context.state.peer = peerOf(context.req, trusts);
    context.state.upgrade = upgrade;
    return next();
  };
}

export const shortUrl: Middleware = (context, next) => {
  if ((context.req.url ?? '').length > LONGEST_URL) {
    throw new GatewayError('URI_TOO_LONG', `Path and query are longer than ${LONGEST_URL} characters.`);
  }
  return next();
};
