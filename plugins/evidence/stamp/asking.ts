/** Asks a time stamp server (RFC 3161, by HTTP) for a stamp over a signature. What reads its answer is loaded with the first request. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { EvidenceStamp } from '../../../client/schemas.ts';
import type { BytesAnswer, Outbound } from '../../../lib/built-in.ts';
import { type Clock, isGatewayError, messageOf, sleep } from '../../../lib/index.ts';
import type { StampCertificate } from '../verify/certificates.ts';

interface StampServer {
  /** `http:` or `https:`. */
  readonly url: string;
  /** PEM: the certificates of its authorities. Empty: any authority will do. */
  readonly caFile: string;
}

interface StampParts {
  readonly outbound: Pick<Outbound, 'postBytes'>;
  readonly clock: Clock;
}

interface GotStamp extends EvidenceStamp {
  /** The answer of the server, in the form that packages keep. */
  readonly bytes: Uint8Array;
}

/** A stamp, or why there is none: words without a full stop. */
export type StampOutcome = { readonly stamp: GotStamp } | { readonly reason: string };

/** No honest answer is longer, bytes. */
const MOST_BYTES = 65_536;
/** Before each further try, ms. A server that is down for longer holds no package up. */
const PAUSES_MS = [5_000, 30_000];
/** Statuses after which another try may help. */
const TRY_AGAIN = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Tries three times where the server cannot be reached or is busy; a refusal and a bad answer are final. Rejects only when the signal aborts.
 */
export async function askForStamp(
  server: StampServer,
  signature: Uint8Array,
  { outbound, clock }: StampParts,
  signal: AbortSignal,
): Promise<StampOutcome> {
  const { keptStamp, stampRequest } = await import('./answer.ts');
  const authorities = await authoritiesOf(server);
  if ('reason' in authorities) return authorities;
  const imprint = createHash('sha256').update(signature).digest();
  for (let tries = 0; ; tries += 1) {
    const nonce = randomNonce();
    const got = await answerOf(server.url, stampRequest({ imprint, nonce }), outbound, signal);
    if (!('reason' in got)) {
      const asked = { signature, imprint, nonce, authorities: authorities.list, now: clock.now() };
      const kept = await keptStamp(got.body, asked);
      if ('fault' in kept) return { reason: kept.fault };
      const { at, authority, fingerprint } = kept.check;
      if (at === null || authority === null || fingerprint === null) throw new Error('a stamp without its authority');
      return { stamp: { bytes: kept.stamp, at, authority, fingerprint, is_known: authorities.list !== undefined } };
    }
    const pause = PAUSES_MS[tries];
    if (!got.again || pause === undefined) return { reason: got.reason };
    await sleep(clock, pause, signal);
  }
}

/** Positive, and in its shortest form: the first byte is from 64 to 127. */
function randomNonce(): Uint8Array {
  const nonce = randomBytes(16);
  nonce[0] = 0x40 | ((nonce[0] ?? 0) & 0x3f);
  return nonce;
}

type Failure = { readonly reason: string; readonly again: boolean };

async function answerOf(
  url: string,
  body: Uint8Array,
  outbound: StampParts['outbound'],
  signal: AbortSignal,
): Promise<BytesAnswer | Failure> {
  const headers = {
    'content-type': 'application/timestamp-query',
    accept: 'application/timestamp-reply',
    'user-agent': 'slm-gateway',
  };
  try {
    const answer = await outbound.postBytes({ url, headers, body, mostBytes: MOST_BYTES }, signal);
    const { status } = answer;
    if (status === 200) return answer;
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    return { reason: `the time stamp server answered ${status}${redirect}`, again: TRY_AGAIN.has(status) };
  } catch (error) {
    signal.throwIfAborted();
    const reason = `the time stamp server could not be asked: ${messageOf(error).replace(/\.$/, '')}`;
    return { reason, again: isGatewayError(error, 'OUTBOUND_FAILED') };
  }
}

async function authoritiesOf({
  caFile,
}: StampServer): Promise<{ readonly list: readonly StampCertificate[] | undefined } | { readonly reason: string }> {
  if (caFile === '') return { list: undefined };
  const { certificatesOfPem } = await import('../verify/certificates.ts');
  try {
    return { list: certificatesOfPem(await readFile(caFile, 'utf8')) };
  } catch (error) {
    return { reason: `the file of timestamp_ca_file is of no use: ${messageOf(error)}` };
  }
}
