/** Writes a stamp again: in DER, and without what its authority did not sign. */
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
import { fromBER, OctetString as Octets } from 'asn1js';
import { certificateIn, chainOf, type StampCertificate } from '../verify/certificates.ts';
import { granted } from '../verify/token.ts';

/**
 * The answer with this token, without certificates that lead nowhere, lists of revoked ones, and attributes that nobody signed. What is signed
 * stays; the result is checked like any stamp. `known`: certificates of authorities, which fill what the server left out. Undefined where it cannot
 * be written.
 */
export async function rebuilt(
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
