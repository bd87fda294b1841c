/** Common parts of all calls: they use the checked addresses, and fail with a message. */
import type { LookupFunction } from 'node:net';
import { GatewayError, messageOf } from '../errors.ts';

/** In place of another look-up of the name: the connection uses the addresses that were checked. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, done) => {
    if (all) done(null, found);
    else done(null, found[0]?.address ?? '', found[0]?.family ?? 4);
  };
}

/** Error for the caller in place of the error of a socket: OUTBOUND_FAILED, or the reason of the signal. */
export const outboundError = (name: string, error: unknown, signal: AbortSignal): unknown =>
  signal.aborted
    ? signal.reason
    : new GatewayError('OUTBOUND_FAILED', `The call to ${name} failed: ${messageOf(error)}.`, { cause: error });
