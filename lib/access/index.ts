/** Opens the access control: keys, tickets, people, sessions, limits, and the authenticator that uses them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AuditWriter } from '../audit/contract.ts';
import type { Clock } from '../clock.ts';
import type { Rights } from '../domain/ids.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import { type Authenticator, isLoopback } from '../http/arrival.ts';
import { addressPrefix } from '../http/callers.ts';
import type { Route } from '../http/contract.ts';
import type { KeyHolders } from '../http/inside/index.ts';
import type { Log } from '../log.ts';
import { KEYS_COMMAND } from '../root.ts';
import { type Settings, SettingsError } from '../settings/index.ts';
import { propertyOf } from '../settings/schema.ts';
import type { ConfigStore, Store, Tables } from '../store/contract.ts';
import { type AuthenticatorParts, createAuthenticator, createKeyHolders } from './authenticator.ts';
import type { IssuerSessions } from './contract.ts';
import { leaveSign, readAll, readVersion, signsOfKeys, TableKeyAdmin } from './key-admin.ts';
import { serveKeyAdmin } from './key-admin-socket.ts';
import { keyRoutes } from './key-routes.ts';
import { LastUse, LiveKeys, standingOf } from './live-keys.ts';
import { takeOverFiles } from './old-files.ts';
import { Invitations, invitationRoutes, newFirstCode } from './people/invitations.ts';
import { LivePeople } from './people/live-people.ts';
import { IssuerPeople, NO_ISSUER, ProxiedPeople } from './people/outside-people.ts';
import { peopleRoutes } from './people/people-routes.ts';
import { beginSession, sessionRoutes } from './people/session-routes.ts';
import { Sessions, type SessionTimes } from './people/sessions.ts';
import { FailedSignIns, NO_REQUEST, Passwords } from './people/sign-in.ts';
import { ACCESS_TABLES, accessMigrations, CHANGES, type Holder } from './tables.ts';
import { Tickets, ticketRoute } from './tickets.ts';
import { type GuessCounts, Guesses, Rate } from './tries.ts';
import { type UnitsNow, unitsByTag } from './unit-choice.ts';

/** The tables of keys, people and sessions. Rejects with StoreError `newer` if a later release has changed them. */
export const accessTables = (store: Pick<Store, 'tables'>): Promise<Tables> =>
  store.tables('access', ACCESS_TABLES, accessMigrations);

/** The gateway's questions about its callers. */
export interface CallerAccess {
  readonly authenticator: Authenticator;
  readonly holders: KeyHolders;
  /** The present rights of this holder, see `Host.rightsOf`. */
  rightsOf(holder: string): Rights | undefined;
  needsKey(): boolean;
  /** The code that makes the first admin; undefined: a key or a person exists, or nobody needs one. */
  firstCode(): string | undefined;
  guesses(): GuessCounts;
  readonly issuerSessions: IssuerSessions;
  readonly routes: readonly Route[];
  /** Settings that can change while the gateway runs. */
  apply(settings: Settings): void;
  close(): Promise<void>;
}

/** Access where the program that embeds the gateway decides about callers: it keeps its own keys. */
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

interface AccessParts {
  readonly settings: Settings;
  readonly tables: Tables;
  readonly configs: Pick<ConfigStore, 'list' | 'onChange'>;
  readonly audit: AuditWriter;
  readonly clock: Clock;
  readonly log: Log;
}

/** Another computer may change keys and people in a shared database: the gateway looks once a second. */
const LOOK_MS = 1_000;

/** Checks that need no database: wrong settings are refused before it is opened or created. Throws SettingsError. */
export function checkAccessSettings(settings: Settings): void {
  proxyHeader(settings);
  const kept = ['gateway.db', 'keys.json', 'people.json'].map((name) => join(settings.data_dir, name));
  if (settings.database_url === '' && !kept.some((path) => existsSync(path)))
    refuseLoss(settings, resolve(settings.data_dir));
}

