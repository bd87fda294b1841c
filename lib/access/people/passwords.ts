/**
 * Passwords by scrypt (RFC 7914), one at a time: each takes 32 MB and some tenths of a second. So guessing is slow, and
 * many guesses at once cannot use up the memory. Hashes with other costs can still be checked.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MB and three passes, as OWASP requires for this size. */
const COST: Cost = { N: 32_768, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Characters of a password. */
export const SHORTEST = 12;
/** Characters of a password. */
export const LONGEST = 256;

/** Pattern of a stored password for a schema: `scrypt$N$r$p$SALT$HASH`, base64url. */
export const STORED = '^scrypt\\$\\d{4,7}\\$\\d{1,2}\\$\\d{1,2}\\$[\\w-]{22}\\$[\\w-]{43}$';

/** The text to store for a password, with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Compared with the password of an unknown name, so that it takes as long as for a known name. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether it is the stored password. With undefined or null it does the same work and returns false. */
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
