/** The outermost middleware: request id, log line, and the headers that every answer carries. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Middleware } from './context.ts';
import { SECURITY_HEADERS, STRICT_TRANSPORT } from './headers.ts';

const SECURITY = Object.entries(SECURITY_HEADERS);
const FOREIGN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A caller may bring its own id in X-Request-Id, to follow a request through several systems. */
export function trace(log: Log, clock: Clock): Middleware {
  return async (context, next) => {
    const brought = context.get('X-Request-Id');
    const id = FOREIGN_ID.test(brought) ? brought : randomUUID();
    context.state.id = id;
    context.state.log = log;
    const { res } = context;
    res.setHeader('X-Request-Id', id);
    for (const [name, value] of SECURITY) res.setHeader(name, value);
    if (context.state.peer.protocol === 'https') context.set(STRICT_TRANSPORT);
    const began = clock.elapsed();
    await next();
    const ms = Math.round(clock.elapsed() - began);
    // If the caller has gone, nobody gets the answer, and that is no reason for a warning.
    const gone = context.req.socket.destroyed;
    const answered = { status: context.status, code: context.state.code };
    const about = { request: id, method: context.method, path: context.path.slice(0, 200) };
    log[levelOf(context.method, gone ? 0 : context.status)](
      { ...about, ...(gone ? { gone } : answered), ms },
      'request',
    );
  };
}

function levelOf(method: string, status: number): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return method === 'GET' || method === 'HEAD' ? 'debug' : 'info';
}
