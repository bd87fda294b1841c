/** Signing in and out, and the identity of the caller. */
import { named, TIME_OR_NULL } from '../../domain/fields/field.ts';
import { ROLES } from '../../domain/ids.ts';
import { GatewayError, isGatewayError } from '../../errors.ts';
import { invalid } from '../../http/checks.ts';
import type { Identity, Request, Route, Schema } from '../../http/contract.ts';
import { json } from '../../http/reply.ts';
import type { Log } from '../../log.ts';
import { type AuthenticatorParts, holderOfGivenKey, unauthenticated } from '../authenticator.ts';
import type { Arrival } from '../contract.ts';
import { type Holder, type Person, SIGN_IN_KINDS } from '../tables.ts';
import type { LivePeople } from './live-people.ts';
import type { IssuerPeople } from './outside-people.ts';
import { cookieIn, cookieText, type LastingSession } from './sessions.ts';
import { type FailedSignIns, LONGEST, type Passwords } from './sign-in.ts';

interface SessionRouteParts extends AuthenticatorParts {
  readonly people: LivePeople;
  readonly passwords: Passwords;
  readonly failed: FailedSignIns;
  readonly issuer: Pick<IssuerPeople, 'title' | 'signOut'>;
  readonly isFirstWanted: () => boolean;
  readonly log: Log;
}

interface SignInBody {
  readonly name?: string;
  readonly password?: string;
  readonly key?: string;
}

const BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 64, description: 'Of the person; capitals do not count.' },
    password: { type: 'string', minLength: 1, maxLength: LONGEST, 'x-secret': true },
    key: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      'x-secret': true,
      description: 'An API key, in place of both.',
    },
  },
  example: { name: 'Anna', password: 'nine quiet owls' },
};

