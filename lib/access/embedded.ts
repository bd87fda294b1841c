/** Access where the program that embeds the gateway decides about callers. */
import { GatewayError } from '../errors.ts';
import type { Authenticator } from '../http/arrival.ts';
import { type CallerAccess, NO_ISSUER } from './index.ts';

export const embedded = (authenticator: Authenticator): CallerAccess => ({
  authenticator,
  holders: () => {
    throw new GatewayError('UNAUTHENTICATED', 'There are no API keys here.');
  },
  firstCode: () => undefined,
  rightsOf: () => undefined,
  needsKey: () => true,
  apply() {},
  guesses: () => ({ wrongKeys: 0, wrongTickets: 0 }),
  issuerSessions: NO_ISSUER,
  routes: [],
  close: async () => {},
});
