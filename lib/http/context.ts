/** What the middleware knows of one request on its way, HTTP or upgrade alike. */
import type { ParameterizedContext } from 'koa';
import type { ErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Request, WordError } from './contract.ts';
import type { Peer } from './peer.ts';
import type { CompiledSocket } from './routes.ts';

export interface State {
  /** The request id: in the answer's X-Request-Id and in every log line of the request. */
  id: string;
  /** Of the server. Lines about this request carry its id. */
  log: Log;
  peer: Peer;
  /** True for a WebSocket handshake. */
  upgrade: boolean;
  /** Lifts the limit on the time that the body may take. Absent where there is none. */
  allowSlowBody?: () => void;
  /** Of a route that words its errors in its own way. */
  wordError?: WordError;
  /** The code of the error that was answered. */
  code?: ErrorCode;
  /** Set when an upgrade was let in: what to open once the handshake is done. */
  admission?: { readonly socket: CompiledSocket; readonly request: Request };
}

export type Context = ParameterizedContext<State>;
export type Next = () => Promise<void>;
/** One that has nothing to wait for throws at once and hands on the promise of the next one: a promise less for each request. */
export type Middleware = (context: Context, next: Next) => Promise<void>;
export type Endpoint = (context: Context) => Promise<void>;

/** The endpoint behind the middleware; the first one is the outermost. */
export function behind(middleware: readonly Middleware[], endpoint: Endpoint): Endpoint {
  return middleware.reduceRight<Endpoint>(
    (inner, outer) => (context) => outer(context, () => inner(context)),
    endpoint,
  );
}
