/**
 * Decides who may call: the check of every request, HTTP and WebSocket.
 *
 *   key, ticket or session -> known, valid -> not too many requests -> role -> unit
 *
 * A caller without a key gets the same 401 for existing and unknown units. A caller whose key is limited to other units
 * gets the same 403 in both cases.
 */
import type { Clock } from '../clock.ts';
import { reaches, suffices } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import { type AccessQuestion, type Authenticator, anybody, isLoopback } from '../http/arrival.ts';
import { addressPrefix } from '../http/callers.ts';
import type { Identity } from '../http/contract.ts';
import type { KeyHolders } from '../http/inside/index.ts';
import { idIn, matches } from './key-text.ts';
import { type LastUse, type LiveKeys, standingOf } from './live-keys.ts';
import type { ProxiedPeople } from './people/outside-people.ts';
import { cookieIn, type LastingSession, ownerOf, type Sessions } from './people/sessions.ts';
import type { KeyRecord } from './tables.ts';
import type { Tickets } from './tickets.ts';
import type { Guess, Guesses, Rate } from './tries.ts';
import type { UnitsNow } from './unit-choice.ts';

interface Demand {
  /** A key, a session or a ticket; false: everybody who reaches the port may do everything. */
  readonly key: boolean;
}

export interface AuthenticatorParts {
  readonly keys: LiveKeys;
  readonly tickets: Tickets;
  readonly lastUse: LastUse;
  readonly sessions: Sessions;
  readonly proxied: ProxiedPeople;
  readonly guesses: Guesses;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly unitsNow: UnitsNow;
  readonly demand: Demand;
}

/** Throws GatewayError: UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS. */
export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  return (visit) => {
    if (!parts.demand.key) return passOpen(parts, visit);
    if (visit.access === 'public') return passPublic(parts, visit);
    const identity = identify(parts, visit);
    countRequest(parts, identity.owner ?? `key ${identity.keyId}`);
    if (identity.keyId !== null) parts.lastUse.note(identity.keyId);
    authorize(identity, visit);
    return identity;
  };
}

/** Programs of this machine need no key, and their rate is not limited. */
function passOpen(parts: AuthenticatorParts, { address, access }: AccessQuestion): Identity {
  if (!isLoopback(address)) countRequest(parts, addressPrefix(address));
  return { ...anybody(address), stillValid: () => access === 'public' || !parts.demand.key };
}

function passPublic(parts: AuthenticatorParts, { address }: AccessQuestion): Identity {
  countRequest(parts, addressPrefix(address));
  return { ...anybody(address), role: 'viewer', units: [] };
}

function identify(parts: AuthenticatorParts, visit: AccessQuestion): Identity {
  const prefix = addressPrefix(visit.address);
  const name = parts.proxied.nameIn(visit);
  // The password for a proxy is not an API key.
  const given = visit.headers.authorization;
  const authorization = name === undefined || /^Bearer /i.test(given ?? '') ? given : undefined;
  if (authorization === undefined && visit.ticket === undefined) {
    if (name !== undefined) return holderByProxy(parts, visit, name);
    const cookie = cookieIn(visit);
    const session = cookie === undefined ? undefined : parts.sessions.use(cookie);
    if (session) return holderOfSession(parts, visit, session);
    countRequest(parts, prefix);
    const why = cookie === undefined ? '' : ' The session of this browser has ended: sign in again.';
    throw unauthenticated(`An API key is needed: Authorization: Bearer KEY.${why}`);
  }
  if (authorization !== undefined) return holderOfGivenKey(parts, visit.address, bearerIn(authorization));
  const identity = holderOfTicket(parts, visit);
  if (identity) return identity;
  refuse(parts, prefix, { kind: 'ticket', tried: TICKET });
  throw unauthenticated('This ticket is unknown or no longer valid.', true);
}

/** Throws UNAUTHENTICATED, TOO_MANY_REQUESTS. A key cannot be guessed, so wrong keys cause no wait: others at the same address have valid ones. */
export function holderOfGivenKey(parts: AuthenticatorParts, address: string, text: string): Identity {
  const identity = holderOfKey(parts, address, text);
  if (identity) return identity;
  refuse(parts, addressPrefix(address), { kind: 'key', tried: triedWith(parts, text) });
  throw unauthenticated('This API key is unknown or no longer valid.', true);
}

/** Wrong keys and tickets have a limit of their own: they use up no request of others at their address. */
function refuse(parts: AuthenticatorParts, prefix: string, guess: Guess): void {
  parts.guesses.add(prefix, guess);
  countRequest(parts, `wrong ${prefix}`);
}

function holderByProxy(parts: AuthenticatorParts, visit: AccessQuestion, name: string): Identity {
  const identity = parts.proxied.identityOf(name, visit.address);
  if (!identity) {
    countRequest(parts, addressPrefix(visit.address));
    throw unauthenticated('The proxy names a person that this gateway does not know.');
  }
  needOwnPage(visit);
  return identity;
}

function holderOfSession(parts: AuthenticatorParts, visit: AccessQuestion, session: LastingSession): Identity {
  needOwnPage(visit);
  return identityOfSession(parts, session, visit.address);
}

/** A cookie is sent automatically, so it does not prove that a person wants the change. */
function needOwnPage({ method, upgrade, ownPage }: AccessQuestion): void {
  const isRead = (method === 'GET' || method === 'HEAD') && !upgrade;
  if (!isRead && !ownPage)
    throw new GatewayError('FOREIGN_ORIGIN', 'With a session, changes and WebSockets need the Origin of the gateway.');
}

