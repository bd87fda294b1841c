/**
 * Passwords by scrypt (RFC 7914). One is worked on at a time: each takes 32 MB and some tenths of a second, so that guessing is slow and
 * many guesses at once cannot use up the memory. What was stored with other costs can still be checked.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MB three times over: what OWASP asks for at this size. */
const COST: Cost = { N: 32_768, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Characters of a password. */
export const SHORTEST = 12;
/** Characters of a password. */
export const LONGEST = 256;

/** Of what is stored, as the pattern of a schema: `scrypt$N$r$p$SALT$HASH`, base64url. */
export const STORED = '^scrypt\\$\\d{4,7}\\$\\d{1,2}\\$\\d{1,2}\\$[\\w-]{22}\\$[\\w-]{43}$';

/** The text to store for a password, with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Of nobody: what an unknown name is compared with, so that it takes the time of a known one. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether it is the password that was stored. Undefined or null is nobody's: the same work, and never right. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, n, r, p, salt = '', hash = ''] = (stored ?? NOBODY).split('$');
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && typeof stored === 'string';
}

/** Keyboards differ in how they write the same letter. */
function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
}
