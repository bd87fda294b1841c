/**
 * Credentials at rest: AES-256-GCM with a random 96-bit nonce for each value (NIST SP 800-38D). Unit and field are
 * authenticated as well (AAD), so that a sealed value cannot be opened for another unit. Text form:
 * `v1:<nonce>:<ciphertext and tag>`, both base64url. `keys.ts` provides the key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals texts for a place: unit and field. */
export interface Sealer {
  seal(unitId: string, field: string, plain: string): string;
  /** Throws when the text was sealed with another key, for another place, or was changed. */
  open(unitId: string, field: string, sealed: string): string;
}

/** `key`: 32 bytes. */
export function createSealer(key: Uint8Array): Sealer {
  return {
    seal(unitId, field, plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(place(unitId, field));
      const box = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}:${nonce.toString('base64url')}:${box.toString('base64url')}`;
    },
    open(unitId, field, sealed) {
      const [version, nonce, text, ...rest] = sealed.split(':');
      if (version !== VERSION || nonce === undefined || text === undefined || rest.length > 0)
        throw new Error('not a sealed value of a version known here');
      const box = Buffer.from(text, 'base64url');
      if (box.length < TAG_BYTES) throw new Error('a sealed value was cut short');
      const cipher = createDecipheriv(ALGORITHM, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
      cipher.setAAD(place(unitId, field));
      cipher.setAuthTag(box.subarray(-TAG_BYTES));
      return Buffer.concat([cipher.update(box.subarray(0, -TAG_BYTES)), cipher.final()]).toString('utf8');
    },
  };
}

/** A zero byte cannot be part of a unit id, so no two places share an AAD. */
const place = (unitId: string, field: string) => Buffer.from(`${VERSION}\0${unitId}\0${field}`, 'utf8');
