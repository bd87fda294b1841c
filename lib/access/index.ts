/** Opens the access control: keys, tickets, people, sessions, limits, and the authenticator that uses them. */
import { resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Rights } from '../domain/ids.ts';
import type { Authenticator } from '../http/access.ts';
import type { Route } from '../http/contract.ts';
import type { KeyHolders } from '../http/inside/index.ts';
import { addressPrefix, isLoopback } from '../http/networks.ts';
import type { Log } from '../log.ts';
import { KEYS_COMMAND } from '../root.ts';
import { type Settings, SettingsError } from '../settings/index.ts';
import { propertyOf } from '../settings/schema.ts';
import { type AuthenticatorParts, createAuthenticator } from './authenticator.ts';
import type { IssuerSessions } from './contract.ts';
import { type GuessCounts, Guesses } from './guesses.ts';
import { keyFileIn, signsOfLostKeys } from './key-file.ts';
import { createKeyHolders } from './key-holders.ts';
import { keyRoutes } from './key-routes.ts';
import { LastUse, useFileIn } from './last-use.ts';
import { LiveKeys, standingOf } from './live-keys.ts';
import { IssuerPeople } from './people/issuer-people.ts';
import { LivePeople } from './people/live-people.ts';
import { peopleRoutes } from './people/people-routes.ts';
import { personFileIn, signsOfLostPeople } from './people/person-file.ts';
import { ProxiedPeople } from './people/proxied-people.ts';
import { type Holder, sessionFileIn } from './people/session-file.ts';
import { beginSession, sessionRoutes } from './people/session-routes.ts';
import { Sessions, type SessionTimes } from './people/sessions.ts';
import { Passwords } from './people/sign-in.ts';
import { Rate } from './rate.ts';
import { ticketRoute } from './ticket-route.ts';
import { Tickets } from './tickets.ts';
import { Unlocks, unlockFileIn } from './unlocks.ts';
import { watchFiles } from './watched-file.ts';

export { NO_ISSUER } from './people/issuer-people.ts';

