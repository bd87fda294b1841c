/** The very first door: who is at the other end, and whether he asks for a request or for a WebSocket. */
import { GatewayError } from '../errors.ts';
import type { Middleware } from './context.ts';
import type { Networks } from './networks.ts';
import { peerOf } from './peer.ts';

/** Longest path and query, characters. Node bounds the headers by itself. */
const LONGEST_URL = 8_192;

export function arrival(trusts: Networks, upgrade: boolean): Middleware {
  return async (context, next) => {
    context.state.peer = peerOf(context.req, trusts);
    context.state.upgrade = upgrade;
    await next();
  };
}

export const shortUrl: Middleware = async (context, next) => {
  if ((context.req.url ?? '').length > LONGEST_URL) {
    throw new GatewayError('URI_TOO_LONG', `path and query are longer than ${LONGEST_URL} characters`);
  }
  await next();
};
