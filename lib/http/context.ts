/** State of one request, HTTP or upgrade, and the chain of middleware that it passes. */

import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import type { ErrorCode, ErrorPage, WordError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ValueCheck } from './checks.ts';
import type { Request, SocketRoute } from './contract.ts';

export interface Peer {
  /** IPv4 or IPv6; empty when the connection is gone already. */
  readonly address: string;
  readonly protocol: 'http' | 'https';
  /** The connection comes from a trusted proxy. */
  readonly byProxy: boolean;
  /** Name and port as the caller wrote them; empty if they are missing. */
  readonly host: string;
}

export interface Admission {
  readonly route: SocketRoute;
  /** Check of messages of the client. Undefined: the messages are dropped. */
  readonly checkMessage: ValueCheck | undefined;
  readonly request: Request;
}

export interface State {
  /** The request id: in the answer's X-Request-Id and in every log line of the request. */
  id: string;
  /** Log of the server. Lines about this request carry its id. */
  log: Log;
  peer: Peer;
  /** A WebSocket handshake. */
  upgrade?: true;
  /** Lifts the time limit of the body. Absent if the request has no limit. */
  allowSlowBody?: () => void;
  /** Set by a route that words its errors in its own way. */
  wordError?: WordError;
  /** Set by a route that answers errors with pages for people. */
  errorPage?: ErrorPage;
  /** The code of the error that was answered. */
  code?: ErrorCode;
  admission?: Admission;
  /** The handler exceeded its time; nobody waits for it. */
  gaveUp?: true;
}

/** The part of Koa's context that the chain uses, with the state of this gateway. The types of the package may not need Koa. */
export interface Context {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: State;
  readonly request: { readonly body?: unknown };
  readonly response: { readonly headers: OutgoingHttpHeaders; get(name: string): string };
  readonly headers: IncomingHttpHeaders;
  method: string;
  path: string;
  query: ParsedUrlQuery;
  querystring: string;
  status: number;
  body: unknown;
  type: string;
  length: number;
  get(name: string): string;
  set(name: string, value: string | string[]): void;
  set(headers: Readonly<Record<string, string | string[]>>): void;
  remove(name: string): void;
  vary(name: string): void;
  attachment(name: string, options: { readonly fallback: string | boolean }): void;
  acceptsEncodings(...encodings: string[]): string | false;
}
/** Answers or throws a GatewayError. */
export type Endpoint = (context: Context) => Promise<void>;
/**
 * A step of the chain. It gets the next step when the chain is made, not for each request. A step that does not wait
 * throws at once and returns the promise of the next step: that saves a promise per request.
 */
export type Middleware = (next: Endpoint) => Endpoint;

/** The first middleware is the outermost. */
export const behind = (middleware: readonly Middleware[], endpoint: Endpoint): Endpoint =>
  middleware.reduceRight((inner, outer) => outer(inner), endpoint);
