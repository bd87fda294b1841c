/** Lists of people and of sessions. People are made and changed on the command line only. */
import { named, TIME, TIME_OR_NULL } from '../../domain/fields/field.ts';
import { ROLES, reaches } from '../../domain/ids.ts';
import { GatewayError } from '../../errors.ts';
import type { Identity, Route, Schema } from '../../http/contract.ts';
import { keyedPage, listQuery, NEXT, type PageQuery } from '../../http/query.ts';
import { SIGN_IN_KINDS } from '../tables.ts';
import type { LivePeople, Person } from './live-people.ts';
import { type LastingSession, ownerOf, type Sessions } from './sessions.ts';

interface Parts {
  readonly people: LivePeople;
  readonly sessions: Sessions;
}

const PERSON: Schema = named('Person', {
  id: { type: 'string', description: 'Eight hexadecimal digits.' },
  name: { type: 'string' },
  role: { type: 'string', enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string' }, description: 'null: all units.' },
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

/** GET /_people, GET /_sessions and DELETE /_sessions/{id}. */
export const peopleRoutes = (parts: Parts): readonly Route[] => [
  listPeople(parts),
  listSessions(parts),
  endSession(parts),
];

/** An admin of some units may not manage people of other units. */
const administers = ({ role, units }: Identity, other: Pick<Person, 'units'>): boolean =>
  role === 'admin' && (units === null || (other.units?.every((unitId) => reaches({ units }, unitId)) ?? false));

const isOwn = ({ owner, keyId }: Identity, { holder }: LastingSession): boolean =>
  ownerOf(holder) === (owner ?? `key ${keyId}`);

const maySee = (identity: Identity, session: LastingSession): boolean =>
  isOwn(identity, session) || administers(identity, session.holder);

const listPeople = ({ people, sessions }: Parts): Route => ({
  method: 'GET',
  path: '/_people',
  access: 'admin',
  filtersUnits: true,
  operation: 'listPeople',
  summary: 'List the people who may sign in by name and password',
  description:
    'They are made with `npm run keys -- person`. An admin of some units sees the people who are for these only.',
  query: listQuery({}, { type: 'string', maxLength: 8 }),
  answer: { data: { type: 'array', items: PERSON }, next: NEXT },
  errors: [],
  handle({ query, identity }) {
    const open = Map.groupBy(sessions.all, ({ holder }) => ownerOf(holder));
    const seen = people.all.filter((person) => administers(identity, person));
    const { page, next } = keyedPage(seen, query as PageQuery, ({ id }) => id);
    return { data: page.map((person) => shownPerson(person, open.get(`person ${person.id}`) ?? [])), next };
  },
});

function shownPerson({ id, name, role, units, password, created_at }: Person, open: readonly LastingSession[]) {
  const last = Math.max(...open.map(({ used }) => used));
  const last_used_at = open.length === 0 ? null : timeText(last);
  return { id, name, role, units, has_password: password !== null, created_at, sessions: open.length, last_used_at };
}

const listSessions = ({ sessions }: Parts): Route => ({
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
    const seen = sessions.all.filter((session) => maySee(identity, session));
    const { page, next } = keyedPage(seen, query as PageQuery, ({ id }) => id);
    return { data: page.map((session) => shownSession(sessions, session, identity)), next };
  },
});

function shownSession(sessions: Sessions, session: LastingSession, identity: Identity) {
  const { id, holder, address, agent, created, used } = session;
  const { name, kind, role, units } = holder;
  const about = { own: isOwn(identity, session), current: id === identity.session, address, agent };
  const until = timeText(sessions.endOf(session).until);
  return { id, name, kind, role, units, ...about, since: timeText(created), last_used_at: timeText(used), until };
}

const endSession = ({ sessions }: Parts): Route => ({
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
    const session = sessions.all.find(({ id }) => id === params.id);
    if (!session || !maySee(identity, session))
      throw new GatewayError('SESSION_NOT_FOUND', `There is no session ${params.id}.`);
    before(shownSession(sessions, session, identity));
    if (!isOwn(identity, session)) recordAs?.(identity.name, identity.role);
    await sessions.end(session.hash);
    log.info({ name: session.holder.name, session: session.id, by: identity.name }, 'a session was ended');
    return { message: `The session of ${session.holder.name} has ended.` };
  },
});

const timeText = (at: number): string => new Date(at).toISOString();
