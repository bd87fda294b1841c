/** What a request may cost before anybody looks at it: the length of its path, the time of its body, and nothing once the gateway stops. */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Middleware } from './context.ts';
import { endWith } from './raw.ts';

/** Longest path and query, characters. Node bounds the headers by itself. */
const LONGEST_URL = 8_192;

/** Errors: STOPPING once the gate is closed. Answers that are under way then are the last ones of their connection. */
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
 * Ends the connection of a caller whose body has not arrived whole within `limitMs`, whether anybody reads it or not: slow senders
 * must not use up the connections. A route that takes a file lifts this (body.ts).
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
