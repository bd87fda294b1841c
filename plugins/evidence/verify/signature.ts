/** Checks the envelope of a package: is it in its one proper form, is it signed by the key in the package, which manifest does it name. */

import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { canonicalJson } from '../../../lib/domain/canonical-json.ts';
import {
  base64Bytes,
  base64Of,
  ENVELOPE,
  MANIFEST,
  PAYLOAD_TYPE,
  PREDICATE_TYPE,
  type Predicate,
  PUBLIC_KEY,
  preAuthenticationEncoding,
  STATEMENT_TYPE,
} from './manifest.ts';
import type { PackageDifference, SignerResult } from './report.ts';
import { isEqual } from './zip.ts';

/** What the envelope says, and whether it is signed. */
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

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

interface Statement {
  readonly _type: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: Predicate;
}

/** By the key in the package. Whether it is the gateway's is for the reader to compare by its fingerprint. */
export async function checkEnvelope(envelope: Uint8Array, pem: Uint8Array): Promise<EnvelopeResult> {
  const differences: PackageDifference[] = [];
  const key = keyIn(pem);
  if (!key) differences.push({ file: PUBLIC_KEY, what: 'it is no public key of Ed25519' });
  const by = key ? `sha256:${bytesToHex(sha256(key))}` : null;
  const read = canonical<Envelope>(envelope, isEnvelope);
  const payload = read && base64Bytes(read.payload);
  const statement = payload && canonical<Statement>(payload, isStatement);
  const [first] = read?.signatures ?? [];
  const signature = first && base64Bytes(first.sig);
  if (!read || !payload || !statement || !first || !signature) {
    differences.push({ file: ENVELOPE, what: 'it is no envelope as the gateway writes it' });
    return { by, at: null, valid: false, manifest: undefined, predicate: undefined, signature: undefined, differences };
  }
  if (first.keyid !== by)
    differences.push({ file: ENVELOPE, what: `it is signed by ${first.keyid}, not by the key in the package` });
  const valid = key
    ? await isSigned(key.subarray(SPKI.length), preAuthenticationEncoding(read.payloadType, payload), signature)
    : false;
  if (valid === false) differences.push({ file: ENVELOPE, what: 'its signature does not fit the key in the package' });
  const { predicate } = statement;
  const manifest = statement.subject[0]?.digest.sha256;
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

/** Undefined where it is not JSON in canonical form, or not of this type. */
export function canonical<T>(bytes: Uint8Array, isType: (value: unknown) => value is T): T | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isType(value) && canonicalJson(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** With just these names. */
export function isRecordOf(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && Object.keys(value).toSorted().join() === names.toSorted().join()
  );
}

const areTexts = (value: unknown, names: readonly string[]): boolean =>
  isRecordOf(value, names) && names.every((name) => typeof value[name] === 'string');

function isEnvelope(value: unknown): value is Envelope {
  if (!isRecordOf(value, ['payloadType', 'payload', 'signatures'])) return false;
  const { payloadType, payload, signatures } = value;
  if (payloadType !== PAYLOAD_TYPE || typeof payload !== 'string' || !Array.isArray(signatures)) return false;
  return signatures.length === 1 && areTexts(signatures[0], ['keyid', 'sig']);
}

function isStatement(value: unknown): value is Statement {
  if (!isRecordOf(value, ['_type', 'subject', 'predicateType', 'predicate'])) return false;
  const { _type, subject, predicateType, predicate } = value;
  if (_type !== STATEMENT_TYPE || predicateType !== PREDICATE_TYPE || !Array.isArray(subject)) return false;
  const [first] = subject;
  if (subject.length !== 1 || !isRecordOf(first, ['name', 'digest']) || first.name !== MANIFEST) return false;
  const names = ['signed_at', 'unit_id', 'from', 'to'];
  return areTexts(first.digest, ['sha256']) && (areTexts(predicate, names) || areTexts(predicate, [...names, 'stamp']));
}
