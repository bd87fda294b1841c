/**
 * Invitations: a link with which one person chooses a name and a password, once, within three days. The secret of the link
 * is in its fragment, which browsers send nowhere; the store has its SHA-256. The code for the first admin works the
 * same way: it is in the log of a gateway that nobody can call yet.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { named, TIME, TIME_OR_NULL } from '../../domain/fields/field.ts';
import type { Role } from '../../domain/ids.ts';
import { GatewayError } from '../../errors.ts';
import { addressPrefix } from '../../http/callers.ts';
import { invalid } from '../../http/checks.ts';
import type { Request, Route, Schema } from '../../http/contract.ts';
import { keyedPage, listQuery, NEXT, type PageQuery } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Log } from '../../log.ts';
import type { Rows, Tables } from '../../store/contract.ts';
import { slowDown } from '../authenticator.ts';
import { readVersion, type TableKeyAdmin } from '../key-admin.ts';
import { CALLER_NAME, checkName, refusedAsInvalid } from '../key-routes.ts';
import { hashOf } from '../key-text.ts';
import { INVITATIONS, type Invitation, STATE } from '../tables.ts';
import { type Guesses, WrongTries } from '../tries.ts';
import { CHOSEN, choiceIn, mayManage, SHOWN_CHOICE, type UnitChoice, type UnitsNow } from '../unit-choice.ts';
import { beyond, checkPassword, endIn, UNTIL } from './people-routes.ts';
import { beginSession, holderOfPerson, ownPage, shownSession, WHO } from './session-routes.ts';
import type { Sessions } from './sessions.ts';
import { type FailedSignIns, hashPassword } from './sign-in.ts';

const LIFETIME_MS = 3 * 86_400_000;
const MOST = 200;
/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 16;

interface InvitationParts {
  readonly tables: Tables;
  readonly admin: TableKeyAdmin;
  readonly sessions: Sessions;
  readonly guesses: Guesses;
  readonly failed: FailedSignIns;
  readonly clock: Clock;
  readonly log: Log;
  readonly unitsNow: UnitsNow;
  readonly isOpen: () => boolean;
  readonly hasCallers: () => boolean;
}

/** A code for the first admin, for people to type. `hash`: what is kept of it. */
export function newFirstCode(): { readonly text: string; readonly hash: string } {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return { text: letters.replaceAll(/(.{4})(?=.)/g, '$1-'), hash: hashOf(letters) };
}

const typed = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

export class Invitations {
  readonly #parts: InvitationParts;
  readonly #wrong: WrongTries;
  readonly #first: Invitation | undefined;
  /** Passwords are hashed one at a time: each takes 32 MB. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `firstHash`: of the code for the first admin. */
  constructor(parts: InvitationParts, firstHash: string | undefined) {
    this.#parts = parts;
    this.#wrong = new WrongTries(parts.clock);
    if (firstHash === undefined) return;
    const rights = { role: 'admin', units: null, tags: null, until: null } as const;
    this.#first = { hash: firstHash, id: '', ...rights, made_by: '', created_at: '', expires_at: '' };
  }

  /** Whether the code of the log makes the first admin. */
  get isFirstWanted(): boolean {
    return this.#first !== undefined && !this.#parts.hasCallers();
  }

