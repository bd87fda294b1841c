/**
 * A package of evidence describes itself: the manifest with the hash of each file, and the statement that is signed, written and read.
 * Pure functions without Node, since the page that checks a package has them, too. docs/evidence.md has the format.
 */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonicalJson } from '../../../lib/domain/canonical-json.ts';

/** The format of a package; another one is refused. */
export const FORMAT = 'slm-evidence/1';
/** Names of the entries that the manifest does not list. */
export const MANIFEST = 'manifest.json';
export const ENVELOPE = 'signature/envelope.json';
/** The public key, PEM. */
export const PUBLIC_KEY = 'signature/public-key.pem';
/** The answer of a time stamp server (RFC 3161), where there is one. */
export const TIMESTAMP = 'signature/timestamp.tsr';
/** Follows the name of a table: the file with its checks. */
export const CHECKS_SUFFIX = '.checks.json';
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'urn:slm-gateway:evidence:1';
/** `stamp` of a statement whose signature was stamped: who takes the stamp away is found out. Other words say why there is none. */
export const ATTACHED = 'attached';

export interface PackageFields {
  readonly unit_id: string;
  readonly gateway: { readonly version: string };
  /** `sha256:` and the hex SHA-256 of the public key (DER, SPKI). */
  readonly key: { readonly fingerprint: string };
  readonly query: {
    /** RFC 3339 in UTC. */
    readonly from: string;
    /** RFC 3339 in UTC, the end; all entries of the ZIP have this time. */
    readonly to: string;
    /** IANA name. */
    readonly timezone: string;
    readonly include: readonly string[];
  };
}

export interface ManifestFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest extends PackageFields {
  readonly format: typeof FORMAT;
  /** Sorted by path, without the manifest itself and what is in `signature/`. */
  readonly files: readonly ManifestFile[];
}

/** When, and for what: the part of the statement that is this project's own. */
export interface Predicate {
  /** RFC 3339 in UTC. */
  readonly signed_at: string;
  readonly unit_id: string;
  readonly from: string;
  readonly to: string;
  /** `ATTACHED`, or why there is no time stamp. Packages of earlier versions do not say it. */
  readonly stamp?: string;
}

/** The text of `manifest.json`: canonical, so that equal packages have equal manifests. */
export function manifestText({ unit_id, gateway, key, query }: PackageFields, files: readonly ManifestFile[]): string {
  return canonicalJson({ format: FORMAT, unit_id, gateway, key, query, files } satisfies Manifest);
}

/** The text that is signed: it names the manifest by its hash. */
export function statementText(manifest: Uint8Array, { signed_at, unit_id, from, to, stamp }: Predicate): string {
  return canonicalJson({
    _type: STATEMENT_TYPE,
    subject: [{ name: MANIFEST, digest: { sha256: bytesToHex(sha256(manifest)) } }],
    predicateType: PREDICATE_TYPE,
    predicate: { signed_at, unit_id, from, to, ...(stamp !== undefined && { stamp }) },
  });
}

/** The text of `signature/envelope.json`; `keyid` is the fingerprint of the key that signed the payload. */
export function envelopeText(payload: Uint8Array, keyid: string, signature: Uint8Array): string {
  return canonicalJson({
    payloadType: PAYLOAD_TYPE,
    payload: base64Of(payload),
    signatures: [{ keyid, sig: base64Of(signature) }],
  });
}

/** The bytes that a signature of DSSE covers: type and content, each with its length in bytes. */
export function preAuthenticationEncoding(type: string, payload: Uint8Array): Uint8Array {
  const head = utf8ToBytes(`DSSEv1 ${utf8ToBytes(type).length} ${type} ${payload.length} `);
  const whole = new Uint8Array(head.length + payload.length);
  whole.set(head);
  whole.set(payload, head.length);
  return whole;
}

/** Whether a name is a file in the folder of the package, or below it, wherever it is unpacked. */
export function isPlainPath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\\ufffd]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x80_00) text += String.fromCharCode(...bytes.subarray(at, at + 0x80_00));
  return btoa(text);
}

/** Undefined where it is not base64 with padding, in its one proper form. */
export function base64Bytes(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return base64Of(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';

const isOnly =
  (text: string): Check =>
  (value) =>
    value === text;

/** An object with just these names. */
export const isRecord =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(value).toSorted().join() === Object.keys(fields).toSorted().join() &&
    Object.entries(fields).every(([name, isOf]) => isOf(Reflect.get(value, name)));

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isList =
  (isItem: Check, count?: number): Check =>
  (value) =>
    Array.isArray(value) && (count === undefined || value.length === count) && value.every(isItem);

/** Undefined where it is not JSON in canonical form, or not of this form. */
export function canonical<T>(bytes: Uint8Array, isOf: Check): T | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isOf(value) && canonicalJson(value) === text ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

const isManifest = isRecord({
  format: isOnly(FORMAT),
  unit_id: isText,
  gateway: isRecord({ version: isText }),
  key: isRecord({ fingerprint: isText }),
  query: isRecord({ from: isText, to: isText, timezone: isText, include: Array.isArray }),
  files: isList(
    isRecord({
      path: (value) => typeof value === 'string' && isPlainPath(value),
      bytes: Number.isSafeInteger,
      sha256: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
    }),
  ),
});

/** Undefined where it is not a manifest of this format in canonical form, with its files sorted by path, each once. */
export function manifestIn(bytes: Uint8Array): Manifest | undefined {
  const manifest = canonical<Manifest>(bytes, isManifest);
  const isSorted = manifest?.files.every(({ path }, n) => n === 0 || path > (manifest.files[n - 1]?.path ?? ''));
  return isSorted ? manifest : undefined;
}

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }];
}

/** Undefined where the gateway writes no such envelope. */
export const envelopeIn = (bytes: Uint8Array): Envelope | undefined =>
  canonical(
    bytes,
    isRecord({
      payloadType: isOnly(PAYLOAD_TYPE),
      payload: isText,
      signatures: isList(isRecord({ keyid: isText, sig: isText }), 1),
    }),
  );

export interface Statement {
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }];
  readonly predicate: Predicate;
}

const PREDICATE = { signed_at: isText, unit_id: isText, from: isText, to: isText };

/** Undefined where the gateway writes no such statement. */
export const statementIn = (bytes: Uint8Array): Statement | undefined =>
  canonical(
    bytes,
    isRecord({
      _type: isOnly(STATEMENT_TYPE),
      subject: isList(isRecord({ name: isOnly(MANIFEST), digest: isRecord({ sha256: isText }) }), 1),
      predicateType: isOnly(PREDICATE_TYPE),
      predicate: (value) => isRecord(PREDICATE)(value) || isRecord({ ...PREDICATE, stamp: isText })(value),
    }),
  );
