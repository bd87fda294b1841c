/**
 * Sign-ins that have begun. Their state is in an encrypted cookie of the browser, not in the memory of the gateway. However
 * many sign-ins begin, none is lost. A sign-in is valid for ten minutes and can be ended once.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { BoundedMap, type Clock } from '../../lib/index.ts';

/** The values that the issuer must send back, and the address where the browser goes then. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE (RFC 7636). */
  readonly verifier: string;
  /** Relative to the root of the gateway. */
  readonly to: string;
}

const LIFETIME_MS = 600_000;
/** The issuer accepts a code once, so reaching this limit does no harm. */
const MOST_USED = 10_000;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and decrypts the cookies. The key lives as long as the process: after a restart a person begins again. */
export class BegunSignIns {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  readonly #used = new BoundedMap<true>(MOST_USED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The value of the cookie: base64url. */
  seal(signIn: BegunSignIn): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const text = JSON.stringify({ ...signIn, until: this.#clock.elapsed() + LIFETIME_MS });
    const sealed = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined: the sign-in was not begun in this browser, has expired, or was used. */
  take(cookie: string | undefined): BegunSignIn | undefined {
    const opened = cookie === undefined ? undefined : this.#open(Buffer.from(cookie, 'base64url'));
    if (!opened || this.#clock.elapsed() >= opened.until || this.#used.get(opened.state)) return undefined;
    this.#used.set(opened.state, true);
    return opened;
  }

  #open(sealed: Buffer): (BegunSignIn & { readonly until: number }) | undefined {
    if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, end)), decipher.final()]).toString('utf8');
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}
