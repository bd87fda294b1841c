/**
 * Who may call: the one check of every request, both HTTP and WebSocket.
 *
 *   key or ticket -> not too many wrong ones -> known, valid -> not too many requests -> role -> unit
 *
 * A caller without a key gets the same 401 whether the unit exists or not. A caller whose key is limited to other units gets
 * the same 403 in both cases.
 */
import type { Clock } from '../clock.ts';
import { reaches, suffices } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import { type AccessQuestion, type Authenticator, anybody } from '../http/access.ts';
import type { Identity } from '../http/contract.ts';
import { addressPrefix, isLoopback } from '../http/networks.ts';
import type { Guesses } from './guesses.ts';
import type { KeyRecord } from './key-file.ts';
import { idIn, matches } from './key-text.ts';
import type { LastUse } from './last-use.ts';
import { type LiveKeys, standingOf } from './live-keys.ts';
import type { Rate } from './rate.ts';
import type { Tickets } from './tickets.ts';
import type { Unlocks } from './unlocks.ts';
import type { WrongKeys } from './wrong-keys.ts';

/** What it asks: keys, tickets, limits, and the time. */
export interface AuthenticatorParts {
  readonly keys: LiveKeys;
  readonly tickets: Tickets;
  readonly lastUse: LastUse;
  readonly wrongKeys: WrongKeys;
  readonly wrongTickets: WrongKeys;
  readonly guesses: Guesses;
  readonly unlocks: Unlocks;
  readonly rate: Rate;
  readonly clock: Clock;
  /** Whether callers need a key now. */
  readonly needsKey: () => boolean;
}

/**
 * Says who a visit is by key or ticket, and whether it may. Throws GatewayError: UNAUTHENTICATED, FORBIDDEN,
 * TOO_MANY_REQUESTS.
 */
export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  return (visit) => {
    if (!parts.needsKey()) return passOpen(parts, visit);
    if (visit.access === 'public') return passPublic(parts, visit);
    const identity = identify(parts, visit);
    countRequest(parts, `key ${identity.keyId}`);
    if (identity.keyId !== null) parts.lastUse.note(identity.keyId);
    authorize(identity, visit);
    return identity;
  };
}

/** Programs of this machine, which need no key, are not slowed down either. */
function passOpen(parts: AuthenticatorParts, { address, access }: AccessQuestion): Identity {
  if (!isLoopback(address)) countRequest(parts, addressPrefix(address));
  return { ...anybody(address), stillValid: () => access === 'public' || !parts.needsKey() };
}

function passPublic(parts: AuthenticatorParts, { address }: AccessQuestion): Identity {
  countRequest(parts, addressPrefix(address));
  return { ...anybody(address), role: 'viewer', units: [] };
}

function identify(parts: AuthenticatorParts, visit: AccessQuestion): Identity {
  const prefix = addressPrefix(visit.address);
  const { authorization } = visit.headers;
  if (authorization === undefined && visit.ticket === undefined) {
    countRequest(parts, prefix);
    throw unauthenticated('An API key is needed: Authorization: Bearer KEY.');
  }
  const kind = authorization === undefined ? 'ticket' : 'key';
  const wrong = kind === 'ticket' ? parts.wrongTickets : parts.wrongKeys;
  slowDown(waitOf(parts, wrong, prefix), `Too many wrong ${kind}s came from this address`);
  const identity =
    authorization === undefined ? holderOfTicket(parts, visit) : holderOfKey(parts, visit, authorization);
  if (identity) return identity;
  wrong.add(prefix);
  parts.guesses.add(prefix, { kind, tried: authorization === undefined ? TICKET : triedWith(parts, authorization) });
  throw unauthenticated(`This ${kind === 'key' ? 'API key' : 'ticket'} is unknown or no longer valid.`, true);
}

/** An administrator may have unlocked this address. */
function waitOf({ wrongKeys, wrongTickets, unlocks }: AuthenticatorParts, wrong: WrongKeys, prefix: string): number {
  if (wrong.waitOf(prefix) === 0) return 0;
  for (const unlocked of unlocks.fresh()) {
    wrongKeys.forget(unlocked);
    wrongTickets.forget(unlocked);
  }
  return wrong.waitOf(prefix);
}

const TICKET = 'a ticket that was used, expired or unknown';

/** What was tried, without anything secret: the id of a key is no secret. */
function triedWith({ keys }: AuthenticatorParts, authorization: string): string {
  const id = idIn(bearerIn(authorization));
  if (id === undefined) return 'something that is not an API key';
  return keys.find(id) ? `the id of the key ${id} with a wrong secret` : 'an unknown API key';
}

const bearerIn = (authorization: string): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

function holderOfTicket(
  { tickets }: AuthenticatorParts,
  { ticket = '', unitId, address }: AccessQuestion,
): Identity | undefined {
  const identity = tickets.redeem(ticket, unitId);
  return identity && { ...identity, address };
}

function holderOfKey(
  parts: AuthenticatorParts,
  { address }: AccessQuestion,
  authorization: string,
): Identity | undefined {
  const text = bearerIn(authorization);
  const key = parts.keys.find(idIn(text) ?? '');
  if (!key || !matches(text, key.hash)) return undefined;
  const standing = standingOf(key, parts.clock.now());
  // The text is right, so the caller has not guessed it.
  if (standing !== 'good') {
    countRequest(parts, addressPrefix(address));
    throw unauthenticated(`The API key ${key.id} ${standing === 'expired' ? 'has expired' : 'was revoked'}.`, true);
  }
  return identityOf(parts, key, address);
}

/** The caller that a key stands for. `stillValid` asks the keys again, for connections that stay open. */
export function identityOf(
  { keys, clock }: Pick<AuthenticatorParts, 'keys' | 'clock'>,
  key: KeyRecord,
  address: string,
): Identity {
  const { id, name, role, units, hash } = key;
  const stillValid = () => {
    const now = keys.find(id);
    return now !== undefined && now.hash === hash && standingOf(now, clock.now()) === 'good';
  };
  return { name, keyId: id, role, units, address, stillValid };
}

/** Throws GatewayError FORBIDDEN where role or units of the caller are not enough. */
export function authorize(
  identity: Identity,
  { access, scope, unitId }: Pick<AccessQuestion, 'access' | 'scope' | 'unitId'>,
): void {
  if (!suffices(identity.role, access)) {
    throw new GatewayError('FORBIDDEN', `This needs the role ${access}; this API key has the role ${identity.role}.`);
  }
  if (scope === 'unit' && !reaches(identity, unitId)) {
    throw new GatewayError('FORBIDDEN', 'This API key is not valid for this unit.');
  }
  if (scope === 'all' && identity.units !== null) {
    throw new GatewayError('FORBIDDEN', 'This request is about all units, and this API key is limited to some.');
  }
}

/** Counts a request of a caller. Throws GatewayError TOO_MANY_REQUESTS, with the seconds to wait. */
export function countRequest({ rate }: Pick<AuthenticatorParts, 'rate'>, caller: string): void {
  slowDown(rate.take(caller), 'Too many requests');
}

function slowDown(waitMs: number, why: string): void {
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  const headers = { 'Retry-After': String(seconds) };
  throw new GatewayError('TOO_MANY_REQUESTS', `${why}; try again in ${seconds} s.`, { headers });
}

function unauthenticated(detail: string, given = false): GatewayError {
  const challenge = `Bearer realm="slm-gateway"${given ? ', error="invalid_token"' : ''}`;
  return new GatewayError('UNAUTHENTICATED', detail, { headers: { 'WWW-Authenticate': challenge } });
}
