/** Phones: everybody lists, adds and removes the own phones; admins see those of everybody. */
import { ECDH } from 'node:crypto';
import type { NewPhone } from '../../../../client/schemas.ts';
import {
  invalid,
  LANGUAGES,
  listQuery,
  NEXT,
  type PageQuery,
  PLAIN_TEXT,
  pageOf,
  TIME_OR_NULL,
} from '../../../../lib/built-in.ts';
import { type Identity, iso, json, named, type Schema, TIME } from '../../../../lib/index.ts';
import type { Alerts } from '../../parts.ts';
import { ID, ID_PARAM } from '../../schemas.ts';
import type { PhoneRow } from '../../tables.ts';
import { MOST_OF_ONE, MOST_PHONES, noPhone } from './phones.ts';

const bytes = (count: number): Schema => {
  const characters = Math.ceil((count * 4) / 3);
  return { type: 'string', pattern: `^[A-Za-z0-9_-]{${characters}}$`, description: `${count} bytes as base64url` };
};

const NEW_PHONE: Schema = {
  title: 'NewPhone',
  type: 'object',
  required: ['endpoint', 'keys'],
  properties: {
    endpoint: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      description: 'The address at the push service. It is a secret: it is never shown.',
    },
    expirationTime: { type: ['number', 'null'], description: 'As browsers send it; not used.' },
    keys: {
      type: 'object',
      additionalProperties: false,
      required: ['p256dh', 'auth'],
      properties: { p256dh: bytes(65), auth: bytes(16) },
      description: 'The key that messages are encrypted for (RFC 8291).',
    },
    name: {
      type: 'string',
      maxLength: 80,
      pattern: PLAIN_TEXT,
      default: '',
      description: 'Your name for the phone.',
    },
    language: {
      type: 'string',
      enum: [...LANGUAGES],
      description: 'The language of its notifications. Default: that of the target.',
    },
    replaces: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      description:
        'The former address, if the browser has renewed its subscription: the phone keeps its id, and its name unless the request has another name.',
    },
  },
};

const PHONE: Schema = named('Phone', {
  id: ID,
  name: { type: 'string', description: 'The name that its owner gave it.' },
  person: { type: 'string', description: 'The name of the person or of the API key that has subscribed.' },
  own: { type: 'boolean', description: 'It is of the caller.' },
  reached: {
    type: 'boolean',
    description: 'false: the person or the key has lost its rights; the phone gets nothing.',
  },
  service: { type: 'string', description: 'The push service.' },
  created_at: TIME,
  taken_at: { ...TIME_OR_NULL, description: 'When the push service last took a message.' },
  quiet: {
    type: 'array',
    description: 'The rules that the phone gets no messages about now, by the button of a notification.',
    items: named('PhoneQuiet', { rule: ID, unit_id: { type: 'string' }, until: TIME }),
  },
});

export function addPushRoutes(alerts: Alerts): void {
  addKey(alerts);
  addList(alerts);
  addCreation(alerts);
  addRemoval(alerts);
}

/** As `Host.rightsOf` knows the caller. */
const holderOf = ({ owner, keyId }: Identity): string => owner ?? (keyId === null ? 'anybody' : `key ${keyId}`);

const maySee = (identity: Identity, { owner }: PhoneRow): boolean =>
  owner === holderOf(identity) || (identity.role === 'admin' && identity.units === null);

function shownPhone({ host, phones }: Alerts, phone: PhoneRow, identity: Identity) {
  const { id, name, person, owner, service, createdAt, takenAt } = phone;
  const quiet = phone.quiet
    .filter(({ until }) => until > host.clock.now())
    .map(({ ruleId, unitId, until }) => ({ rule: String(ruleId), unit_id: unitId, until: iso(until) }));
  const about = { own: owner === holderOf(identity), reached: phones.mayGet(phone, undefined), service };
  return { id: String(id), name, person, ...about, created_at: iso(createdAt), taken_at: iso(takenAt), quiet };
}