/** Throws SettingsError when all keys were lost, and an error when key files of an older release cannot be used. Errors: STORAGE_FULL, STORAGE_FAILED. */
export async function openAccess(parts: AccessParts): Promise<CallerAccess> {
  const { settings, tables, audit, clock, log } = parts;
  const dataDir = resolve(settings.data_dir);
  await takeOverFiles(dataDir, tables, log);
  const known = await KnownCallers.open(parts);
  const { keys, people } = known;
  const always = needsKeys(settings);
  const unitsNow = unitsByTag(parts.configs);
  const proxied = new ProxiedPeople(proxyHeader(settings), people, unitsNow);
  const issuer = new IssuerPeople(settings, people, keys);
  if (!known.ever) refuseLoss(settings, dataDir);
  else await leaveSign(dataDir);
  warn(settings, known, log);
  const present = presentHolder({ keys, people, issuer, clock });
  // Sessions start a timer here: a refused start must not leave it behind.
  const sessions = await Sessions.open({ tables, times: sessionTimes(settings), clock, log, present });
  const lastUse = new LastUse(tables, clock, log);
  const tickets = new Tickets(clock);
  const isKeyNeeded = () => always || known.ever || issuer.isUsed;
  const demand = { key: isKeyNeeded() };
  known.whenChanged(() => {
    demand.key = isKeyNeeded();
    for (const one of [sessions, proxied]) one.review();
  });
  const passwords = new Passwords({
    clock,
    named: (name) => people.named(name),
    isHome: ({ id }, prefix) =>
      sessions.all.some(({ holder, address }) => holder.id === id && addressPrefix(address) === prefix),
    wrong: (prefix) => guesses.add(prefix, WRONG_PASSWORD),
  });
  const guesses = new Guesses(clock, log, (prefix) => passwords.waitOf(prefix));
  const failed = new FailedSignIns(audit, clock);
  const rate = new Rate(rateOf(settings), clock);
  const holders = createKeyHolders({ keys, lastUse, rate, clock, unitsNow });
  const needsKey = () => demand.key;
  const own: AuthenticatorParts = { keys, tickets, lastUse, sessions, proxied, guesses, rate, clock, unitsNow, demand };
  const admin = new TableKeyAdmin({ tables, dataDir, clock, isNoted: false, changed: () => known.look() });
  const isOpen = () => !demand.key;
  const hasCallers = () => known.ever;
  const first = always && !known.ever ? newFirstCode() : undefined;
  const forInvitations = { tables, admin, sessions, guesses, failed, clock, log, unitsNow, isOpen, hasCallers };
  const invitations = new Invitations(forInvitations, first?.hash);
  const isFirstWanted = () => invitations.isFirstWanted;
  if (first) log.warn({ code: first.text }, 'nobody can call yet: this code makes the first admin, in the dashboard');
  const unlock = (address: string) => passwords.unlock(address);
  const forCommands = new TableKeyAdmin({ tables, dataDir, clock, isNoted: true, changed: () => known.look(), unlock });
  const endSocket = await serveKeyAdmin(dataDir, forCommands, log);
  if (settings.database_url !== '') known.watch();
  const close = async () => {
    known.rest();
    await endSocket();
    guesses.flush();
    await sessions.close();
    await lastUse.flush();
  };
  return {
    authenticator: createAuthenticator(own),
    holders,
    needsKey,
    firstCode: () => (invitations.isFirstWanted ? first?.text : undefined),
    rightsOf: presentRights({ keys, people, clock, unitsNow, needsKey }),
    guesses: () => guesses.counts,
    issuerSessions: forIssuer({ issuer, sessions, failed, audit, log }),
    routes: [
      ticketRoute(tickets),
      ...keyRoutes({ admin, keys, lastUse, clock, unitsNow, isOpen }),
      ...sessionRoutes({ ...own, people, passwords, failed, issuer, isFirstWanted, log }),
      ...peopleRoutes({ people, sessions, admin, clock, unitsNow, isOpen }),
      ...invitationRoutes(invitations, forInvitations),
    ],
    apply(next) {
      rate.change(rateOf(next));
      sessions.change(sessionTimes(next));
    },
    close,
  };
}

const WRONG_PASSWORD = Object.freeze({ kind: 'password', tried: 'a name and a password that do not belong together' });