export const WHO: Schema = named('SignedIn', {
  name: { type: 'string', description: 'Of the person or the API key.' },
  role: { type: 'string', enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string' }, description: 'null: all units.' },
  kind: {
    type: 'string',
    enum: [...SIGN_IN_KINDS, 'proxy', 'anybody'],
    description:
      'How the caller is known; `proxy`: a proxy in front of the gateway names the caller, `anybody`: nobody needs to sign in.',
  },
  session: {
    type: ['string', 'null'],
    description: 'The id of the session; null: the request has an API key, or needs none.',
  },
  since: { ...TIME_OR_NULL, description: 'When the session began.' },
  until: { ...TIME_OR_NULL, description: 'When it ends at the latest. For a key: when it expires; null: never.' },
  idle_until: { ...TIME_OR_NULL, description: 'When it ends if no further request comes.' },
});

const ISSUER_SIGN_OUT: Schema = {
  type: ['string', 'null'],
  description: 'Where the browser goes to sign out at the issuer, too; null: nowhere.',
};

const WAYS: Schema = named('WaysToSignIn', {
  password: { type: 'boolean', description: 'There are people with a password.' },
  first_admin: {
    type: 'boolean',
    description:
      'Nobody can sign in yet: the code in the log of the gateway makes the first admin (`POST /_invitation/person`).',
  },
  issuer: {
    type: ['string', 'null'],
    description: 'Name of the issuer for people (OpenID Connect): sign-in begins at /sign-in. null: no issuer is set.',
  },
});

export function sessionRoutes(parts: SessionRouteParts): readonly Route[] {
  return [beginning(parts) as Route, asking(parts), ending(parts), ways(parts)];
}

const beginning = (parts: SessionRouteParts): Route<SignInBody> => ({
  method: 'POST',
  path: '/_session',
  access: 'public',
  operation: 'signIn',
  summary: 'Sign in with name and password, or with an API key',
  description:
    'For pages: programs send their API key with each request. The answer sets a cookie that scripts cannot read. It needs the Origin of the gateway, as browsers send it. A wrong name and a wrong password get the same answer.',
  body: BODY,
  answer: { message: { type: 'string' }, data: WHO },
  statuses: [201],
  errors: ['UNAUTHENTICATED', 'FOREIGN_ORIGIN', 'STORAGE_FULL', 'STORAGE_FAILED'],
  async handle(request) {
    const arrival = ownPage(request);
    const holder = await holderFor(parts, request, arrival.address).catch((error: unknown) => {
      if (isGatewayError(error, 'UNAUTHENTICATED'))
        parts.failed.add(arrival.address, nameTried(parts, request.body), error);
      throw error;
    });
    const { cookie, session } = await beginSession(parts, holder, arrival);
    request.recordAs?.(holder.name, holder.role);
    const message = `${holder.name} is signed in.`;
    return json({ message, data: shownSession(parts, session) }, { status: 201, headers: { 'Set-Cookie': cookie } });
  },
});

/** A known name, for the log: other text may be a password. */
const nameTried = ({ people }: SessionRouteParts, { name }: SignInBody): string | undefined =>
  name === undefined ? undefined : people.named(name)?.name;

/** A page of another site must not sign a person in as somebody else. */
export function ownPage({ arrival }: Pick<Request, 'arrival'>): Arrival {
  if (arrival?.ownPage) return arrival;
  throw new GatewayError('FOREIGN_ORIGIN', 'Signing in needs the Origin of the gateway, as its own pages send it.');
}

async function holderFor(
  parts: SessionRouteParts,
  { body: { name, password, key }, caller }: Request<SignInBody>,
  address: string,
): Promise<Holder> {
  if (key !== undefined) {
    if (name !== undefined || password !== undefined)
      throw invalid([{ path: '/key', message: 'is in place of name and password' }]);
    const { keyId } = holderOfGivenKey(parts, address, key.trim());
    const found = parts.keys.find(keyId ?? '');
    if (!found) throw unauthenticated('This API key is unknown or no longer valid.', true);
    const { id, role, units, tags, hash } = found;
    return { kind: 'key', id, name: found.name, role, units, tags, stamp: hash };
  }
  const missing = [...(name === undefined ? ['/name'] : []), ...(password === undefined ? ['/password'] : [])];
  if (name === undefined || password === undefined)
    throw invalid(missing.map((path) => ({ path, message: 'is required, or a key' })));
  const person = await parts.passwords.check(name, password, address, caller.signal);
  if (!person) throw unauthenticated('The name or the password is wrong.', true);
  return holderOfPerson(person);
}

export function holderOfPerson({ id, name, role, units, tags, stamp }: Person): Holder {
  return { kind: 'person', id, name, role, units, tags, stamp };
}

/** The earlier session of the browser ends, so that nobody can plant a cookie that they know. */
export async function beginSession(
  { sessions, log }: Pick<SessionRouteParts, 'sessions' | 'log'>,
  holder: Holder,
  arrival: Arrival,
): Promise<{ readonly cookie: string; readonly session: LastingSession }> {
  const before = cookieIn(arrival);
  const former = before === undefined ? undefined : sessions.use(before);
  if (former) await sessions.end(former.hash);
  const { address, headers } = arrival;
  const { cookie, session } = await sessions.begin(holder, { address, agent: headers['user-agent'] ?? '' });
  log.info(
    { name: holder.name, kind: holder.kind, role: holder.role, address, session: session.id },
    'somebody signed in',
  );
  return { cookie: cookieText(arrival, cookie), session };
}

const asking = (parts: SessionRouteParts): Route => ({
  method: 'GET',
  path: '/_session',
  access: 'viewer',
  operation: 'whoAmI',
  filtersUnits: true,
  summary: 'Who am I',
  description: 'The caller, by session or by API key.',
  answer: { data: WHO },
  errors: [],
  handle: ({ identity }) => ({ data: who(parts, identity) }),
});

const ending = ({ sessions, issuer, log }: SessionRouteParts): Route => ({
  method: 'DELETE',
  path: '/_session',
  access: 'viewer',
  operation: 'signOut',
  filtersUnits: true,
  summary: 'Sign out',
  description: 'The session ends at once, in all tabs and with its WebSockets. An API key stays as it is.',
  answer: { message: { type: 'string' }, issuer_sign_out: ISSUER_SIGN_OUT },
  errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ identity, arrival }) {
    const session = sessions.all.find(({ id }) => id === identity.session);
    if (!session) {
      const message = 'There is no session to end: the request has an API key, or a proxy signs in.';
      return { message, issuer_sign_out: null };
    }
    const issuer_sign_out = session.holder.kind === 'issuer' ? (issuer.signOut(session.id) ?? null) : null;
    await sessions.end(session.hash);
    log.info({ name: identity.name, session: session.id }, 'somebody signed out');
    const headers = { 'Set-Cookie': cookieText({ secure: arrival?.secure ?? false }, '') };
    return json({ message: `${identity.name} is signed out.`, issuer_sign_out }, { headers });
  },
});

const ways = ({ people, issuer, isFirstWanted }: SessionRouteParts): Route => ({
  method: 'GET',
  path: '/_session/ways',
  access: 'public',
  operation: 'listWaysToSignIn',
  summary: 'How one can sign in here',
  description: 'For the page that asks for it. An API key is always a way.',
  answer: { data: WAYS },
  errors: [],
  handle: () => ({
    data: {
      password: people.all.some(({ password }) => password !== null),
      first_admin: isFirstWanted(),
      issuer: issuer.title,
    },
  }),
});

function who(parts: SessionRouteParts, { name, role, units, keyId, owner, session }: Identity) {
  const { sessions, keys } = parts;
  const present = sessions.all.find(({ id }) => id === session);
  if (present) return shownSession(parts, present);
  const until = keys.find(keyId ?? '')?.expires_at ?? null;
  const kind = keyId !== null ? 'key' : owner === undefined ? 'anybody' : 'proxy';
  return { name, role, units, kind, session: null, since: null, until, idle_until: null };
}

export function shownSession(
  { sessions, unitsNow }: Pick<SessionRouteParts, 'sessions' | 'unitsNow'>,
  session: LastingSession,
) {
  const { name, role, kind, tags = null } = session.holder;
  const units = unitsNow({ units: session.holder.units, tags });
  const { until, idleUntil } = sessions.endOf(session);
  const times = { since: timeText(session.created), until: timeText(until), idle_until: timeText(idleUntil) };
  return { name, role, units, kind, session: session.id, ...times };
}

const timeText = (at: number): string => new Date(at).toISOString();
