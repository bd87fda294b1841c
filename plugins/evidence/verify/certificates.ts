/** Certificates of time stamp authorities: read, named, and followed from one to the next (RFC 5280). */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate as CertificateSchema,
  ExtendedKeyUsage,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_kp_timeStamping,
  KeyUsage,
  KeyUsageFlags,
} from '@peculiar/asn1-x509';
import { isSigned } from './algorithms.ts';
import { BITS, derInside, derValues, isDer, SEQUENCE, TAGGED_0 } from './der.ts';
import { base64Bytes } from './manifest.ts';

export interface StampCertificate {
  readonly der: Uint8Array;
  /** What its issuer signed. */
  readonly signed: Uint8Array;
  /** DER, in hex: they are compared, not read. */
  readonly issuer: string;
  readonly subject: string;
  readonly serial: string;
  /** The public key, DER. */
  readonly spki: Uint8Array;
  readonly parsed: CertificateSchema;
}

/** Undefined where these bytes are no certificate in DER. */
export function certificateIn(der: Uint8Array): StampCertificate | undefined {
  if (!isDer(der)) return undefined;
  const [tbs, , signature] = derInside(derValues(der)?.[0], SEQUENCE, 3);
  const fields = derInside(tbs, SEQUENCE);
  const [serial, , issuer, , subject, spki] = fields[0]?.tag === TAGGED_0 ? fields.slice(1) : fields;
  // A signature is whole bytes: no bit of the last one is left out.
  const isWhole = signature?.tag === BITS && signature.content[0] === 0;
  if (!tbs || !isWhole || !serial || !issuer || !subject || !spki) return undefined;
  try {
    const parsed = AsnConvert.parse(new Uint8Array(der), CertificateSchema);
    const [from, to, number] = [issuer.whole, subject.whole, serial.whole].map(bytesToHex);
    if (from === undefined || to === undefined || number === undefined) return undefined;
    return { der, signed: tbs.whole, issuer: from, subject: to, serial: number, spki: spki.whole, parsed };
  } catch {
    return undefined;
  }
}

/** The certificates of a text with PEM. Throws a RangeError if the text has no certificate, or a certificate cannot be read. */
export function certificatesOfPem(text: string): readonly StampCertificate[] {
  const blocks = [...text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g)];
  if (blocks.length === 0) throw new RangeError('it holds no certificate (PEM)');
  return blocks.map(([, base64 = ''], n) => {
    const der = base64Bytes(base64.replaceAll(/\s/g, ''));
    const certificate = der && certificateIn(der);
    if (!certificate) throw new RangeError(`its certificate ${n + 1} cannot be read`);
    return certificate;
  });
}

export const fingerprintOfCertificate = ({ der }: StampCertificate): string => `sha256:${bytesToHex(sha256(der))}`;

const SHORT_NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
};

/** What would break a line, move the cursor or turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const MOST_LETTERS = 500;

/** `C=DE, O=Office, CN=Time stamps`, in the order of the certificate: one line of at most 500 letters. */
export function subjectText({ parsed }: StampCertificate): string {
  const whole = parsed.tbsCertificate.subject
    .flatMap((set) => [...set])
    .map(({ type, value }) => `${SHORT_NAMES[type] ?? type}=${value.toString()}`)
    .join(', ');
  return [...whole.replaceAll(UNPRINTABLE, '?')].slice(0, MOST_LETTERS).join('');
}

/** Whether it is for time stamps and nothing else, and whoever reads it has to know that (RFC 3161, section 2.3). */
export function isForStamps(certificate: StampCertificate): boolean {
  const extension = extensionOf(certificate, id_ce_extKeyUsage);
  if (!extension?.critical) return false;
  const uses = parsedOr(extension.extnValue.buffer, ExtendedKeyUsage);
  return uses?.length === 1 && uses[0] === id_kp_timeStamping;
}

export function isValidAt({ parsed }: StampCertificate, ms: number): boolean {
  const { notBefore, notAfter } = parsed.tbsCertificate.validity;
  return notBefore.getTime().getTime() <= ms && ms <= notAfter.getTime().getTime();
}

/** Whether `child` names and is signed by `parent`, which may sign certificates. Null: this browser cannot check it. */
async function isIssuedBy(child: StampCertificate, parent: StampCertificate): Promise<boolean | null> {
  if (child.issuer !== parent.subject || !mayIssue(parent)) return false;
  const { signatureAlgorithm, signatureValue } = child.parsed;
  return isSigned(parent.spki, signatureAlgorithm, undefined, child.signed, new Uint8Array(signatureValue));
}

function mayIssue(certificate: StampCertificate): boolean {
  const constraints = extensionOf(certificate, id_ce_basicConstraints);
  const usage = extensionOf(certificate, id_ce_keyUsage);
  const isAuthority = constraints && parsedOr(constraints.extnValue.buffer, BasicConstraints)?.cA;
  const uses = usage && parsedOr(usage.extnValue.buffer, KeyUsage)?.toNumber();
  return isAuthority === true && (usage === undefined || ((uses ?? 0) & KeyUsageFlags.keyCertSign) !== 0);
}

const extensionOf = ({ parsed }: StampCertificate, id: string) =>
  parsed.tbsCertificate.extensions?.find(({ extnID }) => extnID === id);

function parsedOr<T>(bytes: ArrayBuffer, schema: new () => T): T | undefined {
  try {
    return AsnConvert.parse(bytes, schema);
  } catch {
    return undefined;
  }
}

/** How the certificates of a stamp lie above each other. */
interface Chain {
  /** From that of the signer upwards. */
  readonly chain: readonly StampCertificate[];
  /**
   * False: one is not signed by the next, one is left over, or the last one of several did not sign itself, so that nobody vouches for its bytes.
   * Null: this browser cannot check it.
   */
  readonly fits: boolean | null;
}

/** Follows the certificates from that of the signer to the last one. That of the signer may be alone. */
export async function chainOf(signer: StampCertificate, others: readonly StampCertificate[]): Promise<Chain> {
  const chain = [signer];
  let rest = others;
  let isUnknown = false;
  for (let last = signer; last.issuer !== last.subject; ) {
    const next = rest.find(({ subject }) => subject === last.issuer);
    if (!next) break;
    const fits = await isIssuedBy(last, next);
    if (fits === false) return { chain, fits };
    isUnknown ||= fits === null;
    rest = rest.filter((other) => other !== next);
    chain.push(next);
    last = next;
  }
  const top = chain.at(-1) ?? signer;
  const own = top === signer ? true : await isIssuedBy(top, top);
  if (own === false || rest.length > 0) return { chain, fits: false };
  return { chain, fits: isUnknown || own === null ? null : true };
}

/**
 * Whether the chain leads to one of these authorities: it holds one of them, or its last certificate was issued by one that was valid then (ms since
 * 1970 UTC). Null: this browser cannot check it.
 */
export async function leadsTo(
  chain: readonly StampCertificate[],
  authorities: readonly StampCertificate[],
  at: number,
): Promise<boolean | null> {
  const known = new Set(authorities.map(fingerprintOfCertificate));
  if (chain.some((certificate) => known.has(fingerprintOfCertificate(certificate)))) return true;
  const top = chain.at(-1);
  if (!top) return false;
  const found = await Promise.all(
    authorities.filter((authority) => isValidAt(authority, at)).map((authority) => isIssuedBy(top, authority)),
  );
  return found.includes(true) ? true : found.includes(null) ? null : false;
}
