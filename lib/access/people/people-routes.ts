/** People are listed, made, changed and removed; sessions are listed and ended. */
import type { Clock } from '../../clock.ts';
import { named, TIME, TIME_OR_NULL } from '../../domain/fields/field.ts';
import { ROLES, type Role } from '../../domain/ids.ts';
import { GatewayError } from '../../errors.ts';
import { invalid } from '../../http/checks.ts';
import type { Identity, Route, Schema } from '../../http/contract.ts';
import { keyedPage, listQuery, MOMENT, momentOf, NEXT, type PageQuery } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { PersonChange, TableKeyAdmin } from '../key-admin.ts';
import { CALLER_NAME, checkName, refusedAsInvalid } from '../key-routes.ts';
import { type Person, SIGN_IN_KINDS } from '../tables.ts';
import { CHOSEN, choiceIn, mayManage, SHOWN_CHOICE, type UnitChoice, type UnitsNow } from '../unit-choice.ts';
import { type LivePeople, sameName } from './live-people.ts';
import { type LastingSession, ownerOf, type Sessions } from './sessions.ts';
import { hashPassword, passwordFault } from './sign-in.ts';

interface Parts {
  readonly people: LivePeople;
  readonly sessions: Sessions;
  readonly admin: TableKeyAdmin;
  readonly clock: Clock;
  readonly unitsNow: UnitsNow;
  readonly isOpen: () => boolean;
}

interface NewPersonBody extends Partial<UnitChoice> {
  readonly name: string;
  readonly role: Role;
  readonly until?: string | null;
  readonly password?: string | null;
}

export const UNTIL: Schema = {
  ...MOMENT,
  type: ['string', 'null'],
  description: `${MOMENT.description}; the person may sign in until then; null: without an end`,
};

const PERSON: Schema = named('Person', {
  id: { type: 'string', description: 'Eight hexadecimal digits.' },
  name: { type: 'string' },
  ...SHOWN_CHOICE,
  until: { ...TIME_OR_NULL, description: 'The person may sign in until then; null: without an end.' },
  has_password: { type: 'boolean', description: 'false: a proxy in front of the gateway signs the person in.' },
  created_at: TIME,
  sessions: { type: 'integer', description: 'How many are open.' },
  last_used_at: { ...TIME_OR_NULL, description: 'Of these sessions, the last request; null: none is open.' },
});

const SESSION: Schema = named('SignInSession', {
  id: { type: 'string', description: '16 hexadecimal digits.' },
  name: { type: 'string', description: 'Of the person or the API key.' },
  kind: { type: 'string', enum: SIGN_IN_KINDS },
  role: { type: 'string', enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string' }, description: 'null: all units.' },
  own: { type: 'boolean', description: 'It is of the caller.' },
  current: { type: 'boolean', description: 'The request came by it.' },
  address: { type: 'string', description: 'Where it began.' },
  agent: { type: 'string', description: 'What the browser calls itself.' },
  since: TIME,
  last_used_at: TIME,
  until: { ...TIME, description: 'When it ends at the latest.' },
});

export const peopleRoutes = (parts: Parts): readonly Route[] => [
  listPeople(parts),
  addPerson(parts) as Route,
  changePerson(parts) as Route,
  removePerson(parts),
  signOutPerson(parts),
  listSessions(parts),
  endSession(parts),
];

const isOwn = ({ owner, keyId }: Identity, { holder }: LastingSession): boolean =>
  ownerOf(holder) === (owner ?? `key ${keyId}`);

const maySee = (identity: Identity, session: LastingSession): boolean =>
  isOwn(identity, session) || (identity.role === 'admin' && mayManage(identity, { tags: null, ...session.holder }));

const listPeople = (parts: Parts): Route => ({
  method: 'GET',
  path: '/_people',
  access: 'admin',
  filtersUnits: true,
  operation: 'listPeople',
  summary: 'List the people who may sign in by name and password',
  description: 'An admin of some units sees the people who are for these only.',
  query: listQuery({}, { type: 'string', maxLength: 8 }),
  answer: { data: { type: 'array', items: PERSON }, next: NEXT },
  errors: [],
  handle({ query, identity }) {
    const seen = parts.people.all.filter((person) => mayManage(identity, person));
    const { page, next } = keyedPage(seen, query as PageQuery, ({ id }) => id);
    const open = Map.groupBy(parts.sessions.all, ({ holder }) => ownerOf(holder));
    return { data: page.map((person) => shownPerson(parts, person, open.get(`person ${person.id}`))), next };
  },
});

const PASSWORD: Schema = {
  type: ['string', 'null'],
  maxLength: 512,
  'x-secret': true,
  description: 'null: a proxy or an issuer signs the person in.',
};

const addPerson = (parts: Parts): Route<NewPersonBody> => ({
  method: 'POST',
  path: '/_people',
  access: 'admin',
  filtersUnits: true,
  operation: 'createPerson',
  summary: 'Make a person who may sign in',
  description:
    'An invitation (`POST /_invitations`) lets the person choose name and password. Where everybody may call so far, the first person must be an admin of all units with a password: from then on everybody must sign in.',
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'role'],
    properties: {
      name: { type: 'string', maxLength: 64, description: CALLER_NAME },
      ...CHOSEN,
      until: UNTIL,
      password: PASSWORD,
    },
    example: { name: 'Anna', role: 'viewer', tags: ['harbour'], password: 'nine quiet owls' },
  },
  answer: { message: { type: 'string' }, data: PERSON },
  statuses: [201],
  errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ body, identity }) {
    const { name, role, password = null } = body;
    const rights = { role, ...choiceIn(body), until: endIn(body.until, parts.clock) ?? null };
    if (!mayManage(identity, rights)) throw beyond(identity);
    checkName(name);
    if (password !== null) checkPassword(name, password);
    if (parts.isOpen() && (role !== 'admin' || rights.units !== null || rights.until !== null || password === null))
      throw invalid([
        {
          path: '/role',
          message: 'must be admin, for all units, without an end and with a password: it is the first person',
        },
      ]);
    const stored = password === null ? null : await hashPassword(password);
    const { person } = await refusedAsInvalid(() => parts.admin.addPerson({ name, ...rights, password: stored }));
    return json({ message: `${name} can sign in.`, data: shownPerson(parts, person) }, { status: 201 });
  },
});

