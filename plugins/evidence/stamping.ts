/** Signs the manifest of a package: a statement of in-toto in an envelope of DSSE. The signature is stamped where a server is set. */
import type { EvidencePackage } from '../../client/schemas.ts';
import type { GatewayKey } from '../../lib/built-in.ts';
import type { Host, Schema } from '../../lib/index.ts';
import { askForStamp, type StampOutcome } from './stamp/asking.ts';
import {
  ATTACHED,
  envelopeText,
  PAYLOAD_TYPE,
  type Predicate,
  preAuthenticationEncoding,
  statementText,
} from './verify/manifest.ts';

export interface EvidenceSettings {
  /** Empty: none is asked. */
  readonly timestamp_url: string;
  readonly timestamp_ca_file: string;
}

export const EVIDENCE_SETTINGS: Schema = {
  type: 'object',
  properties: {
    timestamp_url: {
      type: 'string',
      maxLength: 2_048,
      default: '',
      pattern: '^(https?://[^\\s@]+)?$',
      title:
        'Time stamp server (RFC 3161) for packages of evidence, such as https://tsa.example.org/; empty: none is asked',
      description: 'an address that begins with https:// or http://, without user and password',
    },
    timestamp_ca_file: {
      type: 'string',
      maxLength: 4_096,
      default: '',
      title:
        'File with the certificates of its authorities (PEM): a stamp of anybody else is not kept; empty: it is not checked against a known authority',
    },
  },
};

/** Throws with what to change. */
export function checkStampSettings({ timestamp_url, timestamp_ca_file }: EvidenceSettings): void {
  if (timestamp_url === '' && timestamp_ca_file !== '') throw new Error('timestamp_ca_file needs timestamp_url');
  if (timestamp_url !== '' && !URL.canParse(timestamp_url)) throw new Error('timestamp_url: it is no address');
}

/** One of both is null. */
export type StampNotes = Pick<EvidencePackage, 'stamped' | 'not_stamped'>;

const NO_SERVER = 'no time stamp server is set';

type SigningHost = Pick<Host<EvidenceSettings>, 'clock' | 'log' | 'outbound' | 'settings' | 'signing'>;

export interface SignedManifest {
  /** The text of `signature/envelope.json`. */
  readonly envelope: string;
  /** PEM, SPKI. */
  readonly publicKey: string;
  /** 64 bytes: a time stamp is over their SHA-256. */
  readonly signature: Uint8Array;
}

/** `sign` gives the 64 bytes of a signature by this key. */
export function signManifest(
  manifest: Uint8Array,
  predicate: Predicate,
  { fingerprint, pem }: Pick<GatewayKey, 'fingerprint' | 'pem'>,
  sign: (message: Uint8Array) => Uint8Array,
): SignedManifest {
  const payload = Buffer.from(statementText(manifest, predicate));
  const signature = sign(preAuthenticationEncoding(PAYLOAD_TYPE, payload));
  return { envelope: envelopeText(payload, fingerprint, signature), publicKey: pem, signature };
}

/** A signed manifest, with its stamp if there is one. Where none can be got, the signed statement says why. */
export async function signedAndStamped(
  host: SigningHost,
  key: GatewayKey,
  manifest: Uint8Array,
  predicate: Predicate,
  signal: AbortSignal,
) {
  const sign = (message: Uint8Array) => host.signing.sign(key.fingerprint, message);
  const signed = signManifest(manifest, { ...predicate, stamp: ATTACHED }, key, sign);
  const outcome = await stampOf(host, signed.signature, signal);
  if ('stamp' in outcome) {
    const { bytes: timestamp, ...stamped } = outcome.stamp;
    return { ...signed, timestamp, result: { stamped, not_stamped: null } satisfies StampNotes };
  }
  const { reason } = outcome;
  if (reason !== NO_SERVER) host.log.warn({ reason }, 'a package of evidence is not stamped');
  const unstamped = signManifest(manifest, { ...predicate, stamp: reason }, key, sign);
  return { ...unstamped, timestamp: undefined, result: { stamped: null, not_stamped: reason } satisfies StampNotes };
}

async function stampOf(
  { settings, outbound, clock }: SigningHost,
  signature: Uint8Array,
  signal: AbortSignal,
): Promise<StampOutcome> {
  const { timestamp_url: url, timestamp_ca_file: caFile } = settings;
  if (url === '') return { reason: NO_SERVER };
  return askForStamp({ url, caFile }, signature, { outbound, clock }, signal);
}
