/** Sign-ins that have begun: each belongs to the browser that has its cookie, holds for ten minutes, and can be ended once. */
import { createHash, randomBytes } from 'node:crypto';
import { BoundedMap, type Clock } from '../../lib/index.ts';

/** What must come back from the issuer, and where the browser goes then. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  /** The address that the issuer sends the browser to. */
  readonly callback: string;
  /** Relative to the root of the gateway. */
  readonly to: string;
}

const LIFETIME_MS = 600_000;
/** Whoever begins more pushes out the oldest; the limits of requests hold before. */
const MOST = 10_000;

/** All of them, in memory: after a restart a person begins anew. */
export class BegunSignIns {
  readonly #clock: Clock;
  readonly #begun = new BoundedMap<{ readonly signIn: BegunSignIn; readonly until: number }>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The value of the cookie. */
  add(signIn: BegunSignIn): string {
    const cookie = randomBytes(32).toString('base64url');
    this.#begun.set(hash(cookie), { signIn, until: this.#clock.elapsed() + LIFETIME_MS });
    return cookie;
  }

  /** Undefined: it was not begun in this browser, is over, or was used. */
  take(cookie: string | undefined): BegunSignIn | undefined {
    const found = cookie === undefined ? undefined : this.#begun.take(hash(cookie));
    return found && this.#clock.elapsed() < found.until ? found.signIn : undefined;
  }
}

const hash = (cookie: string): string => createHash('sha256').update(cookie).digest('base64url');
