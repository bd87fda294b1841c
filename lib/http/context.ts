/** What the middleware knows of one request on its way, HTTP or upgrade alike, and how the middleware becomes one chain. */

import type { ParameterizedContext } from 'koa';
import type { ErrorCode, ErrorPage, WordError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ValueCheck } from './checks.ts';
import type { Request, SocketRoute } from './contract.ts';

/** Who called, and under which name. */
export interface Peer {
  /** IPv4 or IPv6; empty when the connection is gone already. */
  readonly address: string;
  readonly protocol: 'http' | 'https';
  /** The connection comes from a trusted proxy. */
  readonly byProxy: boolean;
  /** Name and port as the caller wrote them; empty where there was none. */
  readonly host: string;
}

/** An upgrade that was let in: what to open once the handshake is done. */
export interface Admission {
  readonly route: SocketRoute;
  /** Of what the client sends; undefined: it is dropped. */
  readonly checkMessage: ValueCheck | undefined;
  readonly request: Request;
}

/** What belongs to one request, from its arrival to its answer. */
export interface State {
  /** The request id: in the answer's X-Request-Id and in every log line of the request. */
  id: string;
  /** Of the server. Lines about this request carry its id. */
  log: Log;
  peer: Peer;
  /** A WebSocket handshake. */
  upgrade?: true;
  /** Lifts the limit on the time that the body may take. Absent where there is none. */
  allowSlowBody?: () => void;
  /** Of a route that words its errors in its own way. */
  wordError?: WordError;
  /** Of a route whose errors are pages for people. */
  errorPage?: ErrorPage;
  /** The code of the error that was answered. */
  code?: ErrorCode;
  admission?: Admission;
  /** Its handler did not end in time and is not waited for. */
  gaveUp?: true;
}

/** Koa's context with the state of this gateway. */
export type Context = ParameterizedContext<State>;
/** Answers or throws a GatewayError. */
export type Endpoint = (context: Context) => Promise<void>;
/**
 * A step of the chain: does its part around what stands behind it, which is known when the chain is made, not for each request. One that
 * has nothing to wait for throws at once and hands on the promise of the next one: a promise less for each request.
 */
export type Middleware = (next: Endpoint) => Endpoint;

/** The endpoint behind the middleware; the first one is the outermost. */
export const behind = (middleware: readonly Middleware[], endpoint: Endpoint): Endpoint =>
  middleware.reduceRight((inner, outer) => outer(inner), endpoint);
