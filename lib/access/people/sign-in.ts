/**
 * Checks names with passwords. An unknown name takes the same work and gets the same answer as a wrong password.
 * Attempts run one at a time, so that parallel attempts give no more guesses. Callers with earlier wrong guesses wait
 * for the others. Among equals the newest and the oldest take turns: so a flood before or after a caller delays it little.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { AuditWriter } from '../../audit/contract.ts';
import type { Clock } from '../../clock.ts';
import { GatewayError } from '../../errors.ts';
import { ANYBODY } from '../../http/arrival.ts';
import { addressPrefix, networkPrefix } from '../../http/callers.ts';
import { slowDown } from '../authenticator.ts';
import type { Person } from '../tables.ts';
import { WrongTries } from '../tries.ts';
import { sameName } from './live-people.ts';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MB and three passes, as OWASP requires for this size. */
const COST: Cost = { N: 32_768, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const SHORTEST = 12;
export const LONGEST = 256;

/** Why this cannot be the password of this person; undefined: it can. */
export function passwordFault(name: string, password: string): string | undefined {
  const length = [...password].length;
  if (length < SHORTEST || length > LONGEST)
    return `must have ${SHORTEST} to ${LONGEST} characters; several words are easier to remember`;
  return sameName(password) === sameName(name) ? 'must not be the name' : undefined;
}

/** Pattern of a stored password for a schema: `scrypt$N$r$p$SALT$HASH`, base64url. */
export const STORED = '^scrypt\\$\\d{4,7}\\$\\d{1,2}\\$\\d{1,2}\\$[\\w-]{22}\\$[\\w-]{43}$';

/**
 * Passwords by scrypt (RFC 7914), one at a time: each takes 32 MB and some tenths of a second. So guessing is slow, and
 * many guesses at once cannot use up the memory. Hashes with other costs can still be checked.
 *
 * The text to store for a password, with a fresh salt.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Compared with the password of an unknown name, so that it takes as long as for a known name. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** With undefined or null it does the same work and returns false. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, n, r, p, salt = '', hash = ''] = (stored ?? NOBODY).split('$');
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && typeof stored === 'string';
}

/** Normalized: keyboards write the same letter in different ways. */
function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
}

/** Attempts that wait: of all addresses, of one, and of one IPv6 /48. Each has the work of a third of a second before it. */
const MOST_WAITING = 64;
const MOST_OF_ADDRESS = 4;
const MOST_OF_NETWORK = 8;
/** Limit per IPv6 /48. */
const OF_NETWORK = { free: 20, longestMs: 300_000 };
/** Limit per name, from all addresses: short, so that nobody can keep a person out for long. */
const OF_NAME = { free: 20, longestMs: 10_000 };

interface PasswordParts {
  readonly clock: Clock;
  readonly named: (name: string) => Person | undefined;
  /** Whether this person is signed in from this address (IPv6: /64) now. */
  readonly isHome: (person: Person, prefix: string) => boolean;
  readonly wrong: (prefix: string) => void;
}

interface Attempt {
  readonly name: string;
  readonly address: string;
  readonly network: string;
  readonly isHome: boolean;
  readonly begin: () => Promise<void>;
  readonly refuse: (error: unknown) => void;
}

export class Passwords {
  readonly #parts: PasswordParts;
  readonly #byAddress: WrongTries;
  readonly #byNetwork: WrongTries;
  readonly #byName: WrongTries;
  #waiting: readonly Attempt[] = [];
  #isBusy = false;
  #isNewestNext = true;

  constructor(parts: PasswordParts) {
    this.#parts = parts;
    this.#byAddress = new WrongTries(parts.clock);
    this.#byNetwork = new WrongTries(parts.clock, OF_NETWORK);
    this.#byName = new WrongTries(parts.clock, OF_NAME);
  }

