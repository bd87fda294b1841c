/**
 * The one place where every request is checked for access, HTTP and WebSocket, with what its route declares. It knows no keys
 * and no roles: an authenticator does.
 */
import type { Arrival } from '../access/contract.ts';
import { arrivalOf } from './arrival.ts';
import type { Context } from './context.ts';
import type { Access, Identity } from './contract.ts';

/** What a route may touch: the unit of its path, only units of the caller, or whatever there is. */
export type Scope = 'unit' | 'filtered' | 'all';

/** What a request wants, as the authenticator needs it. */
export interface AccessQuestion extends Arrival {
  readonly access: Access;
  readonly method: string;
  /** True for a WebSocket handshake. */
  readonly upgrade: boolean;
  /** As in the path, perhaps malformed; empty on a path without one. */
  readonly unitId: string;
  readonly scope: Scope;
  /** The `ticket` of the query of a handshake. */
  readonly ticket: string | undefined;
}

/** Says who it is, or throws a GatewayError to refuse. */
export type Authenticator = (visit: AccessQuestion) => Identity | Promise<Identity>;

/** What a caller is called who needs no sign-in. */
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

/** What a visit needs of a route; a path that is no route is public. */
export type Declared = Pick<AccessQuestion, 'access' | 'scope'>;

/** Lets the caller in or throws: UNAUTHENTICATED, FORBIDDEN, UNIT_NOT_FOUND, TOO_MANY_REQUESTS. */
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
