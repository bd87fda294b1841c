/** The outermost middleware: request id, log line, and the headers that every answer carries. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { isWritten, type Log } from '../log.ts';
import type { Middleware } from './context.ts';
import { withoutToken } from './share-path.ts';

/** An answer is data: a browser must not run it or show it in a frame. Every answer has these headers. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** For a year; sent only over TLS, because it has no meaning without TLS (RFC 6797, 7.2). */
const STRICT_TRANSPORT: Readonly<Record<string, string>> = Object.freeze({
  'Strict-Transport-Security': 'max-age=31536000',
});

const SECURITY = Object.entries(SECURITY_HEADERS);
const FOREIGN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A caller may send its own id in X-Request-Id, to follow a request through several systems. */
export function trace(log: Log, clock: Clock): Middleware {
  return (next) => async (context) => {
    const brought = context.req.headers['x-request-id'];
    const id = typeof brought === 'string' && FOREIGN_ID.test(brought) ? brought : randomUUID();
    context.state.id = id;
    context.state.log = log;
    const { res } = context;
    res.setHeader('X-Request-Id', id);
    for (const [name, value] of SECURITY) res.setHeader(name, value);
    if (context.state.peer.protocol === 'https') context.set(STRICT_TRANSPORT);
    const began = clock.elapsed();
    await next(context);
    // If the caller has gone, nobody gets the answer; that is not a reason for a warning.
    const gone = context.req.socket.destroyed;
    const level = logLevelOf(context.method, gone ? 0 : context.status);
    if (!isWritten(log, level)) return;
    const ms = Math.round(clock.elapsed() - began);
    const answered = { status: context.status, code: context.state.code };
    const about = { request: id, method: context.method, path: withoutToken(context.path).slice(0, 200) };
    log[level]({ ...about, ...(gone ? { gone } : answered), ms }, 'request');
  };
}

function logLevelOf(method: string, status: number): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return method === 'GET' || method === 'HEAD' ? 'debug' : 'info';
}
