/** The request to a time stamp server (RFC 3161), and its answer: checked, and in the form that packages keep. */
import { bytesToHex } from '@noble/hashes/utils';
import {
  CertificateChoices,
  CertificateSet,
  ContentInfo,
  DigestAlgorithmIdentifiers,
  EncapsulatedContent,
  SignedData,
  type SignerInfo,
} from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, PKIStatus, TimeStampReq, TimeStampReqVersion, TimeStampResp } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { fromBER, OctetString as Octets } from 'asn1js';
import { certificateIn, chainOf, type StampCertificate } from '../verify/certificates.ts';
import { CLOCKS_MS, checkStamp, type StampCheck } from '../verify/check.ts';
import { derInside, derValues, isDer, SEQUENCE } from '../verify/der.ts';
import { granted, tokenIn } from '../verify/token.ts';

interface StampWish {
  /** What is stamped, by its SHA-256. */
  readonly signature: Uint8Array;
  readonly imprint: Uint8Array;
  /** A positive number that nobody can guess: its bytes in DER. */
  readonly nonce: Uint8Array;
  /** The certificates must lead to one of these. Undefined: any authority will do. */
  readonly authorities: readonly StampCertificate[] | undefined;
  /** The clock of the gateway when the answer was there, ms since 1970 UTC. */
  readonly now: number;
}

/** A stamp to keep, or why there is none. */
export type Kept = { readonly stamp: Uint8Array; readonly check: StampCheck } | { readonly fault: string };

const SHA256 = '2.16.840.1.101.3.4.2.1';

/** The request, DER; the certificate is asked for. */
export function stampRequest({ imprint, nonce }: Pick<StampWish, 'imprint' | 'nonce'>): Uint8Array {
  const request = new TimeStampReq({
    version: TimeStampReqVersion.v1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA256, parameters: null }),
      hashedMessage: new OctetString(imprint),
    }),
    nonce: new Uint8Array(nonce).buffer,
    certReq: true,
  });
  return new Uint8Array(AsnConvert.serialize(request));
}

export async function keptStamp(answer: Uint8Array, asked: StampWish): Promise<Kept> {
  const response = parsedAnswer(answer);
  if (!response) return { fault: 'the answer of the time stamp server is no time stamp' };
  const refusal = refusalIn(response);
  if (refusal !== undefined) return { fault: refusal };
  const asItIs = await judged(withoutWords(answer), asked);
  if (!('fault' in asItIs)) return asItIs;
  // Some servers write it in another form than DER, or add what nobody signed. The same stamp without that may be good.
  const other = await judged(
    response.timeStampToken && (await rebuilt(response.timeStampToken, asked.authorities ?? [])),
    asked,
  );
  return 'fault' in other ? asItIs : other;
}

function parsedAnswer(answer: Uint8Array): TimeStampResp | undefined {
  try {
    return AsnConvert.parse(new Uint8Array(answer), TimeStampResp);
  } catch {
    return undefined;
  }
}

function refusalIn({ status: { status, statusString }, timeStampToken }: TimeStampResp): string | undefined {
  if (status === PKIStatus.granted || status === PKIStatus.grantedWithMods)
    return timeStampToken ? undefined : 'the answer of the time stamp server has no time stamp';
  const words = [...(statusString ?? [])]
    .join(' ')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);
  const said = words === '' ? `status ${status}` : `status ${status}, ${words}`.replace(/\.$/, '');
  return `the time stamp server refused the request (${said})`;
}

/** The stamp as it came; `undefined` in another form than DER. */
function withoutWords(answer: Uint8Array): Uint8Array | undefined {
  const [, token] = isDer(answer) ? derInside(derValues(answer)?.[0], SEQUENCE, 2) : [];
  return token && granted(token.whole);
}

/** A stamp in its form, held against everything that is known. */
async function judged(stamp: Uint8Array | undefined, asked: StampWish): Promise<Kept> {
  if (!stamp) return { fault: 'the answer of the time stamp server is not in DER' };
  const check = await checkStamp(stamp, asked.signature, { authorities: asked.authorities });
  const fault = check.fault ?? check.unchecked;
  if (fault !== undefined) return { fault: `the time stamp of the server was refused: ${fault}` };
  const nonce = tokenIn(stamp)?.info.nonce;
  if (!nonce || bytesToHex(new Uint8Array(nonce)) !== bytesToHex(asked.nonce))
    return { fault: 'the time stamp of the server was refused: it is the answer to another request' };
  if (!(Math.abs(Date.parse(check.at ?? '') - asked.now) <= CLOCKS_MS))
    return {
      fault: `the time stamp of the server was refused: it says ${check.at}, more than ${CLOCKS_MS / 60_000} minutes from the clock of the gateway`,
    };
  return { stamp, check };
}

/**
 * The answer with this token, without certificates that lead nowhere, lists of revoked ones, and attributes that nobody signed. What is signed
 * stays; the result is checked like any stamp. `known`: certificates of authorities, which fill what the server left out. Undefined where it cannot
 * be written.
 */
async function rebuilt(
  { contentType, content }: ContentInfo,
  known: readonly StampCertificate[],
): Promise<Uint8Array | undefined> {
  try {
    const data = AsnConvert.parse(content, SignedData);
    const [signer] = data.signerInfos;
    if (!signer) return undefined;
    const { eContent } = data.encapContentInfo;
    if (eContent?.any) data.encapContentInfo.eContent = new EncapsulatedContent({ single: joined(eContent.any) });
    delete data.crls;
    delete signer.unsignedAttrs;
    data.digestAlgorithms = new DigestAlgorithmIdentifiers([signer.digestAlgorithm]);
    data.certificates = new CertificateSet(await onTheWay([...(data.certificates ?? [])], signer, known));
    const token = new ContentInfo({ contentType, content: AsnConvert.serialize(data) });
    return granted(new Uint8Array(AsnConvert.serialize(token)));
  } catch {
    return undefined;
  }
}

/** Octets that came in pieces. */
function joined(pieces: ArrayBuffer): OctetString {
  const { result } = fromBER(pieces);
  if (!(result instanceof Octets)) throw new TypeError('the content of a time stamp is no octets');
  return new OctetString(result.getValue());
}

/** That of the signer and those above it, with the help of known ones, up to one that signed itself; where they do not reach that far, that of the signer alone. */
async function onTheWay(
  choices: readonly CertificateChoices[],
  { sid }: SignerInfo,
  known: readonly StampCertificate[],
): Promise<CertificateChoices[]> {
  const all = choices.flatMap((choice) => certificateIn(new Uint8Array(AsnConvert.serialize(choice))) ?? []);
  const serial = bytesToHex(new Uint8Array(sid.issuerAndSerialNumber?.serialNumber ?? new ArrayBuffer(0)));
  const own = all.find(({ parsed }) => bytesToHex(new Uint8Array(parsed.tbsCertificate.serialNumber)) === serial);
  if (!own) return [];
  const { chain } = await chainOf(own, [...all.filter((each) => each !== own), ...known]);
  const isWhole = (await chainOf(own, chain.slice(1))).fits === true;
  return (isWhole ? chain : [own]).map(({ parsed: certificate }) => new CertificateChoices({ certificate }));
}
