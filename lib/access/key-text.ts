/**
 * The text of an API key: `slm_<id>_<secret>`, 8 hex digits as its name and 256 random bits. Only the SHA-256 of the
 * whole text is stored. A slow password hash would not protect more: it helps for secrets that people invent. Nobody
 * can try 2^256 random secrets, even with a fast hash.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const FORM = /^slm_([0-9a-f]{8})_[A-Za-z0-9_-]{43}$/;

export interface NewKey {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

export function newKey(): NewKey {
  const id = randomBytes(4).toString('hex');
  const text = `slm_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, text, hash: hashOf(text) };
}

export const idIn = (text: string): string | undefined => FORM.exec(text)?.[1];

/** SHA-256, hex. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Takes the same time whether much or little of the text is right. */
export const matches = (text: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(text), 'hex'), Buffer.from(hash, 'hex'));