  /** In the order of their making. */
  async list(): Promise<readonly Invitation[]> {
    const where = { expires_at: { above: this.#now() } };
    return this.#parts.tables.read((rows) => rows.find(INVITATIONS, { where, order: { created_at: 'asc' } }));
  }

  async add(wanted: Pick<Invitation, 'role' | 'units' | 'tags' | 'until' | 'made_by'>) {
    const token = randomBytes(32).toString('base64url');
    const expires_at = new Date(this.#parts.clock.now() + LIFETIME_MS).toISOString();
    const id = randomBytes(4).toString('hex');
    const made = { hash: hashOf(token), id, ...wanted, created_at: this.#now(), expires_at };
    await this.#parts.tables.write(async (rows) => {
      await rows.remove(INVITATIONS, { expires_at: { atMost: this.#now() } });
      if ((await rows.count(INVITATIONS)) >= MOST)
        throw invalid([{ path: '', message: `${MOST} invitations wait, which is the limit: remove some` }]);
      await rows.add(INVITATIONS, [made]);
    });
    return { invitation: made, link: `/invitation#${token}` };
  }

  async remove(id: string): Promise<void> {
    await this.#parts.tables.write((rows) => rows.remove(INVITATIONS, { id }));
  }

  /**
   * The invitation of this link or code. Wrong ones slow down their address. Found by its hash, so that the time of the
   * answer does not show whether a text is nearly right. Errors: INVITATION_NOT_FOUND, TOO_MANY_REQUESTS.
   */
  async of(token: string, address: string, route: string): Promise<Invitation> {
    const prefix = addressPrefix(address);
    slowDown(this.#wrong.waitOf(prefix), 'Too many wrong invitations came from this address');
    if (this.isFirstWanted && this.#first?.hash === hashOf(typed(token))) return this.#first;
    const hash = hashOf(token);
    const found = await this.#parts.tables.read((rows) => find(rows, hash, this.#now()));
    if (found) return found;
    this.#wrong.add(prefix);
    this.#parts.guesses.add(prefix, { kind: 'invitation', tried: 'an unknown, used or ended invitation' });
    const error = gone();
    this.#parts.failed.add(address, undefined, error, route);
    throw error;
  }

  /** Makes the person and uses the invitation up, in one transaction. Errors: INVITATION_NOT_FOUND, INVALID. */
  accept(invitation: Invitation, name: string, password: string) {
    const { hash, role, units, tags, until } = invitation;
    const useUp = async (rows: Rows) => {
      if (invitation === this.#first) {
        const [state] = await rows.find(STATE, { where: { name: 'version' } });
        if ((state?.value ?? 0) > 0) throw gone();
      } else if (!(await find(rows, hash, this.#now())) || (await rows.remove(INVITATIONS, { hash })) === 0)
        throw gone();
    };
    const work = async () => {
      // Another request may have used it up meanwhile: a password takes a third of a second.
      const isLeft =
        invitation === this.#first
          ? (await readVersion(this.#parts.tables)) === 0
          : await this.#parts.tables.read((rows) => find(rows, hash, this.#now()));
      if (!isLeft) throw gone();
      const stored = await hashPassword(password);
      const wanted = { name, role, units, tags, until, password: stored };
      return refusedAsInvalid(() => this.#parts.admin.addPerson(wanted, useUp));
    };
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  #now = (): string => new Date(this.#parts.clock.now()).toISOString();
}

async function find(rows: Rows, hash: string, now: string): Promise<Invitation | undefined> {
  const [found] = await rows.find(INVITATIONS, { where: { hash, expires_at: { above: now } } });
  return found;
}

const gone = () =>
  new GatewayError(
    'INVITATION_NOT_FOUND',
    'This invitation or code is unknown, was used, or has ended. Ask for a new one.',
  );

const INVITATION: Schema = named('Invitation', {
  id: { type: 'string', description: 'Eight hexadecimal digits.' },
  ...SHOWN_CHOICE,
  until: { ...TIME_OR_NULL, description: 'End of the person; null: without an end.' },
  made_by: { type: 'string' },
  created_at: TIME,
  expires_at: { ...TIME, description: 'End of the link.' },
});

const OFFER: Schema = named('InvitationOffer', {
  ...SHOWN_CHOICE,
  until: { ...TIME_OR_NULL, description: 'End of the person; null: without an end.' },
  first_admin: { type: 'boolean', description: 'It is the code for the first admin.' },
});

const TOKEN: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  'x-secret': true,
  description: 'The text behind # in the link, or the code from the log.',
};

export const invitationRoutes = (invitations: Invitations, parts: InvitationParts): readonly Route[] => [
  listing(invitations, parts),
  creation(invitations, parts) as Route,
  ending(invitations, parts),
  looking(invitations, parts) as Route,
  accepting(invitations, parts) as Route,
];

const listing = (invitations: Invitations, parts: InvitationParts): Route => ({
  method: 'GET',
  path: '/_invitations',
  access: 'admin',
  filtersUnits: true,
  operation: 'listInvitations',
  summary: 'List the invitations that nobody has used yet',
  description: 'Without their links. An admin of some units sees those for these only.',
  query: listQuery({}, { type: 'string', maxLength: 8 }),
  answer: { data: { type: 'array', items: INVITATION }, next: NEXT },
  errors: [],
  async handle({ query, identity }) {
    const seen = (await invitations.list()).filter((one) => mayManage(identity, one));
    const { page, next } = keyedPage(seen, query as PageQuery, ({ id }) => id);
    return { data: page.map((one) => shown(one, parts)), next };
  },
});

interface WantedInvitation extends Partial<UnitChoice> {
  readonly role: Role;
  readonly until?: string | null;
}

const creation = (invitations: Invitations, parts: InvitationParts): Route<WantedInvitation> => ({
  method: 'POST',
  path: '/_invitations',
  access: 'admin',
  filtersUnits: true,
  operation: 'createInvitation',
  summary: 'Invite a person',
  description:
    'The answer has the link, only this once: its path below the root of the gateway. One person opens it within three days, chooses name and password, and is signed in.',
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['role'],
    properties: { ...CHOSEN, until: UNTIL },
    example: { role: 'viewer', tags: ['harbour'] },
  },
  answer: { message: { type: 'string' }, data: INVITATION, link: { type: 'string' } },
  statuses: [201],
  errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ body, identity }) {
    const rights = { role: body.role, ...choiceIn(body), until: endIn(body.until, parts.clock) ?? null };
    if (!mayManage(identity, rights)) throw beyond(identity);
    if (parts.isOpen())
      throw invalid([
        { path: '/role', message: 'everybody may call: make a person for yourself first (POST /_people)' },
      ]);
    const { invitation, link } = await invitations.add({ ...rights, made_by: identity.name });
    const message = 'The invitation is made. Its link is shown only this once, and works once within three days.';
    return json({ message, data: shown(invitation, parts), link }, { status: 201 });
  },
});

const ending = (invitations: Invitations, parts: InvitationParts): Route => ({
  method: 'DELETE',
  path: '/_invitations/{id}',
  params: { id: { type: 'string', pattern: '^[0-9a-f]{8}$', description: 'the id of an invitation' } },
  access: 'admin',
  filtersUnits: true,
  operation: 'removeInvitation',
  summary: 'Take an invitation back',
  answer: { message: { type: 'string' } },
  errors: ['INVITATION_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
  async handle({ params, identity, before }) {
    const found = (await invitations.list()).find(({ id }) => id === params.id);
    if (!found || !mayManage(identity, found))
      throw new GatewayError('INVITATION_NOT_FOUND', `There is no invitation ${params.id}.`);
    before(shown(found, parts));
    await invitations.remove(found.id);
    return { message: 'The invitation is taken back. Its link opens nothing.' };
  },
});

interface Token {
  readonly token: string;
}

const looking = (invitations: Invitations, { unitsNow }: InvitationParts): Route<Token> => ({
  method: 'POST',
  path: '/_invitation',
  access: 'public',
  operation: 'lookAtInvitation',
  summary: 'Show the rights that an invitation gives',
  description: 'For the page of the link. Changes nothing. It needs the Origin of the gateway, as browsers send it.',
  body: { type: 'object', additionalProperties: false, required: ['token'], properties: { token: TOKEN } },
  answer: { data: OFFER },
  errors: ['INVITATION_NOT_FOUND', 'FOREIGN_ORIGIN'],
  async handle(request) {
    const found = await invitations.of(request.body.token, ownPage(request).address, '/_invitation');
    const { id, role, tags, until } = found;
    return { data: { role, units: unitsNow(found), tags, until, first_admin: id === '' } };
  },
});

interface Acceptance extends Token {
  readonly name: string;
  readonly password: string;
}

const accepting = (invitations: Invitations, parts: InvitationParts): Route<Acceptance> => ({
  method: 'POST',
  path: '/_invitation/person',
  access: 'public',
  operation: 'acceptInvitation',
  summary: 'Use an invitation: choose name and password, and sign in',
  description:
    'Also for the code in the log of a gateway that nobody can call yet: it makes the first admin. The answer sets the cookie of a session. It needs the Origin of the gateway, as browsers send it.',
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['token', 'name', 'password'],
    properties: {
      token: TOKEN,
      name: { type: 'string', maxLength: 64, description: CALLER_NAME },
      password: { type: 'string', maxLength: 512, 'x-secret': true, description: '12 to 256 characters.' },
    },
  },
  answer: { message: { type: 'string' }, data: WHO },
  statuses: [201],
  errors: ['INVITATION_NOT_FOUND', 'FOREIGN_ORIGIN', 'STORAGE_FULL', 'STORAGE_FAILED'],
  handle: (request) => accept(invitations, parts, request),
});

async function accept(invitations: Invitations, parts: InvitationParts, request: Request<Acceptance>) {
  const arrival = ownPage(request);
  const { token, name, password } = request.body;
  const invitation = await invitations.of(token, arrival.address, '/_invitation/person');
  checkName(name);
  checkPassword(name, password);
  const { person } = await invitations.accept(invitation, name, password);
  const { cookie, session } = await beginSession(parts, holderOfPerson(person), arrival);
  request.recordAs?.(person.name, person.role);
  const message = `${person.name} is signed in.`;
  const headers = { 'Set-Cookie': cookie };
  return json({ message, data: shownSession(parts, session) }, { status: 201, headers });
}

function shown(invitation: Invitation, { unitsNow }: Pick<InvitationParts, 'unitsNow'>) {
  const { id, role, tags, until, made_by, created_at, expires_at } = invitation;
  return { id, role, units: unitsNow(invitation), tags, until, made_by, created_at, expires_at };
}