  /** Undefined: wrong. Throws TOO_MANY_REQUESTS, and the reason of the signal if the caller leaves before its turn. */
  check(name: string, password: string, from: string, signal: AbortSignal): Promise<Person | undefined> {
    const address = addressPrefix(from);
    const network = networkPrefix(from);
    const person = this.#parts.named(name);
    const isHome = person !== undefined && this.#parts.isHome(person, address);
    const { promise, resolve, reject } = Promise.withResolvers<Person | undefined>();
    const begin = () => this.#attempt(attempt, password).then(resolve, reject);
    const attempt: Attempt = { name: sameName(name), address, network, isHome, begin, refuse: reject };
    try {
      signal.throwIfAborted();
      this.#slowDown(attempt);
      this.#enter(attempt);
    } catch (error) {
      reject(error);
      return promise;
    }
    const leave = () => {
      if (!this.#waiting.includes(attempt)) return;
      this.#waiting = this.#waiting.filter((other) => other !== attempt);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#next();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  waitOf(prefix: string): number {
    return Math.max(this.#byAddress.waitOf(prefix), this.#byNetwork.waitOf(prefix));
  }

  /** Lets an address in again, with its network and whatever name it uses. */
  unlock(from: string): void {
    this.#byAddress.forget(addressPrefix(from));
    this.#byNetwork.forget(networkPrefix(from));
  }

  #slowDown({ name, address, network, isHome }: Attempt): void {
    slowDown(this.#byAddress.waitOf(address), 'Too many wrong passwords came from this address');
    if (isOneCustomer(network))
      slowDown(this.#byNetwork.waitOf(network), 'Too many wrong passwords came from this network');
    if (!isHome) slowDown(this.#byName.waitOf(name), 'Too many wrong passwords came for this name');
  }

  /** Throws TOO_MANY_REQUESTS without room. The last in turn gives its room to an attempt that goes before it. */
  #enter(attempt: Attempt): void {
    const { network } = attempt;
    const own = this.#waiting.filter(({ address }) => address === attempt.address).length;
    const near = this.#waiting.filter((other) => other.network === network).length;
    if (own >= MOST_OF_ADDRESS || (isOneCustomer(network) && near >= MOST_OF_NETWORK)) throw full();
    const waiting = [...this.#waiting, attempt];
    const [last] = waiting.length > MOST_WAITING ? this.#ofRank(waiting, Math.max) : [];
    if (last === attempt) throw full();
    this.#waiting = waiting.filter((one) => one !== last);
    last?.refuse(full());
  }

  /**
   * Attempts of the lowest (`Math.min`) or highest rank, the oldest first. People at an address where they are signed in are
   * first, then addresses and networks with few wrong tries. Addresses of the same kind alternate.
   */
  #ofRank(waiting: readonly Attempt[], end: typeof Math.min): readonly Attempt[] {
    const seen = new Map<string, number>();
    const ranks = waiting.map(({ address, network, isHome }) => {
      const before = seen.get(address) ?? 0;
      seen.set(address, before + 1);
      return isHome ? -1 : this.#byAddress.countOf(address) + this.#byNetwork.countOf(network) + before;
    });
    const wanted = end(...ranks);
    return waiting.filter((_, index) => ranks[index] === wanted);
  }

  #next(): void {
    if (this.#isBusy) return;
    const next = this.#ofRank(this.#waiting, Math.min).at(this.#isNewestNext ? -1 : 0);
    if (!next) return;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    this.#isNewestNext = !this.#isNewestNext;
    this.#isBusy = true;
    void next.begin().finally(() => {
      this.#isBusy = false;
      this.#next();
    });
  }

  async #attempt(attempt: Attempt, password: string): Promise<Person | undefined> {
    // Those before may have been wrong.
    this.#slowDown(attempt);
    const { named, wrong } = this.#parts;
    const { name, address, network } = attempt;
    const person = named(name);
    const isRight = await isPassword(password, person?.password);
    // The person may have been changed or removed while the password was worked on.
    if (isRight && person && named(name)?.stamp === person.stamp) return person;
    this.#byAddress.add(address);
    this.#byNetwork.add(network);
    this.#byName.add(name);
    wrong(address);
    return undefined;
  }
}

/** An IPv4 /24 has many customers: its wrong tries cost turns, and lock nobody out. */
const isOneCustomer = (network: string): boolean => network.includes(':');

function full(): GatewayError {
  const headers = { 'Retry-After': '5' };
  return new GatewayError('TOO_MANY_REQUESTS', 'Too many people sign in now; try again in 5 s.', { headers });
}

const MINUTE_MS = 60_000;
/** Records a minute, of all addresses. */
const MOST = 100;

/** The rest of an entry of the audit log that no route makes. */
export const NO_REQUEST = {
  request: '',
  keyId: null,
  unitId: '',
  params: undefined,
  body: undefined,
  before: undefined,
  code: undefined,
  answer: {},
} as const;

/** Only the first failure per address and minute: nobody can fill the disk. The log counts all of them. */
export class FailedSignIns {
  readonly #audit: AuditWriter;
  readonly #clock: Clock;
  readonly #seen = new Set<string>();
  #minute = Number.NEGATIVE_INFINITY;

  constructor(audit: AuditWriter, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  /** `name`: of a person that is known here, or whom an issuer names. */
  add(address: string, name: string | undefined, { status, code, message }: GatewayError, route = '/_session'): void {
    const prefix = addressPrefix(address);
    if (this.#clock.elapsed() - this.#minute >= MINUTE_MS) {
      this.#minute = this.#clock.elapsed();
      this.#seen.clear();
    }
    if (this.#seen.has(prefix) || this.#seen.size >= MOST) return;
    this.#seen.add(prefix);
    const failed = { role: 'viewer', address, method: 'POST', route, status, code, answer: message };
    void this.#audit.add({ ...NO_REQUEST, ...failed, who: name ?? ANYBODY });
  }
}
