/** API keys through the API: list, make, revoke. The text of a key is in one answer and nowhere else. */
import type { Clock } from '../clock.ts';
import { named, TIME, TIME_OR_NULL } from '../domain/fields/field.ts';
import type { Role } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import { invalid } from '../http/checks.ts';
import type { Route, Schema } from '../http/contract.ts';
import { keyedPage, listQuery, MOMENT, momentOf, NEXT, type PageQuery } from '../http/query.ts';
import { json } from '../http/reply.ts';
import { Refused, type TableKeyAdmin } from './key-admin.ts';
import { type LastUse, type LiveKeys, NAME, standingOf } from './live-keys.ts';
import type { KeyRecord } from './tables.ts';
import { CHOSEN, choiceIn, mayManage, SHOWN_CHOICE, type UnitChoice, type UnitsNow } from './unit-choice.ts';

const KEY: Schema = named('ApiKey', {
  id: { type: 'string', description: 'Eight hexadecimal digits; the key begins with them.' },
  name: { type: 'string' },
  ...SHOWN_CHOICE,
  standing: { type: 'string', enum: ['good', 'expired', 'revoked'] },
  created_at: TIME,
  expires_at: { ...TIME_OR_NULL, description: 'null: never.' },
  revoked_at: TIME_OR_NULL,
  last_used_at: { ...TIME_OR_NULL, description: 'null: never used.' },
});

interface NewKeyBody extends Partial<UnitChoice> {
  readonly name: string;
  readonly role: Role;
  readonly expires_at?: string | null;
}

/** The rule of `NAME`, for people. */
export const CALLER_NAME = 'up to 64 letters, digits, spaces and . _ - @, beginning with a letter or digit';
const BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'role'],
  properties: {
    name: { type: 'string', maxLength: 64, description: CALLER_NAME },
    ...CHOSEN,
    expires_at: { ...MOMENT, type: ['string', 'null'], description: `${MOMENT.description}; null, the default: never` },
  },
  example: { name: 'site-office', role: 'viewer', units: ['roof'], expires_at: '2027-01-31T00:00:00Z' },
};

interface KeyRouteParts {
  readonly admin: TableKeyAdmin;
  readonly keys: LiveKeys;
  readonly lastUse: Pick<LastUse, 'of'>;
  readonly clock: Clock;
  readonly unitsNow: UnitsNow;
  readonly isOpen: () => boolean;
}

export const keyRoutes = (parts: KeyRouteParts): readonly Route[] => [
  listing(parts),
  creation(parts) as Route,
  ending(parts),
];

const listing = (parts: KeyRouteParts): Route => ({
  method: 'GET',
  path: '/_keys',
  access: 'admin',
  filtersUnits: true,
  operation: 'listKeys',
  summary: 'List the API keys, without the keys themselves',
  description: 'Revoked and expired ones, too. An admin of some units sees the keys that are for these only.',
  query: listQuery({}, { type: 'string', maxLength: 8 }),
  answer: { data: { type: 'array', items: KEY }, next: NEXT },
  errors: [],
  handle({ query, identity }) {
    const own = parts.keys.all.filter((key) => mayManage(identity, key));
    const { page, next } = keyedPage(own, query as PageQuery, ({ id }) => id);
    return { data: page.map((key) => shown(key, parts)), next };
  },
});

const creation = (parts: KeyRouteParts): Route<NewKeyBody> => ({
  method: 'POST',
  path: '/_keys',
  access: 'admin',
  filtersUnits: true,
  operation: 'createKey',
  summary: 'Make an API key',
  description:
    'The answer has the key: it is shown only this once and is not stored. Where nobody needed a key so far, the first one must be of an admin of all units: from then on everybody needs one.',
  body: BODY,
  answer: { message: { type: 'string' }, data: KEY, key: { type: 'string', description: 'The API key itself.' } },
  statuses: [201],
  errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ body, identity }) {
    const { admin, clock, isOpen } = parts;
    const { name, role, expires_at = null } = body;
    checkName(name);
    const choice = choiceIn(body);
    if (!mayManage(identity, choice))
      throw new GatewayError('FORBIDDEN', `This makes only keys for ${(identity.tags ?? identity.units)?.join(', ')}.`);
    const expires = expires_at === null ? null : momentOf(expires_at, '/expires_at');
    if (expires !== null && expires <= clock.now())
      throw invalid([{ path: '/expires_at', message: 'must be in the future' }]);
    const wanted = { name, role, ...choice, expires_at: expires === null ? null : new Date(expires).toISOString() };
    const refuseFirst = () => {
      if (isOpen() && (role !== 'admin' || choice.units !== null || expires !== null))
        throw invalid([
          { path: '/role', message: 'must be admin, for all units and without an end: it is the first key' },
        ]);
    };
    const made = await refusedAsInvalid(() => admin.addKey(wanted, refuseFirst));
    const message = `The API key ${made.record.id} is made. It is shown only this once.`;
    return json({ message, data: shown(made.record, parts), key: made.text }, { status: 201 });
  },
});

/** Errors: INVALID. */
export function checkName(name: string): void {
  if (!new RegExp(NAME, 'u').test(name)) throw invalid([{ path: '/name', message: `must be: ${CALLER_NAME}` }]);
}

/** A name that is taken is an error of the input. Errors: INVALID. */
export async function refusedAsInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw invalid([{ path: error.about === 'name' ? '/name' : '', message: error.message }]);
  }
}

const ending = (parts: KeyRouteParts): Route => ({
  method: 'DELETE',
  path: '/_keys/{id}',
  params: { id: { type: 'string', pattern: '^[0-9a-f]{8}$', description: 'the id of an API key' } },
  access: 'admin',
  filtersUnits: true,
  operation: 'revokeKey',
  summary: 'Revoke an API key',
  description:
    'At once, also its WebSockets. It stays in the list. Nobody can revoke the key that the request is sent with.',
  answer: { message: { type: 'string' }, data: KEY },
  errors: ['KEY_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ params, identity, before }) {
    const id = params.id ?? '';
    const found = parts.keys.find(id);
    const present = found && mayManage(identity, found) ? found : undefined;
    if (!present) throw new GatewayError('KEY_NOT_FOUND', `There is no API key ${id}.`);
    if (id === identity.keyId)
      throw invalid([{ path: '/id', message: 'is the key of this request: use another one to revoke it' }]);
    before(shown(present, parts));
    const ended = (await parts.admin.revokeKey(id)) ?? present;
    return { message: `The API key ${id} is revoked.`, data: shown(ended, parts) };
  },
});

function shown(key: KeyRecord, { lastUse, clock, unitsNow }: KeyRouteParts) {
  const { id, name, role, tags, created_at, expires_at, revoked_at } = key;
  return {
    id,
    name,
    role,
    units: unitsNow(key),
    tags,
    standing: standingOf(key, clock.now()),
    created_at,
    expires_at,
    revoked_at,
    last_used_at: lastUse.of(key),
  };
}
