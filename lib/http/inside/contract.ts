/** Calls of routes from inside the process. */
import type { PathParameters, Reply, Request, Route } from '../contract.ts';

/** A call of a route by a caller that does not come by HTTP, such as an MQTT topic. */
interface InsideCall {
  /** Path of a POST route as it is defined: `/{unit_id}/start`. The route takes no body, a body or a file. */
  readonly path: string;
  /** Well formed; only for a path with a unit. */
  readonly unitId?: string;
  /** Parameters of the path. */
  readonly params?: PathParameters;
  /** For a route that takes a body. It is checked like the body of an HTTP request. */
  readonly body?: object;
  /** For a route that takes a file. */
  readonly upload?: Buffer;
  /** Name of the API key whose role, units and rate apply. */
  readonly key: string;
  /** Origin of the call, for the audit log. */
  readonly from: string;
  readonly signal: AbortSignal;
}

/**
 * Returns the answer of the route. Errors: NOT_FOUND, UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS, BODY_TOO_LARGE,
 * INVALID, and the errors of the route.
 */
export type CallRoute = (call: InsideCall) => Promise<object>;

/** A call of one route by another, with the rights of its own caller. */
export interface AskedRoute {
  readonly method: Route['method'];
  /** As it is defined: `/{unit_id}/start`, `/_alerts/rules/{id}`. */
  readonly path: string;
  /** Unit of the path. Default: the unit of the request. */
  readonly unitId?: string;
  readonly params?: PathParameters;
  /** Values have the types that the schemas name. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
}

/**
 * Answers as the route would answer this caller: role, units and input are checked. The audit log has the first
 * request, not this one.
 * Errors: NOT_FOUND if the plugin of the route is not loaded, FORBIDDEN, INVALID, and the errors of the route.
 */
export type AskRoute = (request: Request, asked: AskedRoute) => Promise<Reply>;
