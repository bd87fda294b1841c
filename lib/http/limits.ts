/**
 * Limits that apply before a handler runs: length of the path, time of the body, and no request after the stop has
 * begun.
 */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Middleware } from './context.ts';
import { endWith } from './raw.ts';

/** Longest path and query, characters. Node bounds the headers by itself. */
const LONGEST_URL = 8_192;

/** Errors: STOPPING after the stop has begun. An answer under way at that time is the last one of its connection. */
export const whileOpen =
  (gate: { readonly open: boolean }): Middleware =>
  (next) =>
  async (context) => {
    if (!gate.open)
      throw new GatewayError('STOPPING', 'The gateway is stopping.', { headers: { Connection: 'close' } });
    await next(context);
    if (!gate.open) context.set('Connection', 'close');
  };

/** Errors: URI_TOO_LONG. */
export const shortUrl: Middleware = (next) => (context) => {
  if ((context.req.url ?? '').length > LONGEST_URL) {
    throw new GatewayError('URI_TOO_LONG', `Path and query are longer than ${LONGEST_URL} characters.`);
  }
  return next(context);
};

/**
 * Ends the connection of a caller whose body has not arrived completely within `limitMs`, even if nobody reads the
 * body. Otherwise slow senders could use up the connections. A route that takes a file lifts this limit (body.ts).
 */
export const bodyInTime =
  (clock: Clock, limitMs: number): Middleware =>
  (next) =>
  (context) => {
    const { req, state } = context;
    const { headers, socket } = req;
    if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return next(context);
    const cancel = clock.after(limitMs, () => {
      if (!req.complete) endWith('REQUEST_TIMEOUT', socket);
    });
    req.once('close', cancel);
    state.allowSlowBody = cancel;
    return next(context);
  };