function identityOfSession(
  { sessions, unitsNow }: AuthenticatorParts,
  session: LastingSession,
  address: string,
): Identity {
  const { id, hash, holder, ended } = session;
  const { kind, name, role, units, tags = null } = holder;
  return {
    name,
    keyId: kind === 'key' ? holder.id : null,
    role,
    get units() {
      return unitsNow({ units, tags });
    },
    tags,
    address,
    owner: ownerOf(holder),
    session: id,
    stillValid: () => sessions.lasts(hash),
    ended,
  };
}

const TICKET = 'a ticket that was used, expired or unknown';

/** Description of the attempt without secrets; the id of a key is not secret. */
function triedWith({ keys }: AuthenticatorParts, text: string): string {
  const id = idIn(text);
  if (id === undefined) return 'something that is not an API key';
  return keys.find(id) ? `the id of the key ${id} with a wrong secret` : 'an unknown API key';
}

const bearerIn = (authorization: string): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

function holderOfTicket(
  { tickets }: AuthenticatorParts,
  { ticket = '', unitId, address }: AccessQuestion,
): Identity | undefined {
  const identity = tickets.redeem(ticket, unitId);
  if (!identity) return undefined;
  return {
    ...identity,
    get units() {
      return identity.units;
    },
    address,
  };
}

function holderOfKey(parts: AuthenticatorParts, address: string, text: string): Identity | undefined {
  const key = parts.keys.find(idIn(text) ?? '');
  if (!key || !matches(text, key.hash)) return undefined;
  const standing = standingOf(key, parts.clock.now());
  // The text is right: the caller has not guessed it.
  if (standing !== 'good') {
    countRequest(parts, addressPrefix(address));
    throw unauthenticated(`The API key ${key.id} ${standing === 'expired' ? 'has expired' : 'was revoked'}.`, true);
  }
  return identityOf(parts, key, address);
}

/** The caller of a key. `stillValid` asks the keys again, for connections that stay open. */
export function identityOf(
  { keys, clock, unitsNow }: Pick<AuthenticatorParts, 'keys' | 'clock' | 'unitsNow'>,
  key: KeyRecord,
  address: string,
): Identity {
  const { id, name, role, tags, hash } = key;
  const stillValid = () => {
    const now = keys.find(id);
    return now !== undefined && now.hash === hash && standingOf(now, clock.now()) === 'good';
  };
  return {
    name,
    keyId: id,
    role,
    get units() {
      return unitsNow(key);
    },
    tags,
    address,
    stillValid,
  };
}

/** Throws GatewayError FORBIDDEN. */
export function authorize(
  identity: Identity,
  { access, scope, unitId }: Pick<AccessQuestion, 'access' | 'scope' | 'unitId'>,
): void {
  if (!suffices(identity.role, access)) {
    const who = identity.keyId === null ? identity.name : 'this API key';
    throw new GatewayError('FORBIDDEN', `This needs the role ${access}; ${who} has the role ${identity.role}.`);
  }
  if (scope === 'unit' && !reaches(identity, unitId)) {
    throw new GatewayError(
      'FORBIDDEN',
      identity.keyId === null
        ? `${identity.name} has no access to this unit.`
        : 'This API key is not valid for this unit.',
    );
  }
  if (scope === 'all' && identity.units !== null) {
    const who = identity.keyId === null ? identity.name : 'this API key';
    throw new GatewayError('FORBIDDEN', `This request is about all units, and ${who} is limited to some.`);
  }
}

/** Throws GatewayError TOO_MANY_REQUESTS, with the seconds to wait. */
function countRequest({ rate }: Pick<AuthenticatorParts, 'rate'>, caller: string): void {
  slowDown(rate.take(caller), 'Too many requests');
}

/** The same if there is a wait. */
export function slowDown(waitMs: number, why: string): void {
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  const headers = { 'Retry-After': String(seconds) };
  throw new GatewayError('TOO_MANY_REQUESTS', `${why}; try again in ${seconds} s.`, { headers });
}

/** Has the challenge for programs. `given`: the caller sent a proof, and it is not valid. */
export function unauthenticated(detail: string, given = false): GatewayError {
  const challenge = `Bearer realm="slm-gateway"${given ? ', error="invalid_token"' : ''}`;
  return new GatewayError('UNAUTHENTICATED', detail, { headers: { 'WWW-Authenticate': challenge } });
}

/** For callers without HTTP, such as an MQTT topic: with the rights of a key in the settings, also where nobody needs a key. */
export function createKeyHolders(
  parts: Pick<AuthenticatorParts, 'keys' | 'lastUse' | 'rate' | 'clock' | 'unitsNow'>,
): KeyHolders {
  return (name, visit) => {
    const good = parts.keys.named(name).filter((key) => standingOf(key, parts.clock.now()) === 'good');
    const [key] = good;
    if (!key || good.length > 1) {
      const why = key ? 'several valid API keys have this name' : 'no valid API key has this name';
      throw new GatewayError('UNAUTHENTICATED', `The API key ${JSON.stringify(name)} cannot be used: ${why}.`);
    }
    const identity = identityOf(parts, key, visit.address);
    countRequest(parts, `key ${key.id}`);
    parts.lastUse.note(key.id);
    authorize(identity, visit);
    return identity;
  };
}
