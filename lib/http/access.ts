/**
 * The one place that decides who may call. Every endpoint passes it, HTTP and WebSocket alike, with what its route
 * declared. It knows no keys and no roles itself: a doorkeeper does.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from './context.ts';
import type { Access } from './contract.ts';

export interface Visit {
  readonly access: Access;
  readonly method: string;
  /** True for a WebSocket handshake. */
  readonly upgrade: boolean;
  /** As in the path, perhaps malformed; empty on a path without one. */
  readonly unitId: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the peer. */
  readonly address: string;
}

/** Throws a GatewayError to refuse. */
export type Doorkeeper = (visit: Visit) => void | Promise<void>;

/** Lets everybody in who reaches the port: right on the loopback address alone. */
export const everybody: Doorkeeper = () => {};

export async function checkAccess(
  doorkeeper: Doorkeeper,
  context: Context,
  access: Access,
  unitId: string,
): Promise<void> {
  await doorkeeper({
    access,
    method: context.method,
    upgrade: context.get('Upgrade') !== '',
    unitId,
    headers: context.req.headers,
    address: context.req.socket.remoteAddress ?? '',
  });
}