function addKey({ host, vapid }: Alerts): void {
  host.route({
    method: 'GET',
    path: '/_push/key',
    operation: 'getPushKey',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show the public key that a browser subscribes with',
    description:
      'VAPID (RFC 8292). It stays the same: a browser that has subscribed with another key must subscribe again.',
    answer: { data: named('PushKey', { public_key: { type: 'string', description: 'base64url' } }) },
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    handle: async () => ({ data: { public_key: (await vapid.pair()).publicKey } }),
  });
}

function addList(alerts: Alerts): void {
  const { host, phones } = alerts;
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_push',
    operation: 'listPhones',
    access: 'viewer',
    filtersUnits: true,
    summary: 'List the phones that get alerts',
    description: 'Everybody sees the own phones; an admin of all units sees all.',
    query: listQuery(),
    answer: { data: { type: 'array', items: PHONE }, next: NEXT },
    errors: [],
    handle({ query, identity }) {
      const after = Number(query.cursor ?? 0);
      const left = phones.list().filter((phone) => phone.id > after && maySee(identity, phone));
      const { page, next } = pageOf(left, query.limit, ({ id }) => id);
      return { data: page.map((phone) => shownPhone(alerts, phone, identity)), next };
    },
  });
}

function addCreation(alerts: Alerts): void {
  const { host, phones } = alerts;
  host.route<NewPhone, unknown>({
    method: 'POST',
    path: '/_push',
    operation: 'addPhone',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Let this phone get alerts',
    description: `The body is the subscription of the browser (PushSubscription). A second subscription of the same browser is the same phone. At most ${MOST_OF_ONE} of one person or key, ${MOST_PHONES} in all. It gets the alerts of targets of the kind push, of units that its owner may see.`,
    body: NEW_PHONE,
    answer: { message: { type: 'string' }, data: PHONE },
    statuses: [201],
    errors: ['ALERT_NOT_FOUND', 'ADDRESS_REFUSED', 'OUTBOUND_FAILED', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ body, identity, caller }) {
      const { endpoint, keys, name = '', language = null, replaces } = body;
      if (!isPoint(keys.p256dh)) throw invalid([{ path: '/keys/p256dh', message: 'is no point of the curve P-256' }]);
      const owner = holderOf(identity);
      if (!host.rightsOf(owner))
        throw invalid([
          {
            path: '',
            message:
              'the gateway could not know later whether you may still see alerts: sign in with an account of the gateway, or with an API key',
          },
        ]);
      await host.outbound.internet.check(endpoint, caller.signal);
      const about = { owner, person: identity.name, name, language };
      const address = { endpoint, ...keys };
      const phone = await (replaces === undefined
        ? phones.add(about, address)
        : phones.renew(about, address, replaces));
      return json(
        { message: 'This phone gets alerts.', data: shownPhone(alerts, phone, identity) },
        { status: 201, location: '/_push' },
      );
    },
  });
}

function addRemoval(alerts: Alerts): void {
  const { host, phones } = alerts;
  host.route({
    method: 'DELETE',
    path: '/_push/{id}',
    params: ID_PARAM,
    operation: 'removePhone',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Send no more alerts to a phone',
    description: 'Everybody may remove the own phones, an admin all. Messages that wait for the phone are not sent.',
    answer: { message: { type: 'string' } },
    errors: ['ALERT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params, identity, before, recordAs }) {
      const phone = phones.find(Number(params.id));
      if (!phone || !maySee(identity, phone)) throw noPhone();
      before(shownPhone(alerts, phone, identity));
      if (phone.owner !== holderOf(identity)) recordAs?.(identity.name, identity.role);
      await phones.remove(phone.id, 'The phone was removed.');
      return { message: 'This phone gets no more alerts.' };
    },
  });
}

function isPoint(text: string): boolean {
  try {
    ECDH.convertKey(Buffer.from(text, 'base64url'), 'prime256v1');
    return true;
  } catch {
    return false;
  }
}
