/** Compresses complete answers if the caller accepts it. Files of a meter and of the mirror are never compressed. */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Context } from './context.ts';

/** Below this size compression of a complete answer saves too little. Bytes. */
export const LONG = 2_048;
/** Level 4 of 11: as quick as gzip, and smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** A `Content-Encoding` that the gateway can make. */
export type Encoding = 'br' | 'gzip';

const COMPRESS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};
const STREAMS: Readonly<Record<Encoding, () => Transform>> = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(),
};

/** Bytes that are sent again and again are compressed once. */
const kept = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

/** The bytes in this encoding. They are kept as long as the buffer, so that an asset is compressed once. */
export function compressed(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const byEncoding = kept.get(bytes) ?? new Map<Encoding, Promise<Buffer>>();
  kept.set(bytes, byEncoding);
  const done = byEncoding.get(encoding) ?? COMPRESS[encoding](bytes);
  byEncoding.set(encoding, done);
  return done;
}

/** Chooses the encoding and sets `Vary`, because the answer depends on it. */
export function encodingFor(context: Context): Encoding | undefined {
  context.vary('Accept-Encoding');
  const chosen = context.get('Accept-Encoding') === '' ? false : context.acceptsEncodings('br', 'gzip', 'identity');
  return chosen === 'br' || chosen === 'gzip' ? chosen : undefined;
}

/** Compresses a complete answer that is not short; sets `Vary`. */
export async function sendCompressed(context: Context, body: string | Buffer): Promise<void> {
  const encoding = encodingFor(context);
  context.body = encoding ? await compressed(Buffer.isBuffer(body) ? body : Buffer.from(body), encoding) : body;
  if (encoding) context.set('Content-Encoding', encoding);
}

/** The transform between a stream of text and the answer; undefined if the text is not compressed. */
export function streamEncoder(context: Context, contentType: string): Transform | undefined {
  if (!/^(text\/|application\/(json|x-ndjson))/.test(contentType)) return undefined;
  const encoding = encodingFor(context);
  if (encoding === undefined) return undefined;
  context.set('Content-Encoding', encoding);
  return STREAMS[encoding]();
}
