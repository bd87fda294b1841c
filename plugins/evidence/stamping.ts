/** Signs the manifest of a package, and has the signature stamped where a server is set. */
import { ATTACHED, askForStamp, type EvidenceKeys, type Host, type StampOutcome } from '../../lib/index.ts';
import type { EvidenceSettings } from './settings.ts';

/** Who stamped, as it is kept and shown. */
export interface StampNote {
  /** RFC 3339 in UTC. */
  readonly at: string;
  readonly authority: string;
  /** `sha256:` and the hex SHA-256 of the certificate of the authority (DER). */
  readonly fingerprint: string;
  /** Whether it leads to a certificate of `timestamp_ca_file`. */
  readonly is_known: boolean;
}

/** How it came out; one of both is null. */
export interface StampNotes {
  readonly stamped: StampNote | null;
  /** Words without a full stop. */
  readonly not_stamped: string | null;
}

const NO_SERVER = 'no time stamp server is set';

/** What signing needs of the gateway. */
export type SigningHost = Pick<Host<EvidenceSettings>, 'clock' | 'evidence' | 'log' | 'outbound' | 'settings'>;

/** A signed manifest, with its stamp if there is one. Where none can be got, the signed statement says why. */
export async function signedAndStamped(
  host: SigningHost,
  key: string,
  manifest: Uint8Array,
  predicate: Parameters<EvidenceKeys['sign']>[2],
  signal: AbortSignal,
) {
  const signed = host.evidence.sign(key, manifest, { ...predicate, stamp: ATTACHED });
  const outcome = await stampOf(host, signed.signature, signal);
  if ('stamp' in outcome) {
    const { bytes: timestamp, ...stamped } = outcome.stamp;
    return { ...signed, timestamp, result: { stamped, not_stamped: null } satisfies StampNotes };
  }
  const { reason } = outcome;
  if (reason !== NO_SERVER) host.log.warn({ reason }, 'a package of evidence is not stamped');
  const unstamped = host.evidence.sign(key, manifest, { ...predicate, stamp: reason });
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
