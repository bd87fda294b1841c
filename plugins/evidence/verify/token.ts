/** Reads the answer of a time stamp server as a package keeps it. What nobody signed in it has one proper form: another one is no stamp. */
import { bytesToHex } from '@noble/hashes/utils';
import { SignerInfo } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TSTInfo } from '@peculiar/asn1-tsp';
import { certificateIn, type StampCertificate } from './certificates.ts';
import { type DerValue, derInside, derOf, derValues, isDer, OCTETS, SEQUENCE, SET, TAGGED_0 } from './der.ts';

/** The parts of a stamp. */
export interface StampToken {
  readonly info: TSTInfo;
  /** What is signed, by its hash in `attributes`. */
  readonly content: Uint8Array;
  readonly signer: SignerInfo;
  /** DER of the signed attributes, as they are signed: a SET. */
  readonly attributes: Uint8Array;
  /** That of the signer; undefined: it is not in it. */
  readonly certificate: StampCertificate | undefined;
  /** The other certificates in it. */
  readonly others: readonly StampCertificate[];
}

const SIGNED_DATA = '2a864886f70d010702';
const TST_INFO = '2a864886f70d0109100104';
/** `{status 0}`: granted, and no words. */
const GRANTED = Uint8Array.of(0x30, 3, 2, 1, 0);

/** The answer of a server that grants this token (DER), without words. */
export const granted = (token: Uint8Array): Uint8Array => derOf(SEQUENCE, GRANTED, token);

/** Undefined where the bytes are no stamp in the form that packages keep. */
export function tokenIn(answer: Uint8Array): StampToken | undefined {
  if (!isDer(answer)) return undefined;
  const [status, token] = derInside(derValues(answer)?.[0], SEQUENCE, 2);
  if (!status || bytesToHex(status.whole) !== bytesToHex(GRANTED)) return undefined;
  const [type, inTag] = derInside(token, SEQUENCE, 2);
  const data = derInside(derInside(inTag, TAGGED_0, 1)[0], SEQUENCE, 5);
  const [version, digests, about, certificates, signers] = data;
  const [kind, contentTag] = derInside(about, SEQUENCE, 2);
  const [content] = derInside(contentTag, TAGGED_0, 1);
  if (!isOid(type, SIGNED_DATA) || !isOid(kind, TST_INFO) || !isNumber(version, 3)) return undefined;
  const [signer, ...more] = derInside(signers, SET);
  const [digest, ...moreDigests] = derInside(digests, SET);
  if (content?.tag !== OCTETS || !signer || !digest || more.length + moreDigests.length > 0) return undefined;
  const fields = derInside(signer, SEQUENCE, 6);
  if (!isSame(fields[2], digest)) return undefined;
  const found = derInside(certificates, TAGGED_0).map(({ whole }) => certificateIn(whole));
  const readable = found.flatMap((certificate) => certificate ?? []);
  if (found.length !== readable.length || certificates?.tag !== TAGGED_0) return undefined;
  return parsed(signer, fields, content.content, readable);
}

function parsed(
  signer: DerValue,
  [version, sid, , attributes]: readonly DerValue[],
  content: Uint8Array,
  all: readonly StampCertificate[],
): StampToken | undefined {
  // Version 1 names the certificate by issuer and number, version 3 by the identifier of its key, which no authority uses.
  const [issuer, serial] = derInside(sid, SEQUENCE, 2);
  if (!isNumber(version, 1) || attributes?.tag !== TAGGED_0 || !issuer || !serial || !isDer(content)) return undefined;
  const [from, number] = [bytesToHex(issuer.whole), bytesToHex(serial.whole)];
  const certificate = all.find((each) => each.issuer === from && each.serial === number);
  try {
    return {
      info: AsnConvert.parse(new Uint8Array(content), TSTInfo),
      content,
      signer: AsnConvert.parse(new Uint8Array(signer.whole), SignerInfo),
      attributes: derOf(SET, attributes.content),
      certificate,
      others: all.filter((each) => each !== certificate),
    };
  } catch {
    return undefined;
  }
}

const isOid = (value: DerValue | undefined, hex: string): boolean =>
  value?.tag === 6 && bytesToHex(value.content) === hex;
const isNumber = (value: DerValue | undefined, number: number): boolean =>
  value?.tag === 2 && value.content.length === 1 && value.content[0] === number;
const isSame = (one: DerValue | undefined, other: DerValue): boolean =>
  one !== undefined && bytesToHex(one.whole) === bytesToHex(other.whole);
