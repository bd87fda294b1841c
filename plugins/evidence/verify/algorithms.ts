/** Signatures of time stamp authorities and their certificates (RFC 4055, 5758, 8410), checked by WebCrypto: Node and browsers have the same. */
import { bytesToHex } from '@noble/hashes/utils';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { derInside, derValues, SEQUENCE } from './der.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Hashes by their OID. SHA-1 is too weak to sign with. */
const HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};
const RSA = '1.2.840.113549.1.1.1';
const RSA_PSS = '1.2.840.113549.1.1.10';
const ED25519 = '1.3.101.112';
const RSA_WITH: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.11': 'SHA-256',
  '1.2.840.113549.1.1.12': 'SHA-384',
  '1.2.840.113549.1.1.13': 'SHA-512',
};
const ECDSA_WITH: Readonly<Record<string, string>> = {
  '1.2.840.10045.4.3.2': 'SHA-256',
  '1.2.840.10045.4.3.3': 'SHA-384',
  '1.2.840.10045.4.3.4': 'SHA-512',
};
/** The curve and the bytes of one of its numbers, by the OID in hex as a key has it. */
const CURVES: Readonly<Record<string, readonly [name: string, bytes: number]>> = {
  '2a8648ce3d030107': ['P-256', 32],
  '2b81040022': ['P-384', 48],
  '2b81040023': ['P-521', 66],
};

/** The name of the hash for WebCrypto; undefined for one that is not taken. */
export function stampHash({ algorithm, parameters }: AlgorithmIdentifier): string | undefined {
  return isPlain(parameters) ? HASHES[algorithm] : undefined;
}

function isPlain(parameters: ArrayBuffer | null | undefined): boolean {
  return !parameters || bytesToHex(new Uint8Array(parameters)) === '0500';
}

/** How to check; `size`: an ECDSA signature of two numbers of so many bytes. */
interface Way {
  readonly key: { readonly name: string; readonly hash?: string; readonly namedCurve?: string };
  readonly check: { readonly name: string; readonly hash?: string; readonly saltLength?: number };
  readonly size?: number;
}

/**
 * Whether `signature` over `message` is of the public key (DER, SPKI). `hash` is the one that a signature of plain RSA was made with.
 * An algorithm that is not in these tables counts as a signature that does not fit. Null: this browser has not this algorithm, or gives a page no
 * cryptography.
 */
export async function isSigned(
  spki: Uint8Array,
  algorithm: AlgorithmIdentifier,
  hash: string | undefined,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean | null> {
  const way = wayOf(spki, algorithm, hash);
  if (!way) return false;
  if (!globalThis.crypto?.subtle) return null;
  const given = way.size === undefined ? new Uint8Array(signature) : numbersOf(signature, way.size);
  if (!given) return false;
  try {
    const key = await crypto.subtle.importKey('spki', new Uint8Array(spki), way.key, false, ['verify']);
    return await crypto.subtle.verify(way.check, key, given, new Uint8Array(message));
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') return null;
    return false;
  }
}

function wayOf(
  spki: Uint8Array,
  { algorithm, parameters }: AlgorithmIdentifier,
  digest: string | undefined,
): Way | undefined {
  if (algorithm === RSA_PSS) return pssOf(parameters);
  if (!isPlain(parameters)) return undefined;
  if (algorithm === ED25519) return { key: { name: 'Ed25519' }, check: { name: 'Ed25519' } };
  const rsa = algorithm === RSA ? digest : RSA_WITH[algorithm];
  const name = 'RSASSA-PKCS1-v1_5';
  if (rsa !== undefined) return { key: { name, hash: rsa }, check: { name } };
  const ecdsa = ECDSA_WITH[algorithm];
  const curve = CURVES[curveOf(spki)];
  if (ecdsa === undefined || !curve) return undefined;
  const [namedCurve, size] = curve;
  return { key: { name: 'ECDSA', namedCurve }, check: { name: 'ECDSA', hash: ecdsa }, size };
}

function curveOf(spki: Uint8Array): string {
  const [about] = derInside(derValues(spki)?.[0], SEQUENCE);
  const [, curve] = derInside(about, SEQUENCE, 2);
  return curve ? bytesToHex(curve.content) : '';
}

/** `{[0] hash, [1] mask, [2] bytes of salt}`; the mask has to be of the same hash. */
function pssOf(parameters: ArrayBuffer | null | undefined): Way | undefined {
  const [hash, mask, salt, ...more] = parameters ? derInside(derValues(new Uint8Array(parameters))?.[0], SEQUENCE) : [];
  const [, maskHash] = derInside(derInside(mask, 0xa1, 1)[0], SEQUENCE, 2);
  const [inTag] = derInside(hash, 0xa0, 1);
  const [length] = derInside(salt, 0xa2, 1);
  if (!inTag || !maskHash || length?.tag !== 2 || length.content.length > 2 || more.length > 0) return undefined;
  const [name, other] = [inTag, maskHash].map(({ whole }) =>
    stampHash(AsnConvert.parse(new Uint8Array(whole), AlgorithmIdentifier)),
  );
  if (name === undefined || name !== other) return undefined;
  return {
    key: { name: 'RSA-PSS', hash: name },
    check: { name: 'RSA-PSS', saltLength: length.content.reduce((sum, digit) => sum * 256 + digit, 0) },
  };
}

/** WebCrypto wants both numbers of a signature of ECDSA one after the other, each of the same length. */
function numbersOf(signature: Uint8Array, size: number): Bytes | undefined {
  const numbers = derInside(derValues(signature)?.[0], SEQUENCE, 2);
  const whole = new Uint8Array(size * 2);
  for (const [n, { tag, content }] of numbers.entries()) {
    const digits = content[0] === 0 ? content.subarray(1) : content;
    if (tag !== 2 || digits.length > size) return undefined;
    whole.set(digits, size * (n + 1) - digits.length);
  }
  return numbers.length === 2 ? whole : undefined;
}
