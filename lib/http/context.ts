/** What the doors know of one request on its way, HTTP or upgrade alike. */
import type { ParameterizedContext } from 'koa';
import type { ErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Request } from './contract.ts';
import type { Peer } from './peer.ts';
import type { CompiledSocket } from './routes.ts';

export interface State {
  /** The request id: in the answer's X-Request-Id and in every log line of the request. */
  id: string;
  log: Log;
  peer: Peer;
  /** True for a WebSocket handshake. */
  upgrade: boolean;
  /** The code of the error that was answered. */
  code?: ErrorCode;
  /** Set when an upgrade was let in: what to open once the handshake is done. */
  admission?: { readonly socket: CompiledSocket; readonly request: Request };
}

export type Context = ParameterizedContext<State>;
export type Next = () => Promise<void>;
export type Middleware = (context: Context, next: Next) => Promise<void>;
export type Endpoint = (context: Context) => Promise<void>;

/** The endpoint behind the doors; the first door is the outermost. */
export function behind(doors: readonly Middleware[], endpoint: Endpoint): Endpoint {
  return (context) =>
    doors.reduceRight<Next>(
      (next, door) => () => door(context, next),
      () => endpoint(context),
    )();
}
