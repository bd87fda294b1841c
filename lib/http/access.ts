/**
 * Every request, HTTP and WebSocket, is checked here against the access that its route declares. Keys and roles are
 * known only to the authenticator.
 */
import type { Arrival } from '../access/contract.ts';
import { arrivalOf } from './arrival.ts';
import type { Context } from './context.ts';
import type { Access, Identity } from './contract.ts';

/** Reach of a route: the unit of its path, only the units of the caller, or everything. */
export type Scope = 'unit' | 'filtered' | 'all';

/** A request, as the authenticator needs it. */
export interface AccessQuestion extends Arrival {
  readonly access: Access;
  readonly method: string;
  /** True for a WebSocket handshake. */
  readonly upgrade: boolean;
  /** As in the path, perhaps malformed; empty when the path has no unit. */
  readonly unitId: string;
  readonly scope: Scope;
  /** The `ticket` of the query of a handshake. */
  readonly ticket: string | undefined;
}

/** Returns the identity of the caller, or throws a GatewayError to refuse the request. */
export type Authenticator = (visit: AccessQuestion) => Identity | Promise<Identity>;

/** Name of a caller that needs no sign-in. */
export const ANYBODY = 'anybody';

/** The caller where no key is needed: an admin of all units, named by address. */
export const anybody = (address: string): Identity => ({
  name: ANYBODY,
  keyId: null,
  role: 'admin',
  units: null,
  address,
  stillValid: () => true,
});

/** Lets everybody in who reaches the port: right only on the loopback address. */
export const everybody: Authenticator = ({ address }) => anybody(address);

/** The access that a route declares; a path without a route is public. */
export type Declared = Pick<AccessQuestion, 'access' | 'scope'>;

/** Returns the caller. Errors: UNAUTHENTICATED, FORBIDDEN, UNIT_NOT_FOUND, TOO_MANY_REQUESTS. */
export function checkAccess(
  authenticator: Authenticator,
  context: Context,
  { access, scope }: Declared,
  unitId: string,
  ticket?: string,
): Identity | Promise<Identity> {
  return authenticator({
    access,
    method: context.method,
    upgrade: context.state.upgrade ?? false,
    unitId,
    scope,
    ticket,
    ...arrivalOf(context.req.headers, context.state.peer),
  });
}
