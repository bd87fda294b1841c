/** Calls of routes from inside the process. */
import type { PathParameters, Reply, Request, Route } from '../contract.ts';

/** A call of a route by a caller that does not come by HTTP, such as an MQTT topic. */
export interface InsideCall {
  /** A POST route that takes no body, a body or a file, as it is defined: `/{unit_id}/start`. */
  readonly path: string;
  /** Well formed; of a path with a unit. */
  readonly unitId?: string;
  /** Of the path. */
  readonly params?: PathParameters;
  /** Of a route that takes one. It is checked as one that comes by HTTP. */
  readonly body?: object;
  /** The file, of a route that takes one. */
  readonly upload?: Buffer;
  /** Name of the API key whose role, units and rate count. */
  readonly key: string;
  /** Where the call came from, for the audit log. */
  readonly from: string;
  readonly signal: AbortSignal;
}

/** What the route answers. Errors: NOT_FOUND, UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS, BODY_TOO_LARGE, INVALID, and those of the route. */
export type CallRoute = (call: InsideCall) => Promise<object>;

/** A call of one route by another, with the rights of its own caller. */
export interface AskedRoute {
  readonly method: Route['method'];
  /** As it is defined: `/{unit_id}/start`, `/_alerts/rules/{id}`. */
  readonly path: string;
  /** Of the path. Default: the unit of the request. */
  readonly unitId?: string;
  readonly params?: PathParameters;
  /** With the types that the schemas name. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
}

/**
 * Answers as the route would answer this caller: role, units, and the checks of its input count. The audit log has the
 * request that asks, not this one. Errors: NOT_FOUND where the plugin of the route is not loaded, FORBIDDEN, INVALID, and those
 * of the route.
 */
export type AskRoute = (request: Request, asked: AskedRoute) => Promise<Reply>;