const NAMED = {
  path: '/_people/{name}',
  params: { name: { type: 'string', minLength: 1, maxLength: 64, description: 'the name of a person' } },
  access: 'admin',
  filtersUnits: true,
  errors: ['PERSON_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
} as const;

const changePerson = (parts: Parts): Route<Partial<NewPersonBody>> => ({
  ...NAMED,
  method: 'PUT',
  operation: 'changePerson',
  summary: 'Change role, units, end or password of a person',
  description:
    'Missing properties stay. The sessions of the person end. Nobody changes the own role, units or end: so an admin always remains.',
  body: {
    type: 'object',
    additionalProperties: false,
    properties: { ...CHOSEN, until: UNTIL, password: PASSWORD },
    example: { role: 'operator', units: ['roof'], until: '2027-01-31T00:00:00Z' },
  },
  answer: { message: { type: 'string' }, data: PERSON },
  async handle({ body, params, identity, before }) {
    const person = personFor(parts, params.name, identity);
    const { role, units, tags, password } = body;
    const until = endIn(body.until, parts.clock);
    const choice = units === undefined && tags === undefined ? undefined : choiceIn(body);
    if (isSelf(identity, person) && (role !== undefined || choice || until !== undefined || password === null))
      throw ownRights();
    if (choice && !mayManage(identity, choice)) throw beyond(identity);
    if (typeof password === 'string') checkPassword(person.name, password);
    before(shownPerson(parts, person));
    const change: PersonChange = {
      ...(role !== undefined && { role }),
      ...choice,
      ...(until !== undefined && { until }),
      ...(password !== undefined && { password: password === null ? null : await hashPassword(password) }),
    };
    const changed = (await parts.admin.changePerson(person.name, change)) ?? person;
    return { message: `${person.name} is changed, and has to sign in again.`, data: shownPerson(parts, changed) };
  },
});

const removePerson = (parts: Parts): Route => ({
  ...NAMED,
  method: 'DELETE',
  operation: 'removePerson',
  summary: 'Remove a person',
  description: 'The sessions of the person end at once. Nobody removes the own person.',
  answer: { message: { type: 'string' } },
  async handle({ params, identity, before }) {
    const person = personFor(parts, params.name, identity);
    if (isSelf(identity, person)) throw ownRights();
    before(shownPerson(parts, person));
    await parts.admin.removePerson(person.name);
    return { message: `${person.name} is removed, and every session of ${person.name} has ended.` };
  },
});

const signOutPerson = (parts: Parts): Route => ({
  ...NAMED,
  method: 'DELETE',
  path: '/_people/{name}/sessions',
  operation: 'signOutPerson',
  summary: 'Sign a person out everywhere',
  description: 'All sessions of the person end at once, with their WebSockets. API keys stay.',
  answer: { message: { type: 'string' } },
  async handle({ params, identity }) {
    const person = personFor(parts, params.name, identity);
    // Sessions of an issuer or a proxy end with the stamp of the person, too.
    await parts.admin.changePerson(person.name, {});
    return { message: `${person.name} is signed out everywhere.` };
  },
});

/** Errors: PERSON_NOT_FOUND, also for a person whom the caller may not manage. */
function personFor({ people }: Parts, name = '', identity: Identity): Person {
  const person = people.all.find((one) => sameName(one.name) === sameName(name));
  if (!person || !mayManage(identity, person))
    throw new GatewayError('PERSON_NOT_FOUND', `There is no ${name} among the people.`);
  return person;
}

const isSelf = ({ owner }: Identity, { id }: Person): boolean => owner === `person ${id}`;

const ownRights = () =>
  invalid([{ path: '/name', message: 'is the person of this request: another admin must do it' }]);

/** Errors: INVALID. */
export function checkPassword(name: string, password: string): void {
  const fault = passwordFault(name, password);
  if (fault !== undefined) throw invalid([{ path: '/password', message: fault }]);
}

/** The end of a person, ISO 8601, UTC. Errors: INVALID. */
export function endIn(text: string | null | undefined, clock: Clock): string | null | undefined {
  if (text === undefined || text === null) return text;
  const until = momentOf(text, '/until');
  if (until <= clock.now()) throw invalid([{ path: '/until', message: 'must be in the future' }]);
  return timeText(until);
}

/** An admin of some units wants to give more. */
export const beyond = ({ tags, units }: Identity) =>
  new GatewayError(
    'FORBIDDEN',
    `${tags ? 'By tag you give access' : 'You give access'} only to ${(tags ?? units)?.join(', ')}.`,
  );

function shownPerson({ sessions, unitsNow }: Parts, person: Person, open?: readonly LastingSession[]) {
  const { id, name, role, tags, until, password, created_at } = person;
  const own = open ?? sessions.all.filter(({ holder }) => ownerOf(holder) === `person ${id}`);
  return {
    id,
    name,
    role,
    units: unitsNow(person),
    tags,
    until,
    has_password: password !== null,
    created_at,
    sessions: own.length,
    last_used_at: own.length === 0 ? null : timeText(Math.max(...own.map(({ used }) => used))),
  };
}

const listSessions = (parts: Parts): Route => ({
  method: 'GET',
  path: '/_sessions',
  access: 'viewer',
  filtersUnits: true,
  operation: 'listSessions',
  summary: 'List the open sessions',
  description:
    'Everybody sees their own ones; an admin sees all, an admin of some units those of people and keys for these only.',
  query: listQuery({}, { type: 'string', maxLength: 16 }),
  answer: { data: { type: 'array', items: SESSION }, next: NEXT },
  errors: [],
  handle({ query, identity }) {
    const seen = parts.sessions.all.filter((session) => maySee(identity, session));
    const { page, next } = keyedPage(seen, query as PageQuery, ({ id }) => id);
    return { data: page.map((session) => shownSession(parts, session, identity)), next };
  },
});

function shownSession({ sessions, unitsNow }: Parts, session: LastingSession, identity: Identity) {
  const { id, holder, address, agent, created, used } = session;
  const { name, kind, role, tags = null } = holder;
  const units = unitsNow({ units: holder.units, tags });
  const about = { own: isOwn(identity, session), current: id === identity.session, address, agent };
  const until = timeText(sessions.endOf(session).until);
  return { id, name, kind, role, units, ...about, since: timeText(created), last_used_at: timeText(used), until };
}

const endSession = (parts: Parts): Route => ({
  method: 'DELETE',
  path: '/_sessions/{id}',
  params: { id: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'the id of a session' } },
  access: 'viewer',
  filtersUnits: true,
  operation: 'endSession',
  summary: 'End a session',
  description: 'At once, also its WebSockets: an own one, or as an admin that of anybody.',
  answer: { message: { type: 'string' } },
  errors: ['SESSION_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ params, identity, log, before, recordAs }) {
    const { sessions } = parts;
    const session = sessions.all.find(({ id }) => id === params.id);
    if (!session || !maySee(identity, session))
      throw new GatewayError('SESSION_NOT_FOUND', `There is no session ${params.id}.`);
    before(shownSession(parts, session, identity));
    if (!isOwn(identity, session)) recordAs?.(identity.name, identity.role);
    await sessions.end(session.hash);
    log.info({ name: session.holder.name, session: session.id, by: identity.name }, 'a session was ended');
    return { message: `The session of ${session.holder.name} has ended.` };
  },
});

const timeText = (at: number): string => new Date(at).toISOString();
