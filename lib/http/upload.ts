/** The body of a route that takes a file: handed on as it comes, never held as a whole, and never larger than the route allows. */
import { GatewayError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Upload } from './contract.ts';

/** Errors: NOT_JSON for another type or an encoding, BODY_TOO_LARGE, at once or while it is read. */
export function openUpload(context: Context, { contentType, limit }: Upload): AsyncIterable<Buffer> {
  const [type = ''] = context.get('Content-Type').split(';');
  if (type.trim().toLowerCase() !== contentType) throw new GatewayError('NOT_JSON', `The body must be ${contentType}.`);
  // Compressed data may be a thousand times larger when it is unpacked.
  if (!['', 'identity'].includes(context.get('Content-Encoding').toLowerCase()))
    throw new GatewayError('NOT_JSON', 'The body must not be compressed.');
  if (Number(context.get('Content-Length') || 0) > limit) throw tooLarge(limit);
  return limited(context, limit);
}

async function* limited({ req }: Context, limit: number): AsyncGenerator<Buffer> {
  let taken = 0;
  // If the handler stops reading early, the connection must stay open: the answer goes over it.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    taken += chunk.length;
    if (taken > limit) throw tooLarge(limit);
    yield chunk;
  }
}

const tooLarge = (limit: number) => new GatewayError('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`);
