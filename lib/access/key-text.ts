/**
 * The text of an API key: `slm_<id>_<secret>`, 8 hex digits that name it and 256 random bits. Only the SHA-256 of the
 * whole text is kept. A slow password hash would protect nothing more: it makes up for secrets that people think of, and
 * 2^256 random ones cannot be tried through, however fast the hash is.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const FORM = /^slm_([0-9a-f]{8})_[A-Za-z0-9_-]{43}$/;

export interface NewKey {
  readonly id: string;
  /** Shown once, kept nowhere. */
  readonly text: string;
  readonly hash: string;
}

export function newKey(): NewKey {
  const id = randomBytes(4).toString('hex');
  const text = `slm_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, text, hash: hashOf(text) };
}

/** The id in a text that has the form of a key. */
export const idIn = (text: string): string | undefined => FORM.exec(text)?.[1];

/** SHA-256, hex. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** In a time that does not depend on how much of it is right. */
export const matches = (text: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(text), 'hex'), Buffer.from(hash, 'hex'));