/** All that the gateway asks about its callers. */
export interface CallerAccess {
  readonly authenticator: Authenticator;
  /** For callers that do not come by HTTP. */
  readonly holders: KeyHolders;
  /** The rights that whoever is called so has now, see `Host.rightsOf`. */
  rightsOf(holder: string): Rights | undefined;
  /** Whether callers need an API key now. */
  needsKey(): boolean;
  /** Wrong keys and tickets since the start. */
  guesses(): GuessCounts;
  /** For the plugin that talks to the issuer. */
  readonly issuerSessions: IssuerSessions;
  /** Of tickets and keys. */
  readonly routes: readonly Route[];
  /** Applies settings that can change while the gateway runs: how many requests a caller may make. */
  apply(settings: Settings): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** As the log names it. */
const WRONG_PASSWORD = Object.freeze({ kind: 'password', tried: 'a name and a password that do not belong together' });

/** Throws SettingsError when a key is needed and none was ever made; an error when the key file cannot be used. */
export function openAccess(settings: Settings, clock: Clock, log: Log): CallerAccess {
  const path = keyFileIn(settings.data_dir);
  const keys = new LiveKeys(path, clock, log);
  const always = settings.auth === 'required' || (isExposed(settings) && !settings.insecure_no_auth);
  const people = openPeople(settings, keys, log);
  const proxied = new ProxiedPeople(proxyHeader(settings), people);
  const issuer = new IssuerPeople(settings, people, keys);
  if (always && !keys.ever && !people.ever) throw new SettingsError([missingKey(settings, path)]);
  const lost = signsOfLostKeys(path);
  if (lost.length > 0 && !settings.insecure_no_auth) throw new SettingsError([lostKeys(settings, path, lost)]);
  warn(settings, keys, people, log);
  // They have a timer from here on: a start that is refused must not leave one behind.
  const sessions = openSessions(settings, presentHolder({ keys, people, issuer, clock }), clock, log);
  const lastUse = new LastUse(useFileIn(settings.data_dir), clock, log);
  const tickets = new Tickets(clock);
  const isKeyNeeded = () => always || keys.ever || people.ever || issuer.isUsed;
  const demand = { key: isKeyNeeded() };
  const review = () => {
    demand.key = isKeyNeeded();
    for (const known of [sessions, proxied]) known.review();
  };
  for (const file of [keys, people]) file.whenChanged(review);
  const passwords = new Passwords({
    clock,
    named: (name) => people.named(name),
    isHome: ({ id }, prefix) =>
      sessions.all.some(({ holder, address }) => holder.id === id && addressPrefix(address) === prefix),
    wrong: (prefix) => guesses.add(prefix, WRONG_PASSWORD),
  });
  const guesses = new Guesses(clock, log, (prefix) => passwords.waitOf(prefix));
  const unlocks = new Unlocks(unlockFileIn(settings.data_dir), clock);
  const unlocking = {
    look() {
      for (const prefix of unlocks.fresh()) passwords.unlock(prefix);
    },
  };
  const unwatch = watchFiles(clock, [keys, people, unlocking]);
  const rate = new Rate(rateOf(settings), clock);
  const holders = createKeyHolders({ keys, lastUse, rate, clock });
  const needsKey = () => demand.key;
  const parts: AuthenticatorParts = {
    keys,
    tickets,
    lastUse,
    sessions,
    proxied,
    guesses,
    rate,
    clock,
    demand,
  };
  const authenticator = createAuthenticator(parts);
  const close = async () => {
    unwatch();
    guesses.flush();
    await sessions.close();
    await lastUse.close();
  };
  const routes = [
    ticketRoute(tickets),
    ...keyRoutes({ path, keys, lastUse, clock }),
    ...sessionRoutes({ ...parts, people, passwords, issuer, log }),
    ...peopleRoutes({ people, sessions }),
  ];
  const apply = (next: Settings) => {
    rate.change(rateOf(next));
    sessions.change(sessionTimes(next));
  };
  const later = { rightsOf: presentRights(keys, people, clock, needsKey), guesses: () => guesses.counts };
  const issuerSessions = forIssuer(issuer, sessions, log);
  return { authenticator, holders, needsKey, ...later, issuerSessions, routes, apply, close };
}

const forIssuer = (issuer: IssuerPeople, sessions: Sessions, log: Log): IssuerSessions => ({
  async begin(who, arrival) {
    const { cookie, session } = await beginSession({ sessions, log }, issuer.holderOf(who), arrival);
    return { cookie, session: session.id };
  },
  offer: (way) => issuer.offer(way),
});

/** Throws SettingsError where people were made, and their file is gone. */
function openPeople(settings: Settings, keys: LiveKeys, log: Log) {
  const path = personFileIn(settings.data_dir);
  const lost = signsOfLostPeople(path);
  if (lost.length > 0 && !keys.ever && !settings.insecure_no_auth) throw new SettingsError([lostFile(path, lost)]);
  return new LivePeople(path, log);
}

function openSessions(settings: Settings, present: ReturnType<typeof presentHolder>, clock: Clock, log: Log): Sessions {
  const times = sessionTimes(settings);
  return new Sessions({ path: sessionFileIn(settings.data_dir), times, clock, log, present });
}

interface Callers {
  readonly keys: LiveKeys;
  readonly people: LivePeople;
  readonly issuer: IssuerPeople;
  readonly clock: Clock;
}

/** A person and a key count as they are now, and only as long as they are what they were at sign-in. */
function presentHolder({ keys, people, issuer, clock }: Callers) {
  return (holder: Holder): Holder | undefined => {
    if (holder.kind === 'issuer') return issuer.isPresent(holder) ? holder : undefined;
    if (holder.kind === 'person') return people.find(holder.id)?.stamp === holder.stamp ? holder : undefined;
    const key = keys.find(holder.id);
    return key?.hash === holder.stamp && standingOf(key, clock.now()) === 'good' ? holder : undefined;
  };
}

/** Of a person or a key that still counts; where nobody needs a key, of anybody. */
function presentRights(keys: LiveKeys, people: LivePeople, clock: Clock, needsKey: () => boolean) {
  return (holder: string): Rights | undefined => {
    const [kind, id = ''] = holder.split(' ');
    if (kind === 'anybody') return needsKey() ? undefined : { role: 'admin', units: null };
    const key = kind === 'key' ? keys.find(id) : undefined;
    const found =
      kind === 'person' ? people.find(id) : key && standingOf(key, clock.now()) === 'good' ? key : undefined;
    return found && { role: found.role, units: found.units };
  };
}

/** Lower case: browsers send them, or the gateway reads something else in them. */
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

function missingKey(settings: Settings, path: string): string {
  const why = isExposed(settings)
    ? `host: ${JSON.stringify(settings.host)} lets other computers call${settings.trusted_proxies.length > 0 ? ' (by way of trusted_proxies)' : ''}`
    : 'auth: "required" asks callers for an API key';
  const lift = isExposed(settings) ? ', or start with --insecure-no-auth to let everybody control the meters' : '';
  return `${why}, and there is no API key in ${path}: make one with ${makeKey(settings)}${lift}`;
}

/** Deleting the keys must not open what they closed. */
const lostKeys = (settings: Settings, path: string, signs: readonly string[]): string =>
  `there is no ${path}, but API keys were made here before: restore it from a backup, or make a new key with ${makeKey(settings)}; if everybody on this computer may control the meters, delete ${signs.join(' and ')}`;

const lostFile = (path: string, signs: readonly string[]): string =>
  `there is no ${path}, but people were made here before: restore it from a backup, or make a person with ${KEYS_COMMAND} person; if everybody on this computer may control the meters, delete ${signs.join(' and ')}`;

const makeKey = (settings: Settings): string =>
  `${KEYS_COMMAND} create --name NAME --role admin${dataDirFlag(settings)}`;

/** `npm run keys` does not know the data folder of this gateway, and it may be run in another folder. */
const dataDirFlag = ({ data_dir }: Settings): string =>
  data_dir === propertyOf('data_dir').default ? '' : ` --data-dir ${resolve(data_dir)}`;

function warn(settings: Settings, keys: LiveKeys, people: LivePeople, log: Log): void {
  const { host, insecure_no_auth } = settings;
  const isOpen = !keys.ever && !people.ever;
  if (keys.ever && keys.good === 0 && people.all.length === 0)
    log.warn('every API key has expired or was revoked: nobody can call');
  if (insecure_no_auth && !isOpen) log.warn('insecure_no_auth has no effect: there are API keys or people');
  else if (insecure_no_auth && isExposed(settings))
    log.warn({ host }, 'everybody who reaches this address controls the meters');
}