class KnownCallers {
  readonly keys: LiveKeys;
  readonly people: LivePeople;
  readonly #parts: AccessParts;
  #version = 0;
  #told = () => {};
  #cancel = () => {};
  #isOver = false;
  #isCut = false;

  private constructor(parts: AccessParts) {
    this.#parts = parts;
    this.keys = new LiveKeys(parts.clock);
    this.people = new LivePeople(parts.clock);
  }

  static async open(parts: AccessParts): Promise<KnownCallers> {
    const known = new KnownCallers(parts);
    await known.look();
    return known;
  }

  /** Whether a key or a person ever existed: removing the last one does not open the gateway. */
  get ever(): boolean {
    return this.#version > 0;
  }

  whenChanged(told: () => void): void {
    this.#told = told;
  }

  async look(): Promise<void> {
    const { tables } = this.#parts;
    const { keys, people, version } = await readAll(tables);
    if (version < this.#version) return;
    this.#version = version;
    this.keys.take(keys);
    this.people.take(people);
    this.#told();
    await this.#record();
  }

  async #record(): Promise<void> {
    const { tables, audit } = this.#parts;
    const changes = await tables.read((rows) => rows.find(CHANGES, { order: { n: 'asc' } }));
    if (changes.length === 0) return;
    for (const { at, method, route, params, body } of changes)
      await audit.add({
        ...NO_REQUEST,
        who: COMMAND_LINE,
        role: 'admin',
        address: '',
        method,
        route,
        params,
        body: { ...body, at },
        status: 200,
      });
    await tables.write((rows) => rows.remove(CHANGES, { n: changes.map(({ n }) => n) }));
  }

  watch(): void {
    const { clock, tables, log } = this.#parts;
    const next = () => {
      this.#cancel = clock.after(LOOK_MS, () => void look().finally(() => this.#isOver || next()));
    };
    const look = async () => {
      try {
        if ((await readVersion(tables)) !== this.#version) await this.look();
        this.#isCut = false;
      } catch (error) {
        if (!this.#isCut && !isGatewayError(error, 'STOPPING'))
          log.warn({ reason: messageOf(error) }, 'keys and people cannot be read again; the last ones stay valid');
        this.#isCut = true;
      }
    };
    next();
  }

  rest(): void {
    this.#isOver = true;
    this.#cancel();
  }
}

/** Name of the actor in the audit log for changes by the command line: the owner of the data folder, or root. */
const COMMAND_LINE = 'the command line';

interface IssuerParts {
  readonly issuer: IssuerPeople;
  readonly sessions: Sessions;
  readonly failed: FailedSignIns;
  readonly audit: AuditWriter;
  readonly log: Log;
}

const forIssuer = ({ issuer, sessions, failed, audit, log }: IssuerParts): IssuerSessions => ({
  async begin(who, arrival) {
    const { address } = arrival;
    let holder: Holder;
    try {
      holder = issuer.holderOf(who);
    } catch (error) {
      if (isGatewayError(error)) failed.add(address, who.name, error);
      throw error;
    }
    const { cookie, session } = await beginSession({ sessions, log }, holder, arrival);
    const { name, role, kind } = holder;
    const body = { kind, session: session.id };
    const request = { method: 'GET', route: '/sign-in/callback', address, body, status: 303 };
    await audit.add({ ...NO_REQUEST, ...request, who: name, role });
    return { cookie, session: session.id };
  },
  failed(error, { address }) {
    if (isGatewayError(error, 'SIGN_IN_FAILED', 'SIGN_IN_REFUSED')) failed.add(address, undefined, error);
  },
  offer: (way) => issuer.offer(way),
});

interface Callers {
  readonly keys: LiveKeys;
  readonly people: LivePeople;
  readonly issuer: IssuerPeople;
  readonly clock: Clock;
}

/** A person or key has its present rights, but only while it is unchanged since the sign-in. */
function presentHolder({ keys, people, issuer, clock }: Callers) {
  return (holder: Holder): Holder | undefined => {
    if (holder.kind === 'issuer') return issuer.isPresent(holder) ? holder : undefined;
    if (holder.kind === 'person') return people.find(holder.id)?.stamp === holder.stamp ? holder : undefined;
    const key = keys.find(holder.id);
    return key?.hash === holder.stamp && standingOf(key, clock.now()) === 'good' ? holder : undefined;
  };
}

interface RightsParts extends Pick<Callers, 'keys' | 'people' | 'clock'> {
  readonly unitsNow: UnitsNow;
  readonly needsKey: () => boolean;
}

/** Rights of a person or key that is still valid; if nobody needs a key, rights of anybody. */
function presentRights({ keys, people, clock, unitsNow, needsKey }: RightsParts) {
  return (holder: string): Rights | undefined => {
    const [kind, id = ''] = holder.split(' ');
    if (kind === 'anybody') return needsKey() ? undefined : { role: 'admin', units: null };
    const key = kind === 'key' ? keys.find(id) : undefined;
    const found =
      kind === 'person' ? people.find(id) : key && standingOf(key, clock.now()) === 'good' ? key : undefined;
    return found && { role: found.role, units: unitsNow(found) };
  };
}

/** Lower case: browsers send these headers, or the gateway uses them for something else. */
const TAKEN_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'connection', 'content-length', 'content-type'],
  ...['cookie', 'forwarded', 'host', 'if-match', 'if-none-match', 'origin', 'range', 'referer', 'transfer-encoding'],
  ...['upgrade', 'user-agent', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id'],
]);

