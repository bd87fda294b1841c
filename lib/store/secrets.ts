/**
 * Credentials at rest: AES-256-GCM with a random 96-bit nonce for each value (NIST SP 800-38D). Unit and field are
 * authenticated as well (AAD), so that a sealed value cannot be opened for another unit. Text form:
 * `v1:<nonce>:<ciphertext and tag>`, both base64url. `keys.ts` provides the key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Secrets } from './contract.ts';
import type { Database } from './rows.ts';

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `unitId` and `field` are the place of the text. */
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

/** Names of facts: `secret:OWNER:NAME`. */
export const SECRET_FACT = 'secret:';

/**
 * The secrets of one plugin (`owner`), sealed as the credentials of meters are. A secret that the key does not open counts
 * as absent and is named in the log.
 */
export function pluginSecrets(database: Database, sealer: Sealer, log: Log, owner: string): Secrets {
  const fact = (name: string) => `${SECRET_FACT}${owner}:${name}`;
  return {
    put: (name, text) => database.putFact(fact(name), sealer.seal(fact(name), 'secret', text)),
    remove: (name) => database.dropFact(fact(name)),
    async names() {
      const facts = await database.facts(fact(''));
      return facts.flatMap(({ name }) => (name.startsWith(fact('')) ? [name.slice(fact('').length)] : []));
    },
    async get(name) {
      const sealed = await database.presentFact(fact(name));
      if (sealed === undefined) return undefined;
      try {
        return sealer.open(fact(name), 'secret', sealed);
      } catch (error) {
        log.error({ owner, name, reason: messageOf(error) }, 'a stored secret cannot be opened: set it again');
        return undefined;
      }
    },
  };
}

export const KEY_PROOF = 'key-proof';

/** For the database: a program that can open it has the key of the credentials. */
export const proofOf = (sealer: Sealer): string => sealer.seal('', KEY_PROOF, KEY_PROOF);

export function proves(sealer: Sealer, proof: string): boolean {
  try {
    return sealer.open('', KEY_PROOF, proof) === KEY_PROOF;
  } catch {
    return false;
  }
}
