/** Checks a time stamp (RFC 3161): its signature, the stamping authority, the time, and whether all of it fits. The same code runs in the gateway, in `slm verify` and in the page. */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import type { Attribute } from '@peculiar/asn1-cms';
import { isSigned, stampHash } from './algorithms.ts';
import {
  chainOf,
  fingerprintOfCertificate,
  isForStamps,
  isValidAt,
  leadsTo,
  type StampCertificate,
  subjectText,
} from './certificates.ts';
import { derInside, derValues, OCTETS, SEQUENCE } from './der.ts';
import { type StampToken, tokenIn } from './token.ts';

export interface StampCheck {
  /** RFC 3339 in UTC; null: it cannot be read. */
  readonly at: string | null;
  /** The subject of the certificate of who stamped. */
  readonly authority: string | null;
  /** `sha256:` and the hex SHA-256 of that certificate (DER). */
  readonly fingerprint: string | null;
  /** Why it does not hold; undefined: nothing speaks against it. */
  readonly fault?: string;
  readonly unchecked?: string;
}

interface StampContext {
  /** When the signature was made, by the clock of the gateway; RFC 3339. */
  readonly signedAt?: string | undefined;
  /** The certificates must lead to one of these. Undefined: any authority will do. */
  readonly authorities?: readonly StampCertificate[] | undefined;
}

/** A stamp may be older than the signature by this much: two clocks are never the same, ms. */
export const CLOCKS_MS = 300_000;

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const TST_INFO = '060b2a864886f70d0109100104';
const SHA256 = '2.16.840.1.101.3.4.2.1';

/** Of an answer over the SHA-256 of `signature`. Never rejects because of what is in it. */
export async function checkStamp(
  answer: Uint8Array,
  signature: Uint8Array | undefined,
  context: StampContext = {},
): Promise<StampCheck> {
  const token = tokenIn(answer);
  const at = token && timeOf(token);
  if (!token || at === undefined) return { at: null, authority: null, fingerprint: null, fault: 'it is no time stamp' };
  const { certificate } = token;
  const said = {
    at,
    authority: certificate ? subjectText(certificate) : null,
    fingerprint: certificate ? fingerprintOfCertificate(certificate) : null,
  };
  if (!isAbout(token, signature)) return { ...said, fault: 'it is the stamp of another signature' };
  if (!certificate) return { ...said, fault: 'the certificate of who stamped is not in it' };
  const fault = await tokenFault(token, certificate);
  if (fault !== undefined) return { ...said, fault };
  const [signed, chained] = [await isTokenSigned(token, certificate), await chainOf(certificate, token.others)];
  if (signed === false) return { ...said, fault: 'its signature does not fit its certificate' };
  if (chained.fits === false) return { ...said, fault: 'its certificates do not lead up to one that signed itself' };
  const late = timeFault(chained.chain, at, context.signedAt);
  if (late !== undefined) return { ...said, fault: late };
  const { authorities } = context;
  const known = authorities ? await leadsTo(chained.chain, authorities, Date.parse(at)) : true;
  if (known === false) return { ...said, fault: 'its certificate does not lead to an authority that you named' };
  return signed === null || chained.fits === null || known === null
    ? { ...said, unchecked: 'the signature of the time stamp: another browser, slm verify or openssl can check it' }
    : said;
}

function timeOf({ info }: StampToken): string | undefined {
  const { genTime } = info;
  return Number.isNaN(genTime.getTime()) ? undefined : genTime.toISOString();
}

function isAbout({ info }: StampToken, signature: Uint8Array | undefined): boolean {
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (!signature || hashAlgorithm.algorithm !== SHA256) return false;
  return bytesToHex(new Uint8Array(hashedMessage.buffer)) === bytesToHex(sha256(signature));
}

async function tokenFault(token: StampToken, certificate: StampCertificate): Promise<string | undefined> {
  if (!isForStamps(certificate)) return 'its certificate is not one for time stamps alone';
  if (!(await namesCertificate(token, certificate))) return 'it names another certificate than the one in it';
  const type = only(token.signer.signedAttrs, CONTENT_TYPE);
  const digest = only(token.signer.signedAttrs, MESSAGE_DIGEST);
  const hash = stampHash(token.signer.digestAlgorithm);
  const value = digest && derValues(digest)?.[0];
  const actual = hash && bytesToHex(await digestOf(hash, token.content));
  const isContent = value?.tag === OCTETS && bytesToHex(value.content) === actual;
  if (!isContent || !type || bytesToHex(type) !== TST_INFO) return 'its content is not the signed content';
  return undefined;
}

/** The attribute that binds the signature to one certificate (RFC 2634, RFC 5035): its first hash is of that one. */
async function namesCertificate({ signer: { signedAttrs } }: StampToken, { der }: StampCertificate): Promise<boolean> {
  const [old, newer] = [only(signedAttrs, SIGNING_CERTIFICATE), only(signedAttrs, SIGNING_CERTIFICATE_V2)];
  const value = newer ?? old;
  const [list] = derInside(value && derValues(value)?.[0], SEQUENCE);
  const [first] = derInside(list, SEQUENCE);
  const fields = derInside(first, SEQUENCE);
  // A hash before the value: it has another algorithm than SHA-256. Authorities leave that out or write one of these.
  const [about] = fields[0]?.tag === SEQUENCE ? derInside(fields[0], SEQUENCE) : [];
  const named = fields[0]?.tag === SEQUENCE ? fields[1] : fields[0];
  const hash = newer ? (about ? (OIDS[bytesToHex(about.content)] ?? '') : 'SHA-256') : 'SHA-1';
  if (named?.tag !== OCTETS || hash === '') return false;
  return bytesToHex(named.content) === bytesToHex(await digestOf(hash, der));
}

const OIDS: Readonly<Record<string, string>> = {
  '608648016503040201': 'SHA-256',
  '608648016503040202': 'SHA-384',
  '608648016503040203': 'SHA-512',
};

function only(attributes: readonly Attribute[] | undefined, type: string): Uint8Array | undefined {
  const [found, ...more] = attributes?.filter(({ attrType }) => attrType === type) ?? [];
  const [value, ...others] = found?.attrValues ?? [];
  return value && more.length + others.length === 0 ? new Uint8Array(value) : undefined;
}

function isTokenSigned({ signer, attributes }: StampToken, { spki }: StampCertificate): Promise<boolean | null> {
  const { signatureAlgorithm, signature, digestAlgorithm } = signer;
  const hash = stampHash(digestAlgorithm);
  return isSigned(spki, signatureAlgorithm, hash, attributes, new Uint8Array(signature.buffer));
}

function timeFault(chain: readonly StampCertificate[], at: string, signedAt: string | undefined): string | undefined {
  const ms = Date.parse(at);
  if (!chain.every((certificate) => isValidAt(certificate, ms))) return `its certificate was not valid at ${at}`;
  if (signedAt !== undefined && ms < Date.parse(signedAt) - CLOCKS_MS)
    return `it says ${at}, before the signature was made`;
  return undefined;
}

const digestOf = async (name: string, bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest(name, new Uint8Array(bytes)));
