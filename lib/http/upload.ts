/**
 * The body of a route that takes a file: handed on as it comes, never held as a whole, and never larger than the route allows. It
 * may take long: a phone line needs an hour for 64 MB. Only silence, and less than a lowest rate, end it.
 */
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Upload } from './contract.ts';

/** Bytes in a second, on average, while the gateway waits for more. The slowest mobile connections bring ten times as many. */
const LEAST_RATE = 1_000;

export interface UploadLimits {
  readonly clock: Clock;
  /** Longest silence, ms; the lowest rate counts from then on. */
  readonly silenceMs: number;
}

/**
 * Errors: NOT_JSON for another type or an encoding; BODY_TOO_LARGE, at once or while it is read; REQUEST_TIMEOUT while it is read, when
 * the caller sends too slowly. The time that the reader takes does not count.
 */
export function openUpload(
  context: Context,
  { contentType, limit }: Upload,
  limits: UploadLimits,
): AsyncIterable<Buffer> {
  const [type = ''] = context.get('Content-Type').split(';');
  if (type.trim().toLowerCase() !== contentType) throw new GatewayError('NOT_JSON', `The body must be ${contentType}.`);
  // Compressed data may be a thousand times larger when it is unpacked.
  if (!['', 'identity'].includes(context.get('Content-Encoding').toLowerCase()))
    throw new GatewayError('NOT_JSON', 'The body must not be compressed.');
  if (Number(context.get('Content-Length') || 0) > limit) throw tooLarge(limit);
  context.state.allowSlowBody?.();
  return limited(context, limit, limits);
}

async function* limited({ req }: Context, limit: number, { clock, silenceMs }: UploadLimits): AsyncGenerator<Buffer> {
  // If the handler stops reading early, the connection must stay open: the answer goes over it.
  const chunks: AsyncIterator<Buffer> = req.iterator({ destroyOnReturn: false });
  const silent = () => tooSlow(`Nothing of the body came for ${silenceMs / 1_000} s.`);
  let taken = 0;
  let waitedMs = 0;
  for (;;) {
    const began = clock.elapsed();
    const next = await within(clock, silenceMs, silent, (signal) => unlessAborted(chunks.next(), signal));
    if (next.done) return;
    taken += next.value.length;
    waitedMs += clock.elapsed() - began;
    if (taken > limit) throw tooLarge(limit);
    if (waitedMs > silenceMs && taken < (waitedMs / 1_000) * LEAST_RATE)
      throw tooSlow(`The body comes with less than ${LEAST_RATE} bytes in a second.`);
    yield next.value;
  }
}

const tooLarge = (limit: number) => new GatewayError('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`);

/** What is left of the body would be taken for the next request. */
const tooSlow = (detail: string) => new GatewayError('REQUEST_TIMEOUT', detail, { headers: { Connection: 'close' } });