function proxyHeader({ proxy_user_header, trusted_proxies }: Settings): string {
  if (proxy_user_header !== '' && trusted_proxies.length === 0)
    throw new SettingsError(['proxy_user_header: needs trusted_proxies, the addresses whose word counts']);
  if (TAKEN_HEADERS.has(proxy_user_header.toLowerCase()))
    throw new SettingsError([
      `proxy_user_header: ${proxy_user_header} is set by browsers and proxies for something else: take a name such as Remote-User`,
    ]);
  return proxy_user_header;
}

const sessionTimes = ({ session_idle_minutes, session_hours }: Settings): SessionTimes => ({
  idleMs: session_idle_minutes * 60_000,
  mostMs: session_hours * 3_600_000,
});

const rateOf = ({ request_rate, request_burst }: Settings) => ({ perSecond: request_rate, burst: request_burst });

/** Behind a proxy everybody on the network can reach the loopback address. */
const isExposed = ({ host, trusted_proxies }: Settings): boolean => !isLoopback(host) || trusted_proxies.length > 0;

/** Throws SettingsError if there are no keys and people although they existed earlier. */
function refuseLoss(settings: Settings, dataDir: string): void {
  const signs = signsOfKeys(dataDir);
  if (signs.length > 0 && !settings.insecure_no_auth) throw new SettingsError([lostKeys(settings, signs)]);
}

/** Whether every caller needs a key, even if no key exists yet. */
export const needsKeys = (settings: Settings): boolean =>
  settings.auth === 'required' || (isExposed(settings) && !settings.insecure_no_auth);

/** Deleting the keys must not open the gateway. */
const lostKeys = (settings: Settings, signs: readonly string[]): string =>
  `the database has no API keys and no people, but API keys or people were made here before: restore it from a backup, or make a new key with ${makeKey(settings)}; if everybody on this computer may control the meters, delete ${signs.join(' and ')}`;

const makeKey = (settings: Settings): string =>
  `${KEYS_COMMAND} create --name NAME --role admin${dataDirFlag(settings)}`;

/** `npm run keys` does not know the data folder of this gateway, and may run in another folder. */
const dataDirFlag = ({ data_dir }: Settings): string =>
  data_dir === propertyOf('data_dir').default ? '' : ` --data-dir ${resolve(data_dir)}`;

function warn(settings: Settings, { keys, people, ever }: KnownCallers, log: Log): void {
  const { host, insecure_no_auth } = settings;
  if (keys.all.length > 0 && keys.good === 0 && people.all.length === 0)
    log.warn('every API key has expired or was revoked: nobody can call');
  if (insecure_no_auth && ever) log.warn('insecure_no_auth has no effect: there are API keys or people');
  else if (insecure_no_auth && isExposed(settings))
    log.warn({ host }, 'everybody who reaches this address controls the meters');
}
