/** Checks the envelope of a package: is it in its one proper form, is it signed by the key in the package, which manifest does it name. */

import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import {
  base64Bytes,
  base64Of,
  ENVELOPE,
  envelopeIn,
  type Predicate,
  PUBLIC_KEY,
  preAuthenticationEncoding,
  statementIn,
} from './manifest.ts';
import type { PackageDifference, SignerResult } from './report.ts';
import { isEqual } from './zip.ts';

export interface EnvelopeResult extends SignerResult {
  /** Hex SHA-256 of the manifest that was signed. */
  readonly manifest: string | undefined;
  readonly predicate: Predicate | undefined;
  /** 64 bytes. */
  readonly signature: Uint8Array | undefined;
  readonly differences: readonly PackageDifference[];
}

/** Before the 32 bytes of an Ed25519 key in SPKI (RFC 8410). */
const SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);

/** By the key in the package. Whether it is the gateway's is for the reader to compare by its fingerprint. */
export async function checkEnvelope(envelope: Uint8Array, pem: Uint8Array): Promise<EnvelopeResult> {
  const differences: PackageDifference[] = [];
  const key = keyIn(pem);
  if (!key) differences.push({ file: PUBLIC_KEY, what: 'it is no public key of Ed25519' });
  const by = key ? `sha256:${bytesToHex(sha256(key))}` : null;
  const read = envelopeIn(envelope);
  const payload = read && base64Bytes(read.payload);
  const statement = payload && statementIn(payload);
  const signature = read && base64Bytes(read.signatures[0].sig);
  if (!read || !payload || !statement || !signature) {
    differences.push({ file: ENVELOPE, what: 'it is no envelope as the gateway writes it' });
    return { by, at: null, valid: false, manifest: undefined, predicate: undefined, signature: undefined, differences };
  }
  const { keyid } = read.signatures[0];
  if (keyid !== by)
    differences.push({ file: ENVELOPE, what: `it is signed by ${keyid}, not by the key in the package` });
  const valid = key
    ? await isSigned(key.subarray(SPKI.length), preAuthenticationEncoding(read.payloadType, payload), signature)
    : false;
  if (valid === false) differences.push({ file: ENVELOPE, what: 'its signature does not fit the key in the package' });
  const { predicate } = statement;
  const manifest = statement.subject[0].digest.sha256;
  return { by, at: predicate.signed_at, valid, manifest, predicate, signature, differences };
}

/** The key in DER; undefined where the text is not exactly as one would be written. */
function keyIn(pem: Uint8Array): Uint8Array | undefined {
  const text = new TextDecoder().decode(pem);
  const base64 = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]{60})\n-----END PUBLIC KEY-----\n$/.exec(text)?.[1];
  const key = base64 === undefined ? undefined : base64Bytes(base64);
  return key?.length === SPKI.length + 32 && isEqual(key.subarray(0, SPKI.length), SPKI) && base64Of(key) === base64
    ? key
    : undefined;
}

/** Null where this browser does not know Ed25519, or gives a page no cryptography. */
async function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean | null> {
  if (!globalThis.crypto?.subtle) return null;
  try {
    const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify(
      { name: 'Ed25519' },
      imported,
      new Uint8Array(signature),
      new Uint8Array(message),
    );
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') return null;
    return false;
  }
}
