/**
 * The body of a request: JSON, or a file that is passed on as it arrives. A file may take long: a phone line needs an
 * hour for 64 MB. Only silence or a very low rate ends it.
 */
import { once } from 'node:events';
import type { ParameterizedContext } from 'koa';
import type { KoaBodyMiddlewareOptions } from 'koa-body';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import { invalid } from './checks.ts';
import type { Context } from './context.ts';
import type { Upload } from './contract.ts';

/** The body as JSON; undefined without one. `needed`: bytes that are taken in any case. Errors: MALFORMED_JSON, BODY_TOO_LARGE, NOT_JSON. */
export type ReadBody = (context: Context, needed?: number) => Promise<unknown>;

/** One character a byte: nothing is decoded before it is checked. */
const RAW = 'latin1';

/** `limit` in bytes, after decompression. Errors: NOT_JSON, BODY_TOO_LARGE, MALFORMED_JSON, INVALID. */
export function bodyReader(limit: number): ReadBody {
  const readers = new Map<number, ReturnType<typeof load>>();
  const readerFor = (bytes: number) => {
    const known = readers.get(bytes) ?? load(bytes);
    readers.set(bytes, known);
    return known;
  };
  return async (context, needed = 0) => {
    const some = await hasBody(context);
    const wrong = some ? wrongType(context.get('Content-Type')) : undefined;
    if (!some || wrong !== undefined) {
      // The look for a body has paused the stream. The next request on this connection comes after the rest.
      context.req.resume();
      if (wrong === undefined) return undefined;
      throw new GatewayError('NOT_JSON', wrong);
    }
    // The reader looks at the type only to choose a format, and this one is read as bytes.
    context.req.headers['content-type'] = 'application/json';
    const read = await readerFor(Math.max(limit, needed));
    await read(context as ParameterizedContext, async () => {});
    return parsed(decoded(Buffer.from(String(context.request.body), RAW)));
  };
}

/** Loaded with the first body: no package takes longer to load. */
async function load(limit: number) {
  const options: Partial<KoaBodyMiddlewareOptions> = {
    textLimit: limit,
    textTypes: ['*/*'],
    encoding: RAW,
    multipart: false,
    urlencoded: false,
    json: false,
    onError: (error, context) => {
      // The next request on this connection comes after the rest of this body.
      context.req.resume();
      throw refusal(error, limit);
    },
  };
  return (await import('koa-body')).koaBody(options);
}

/** A route that takes no body accepts an empty object, because some clients always send one. */
export function bodyOrNothing(body: unknown, required: boolean): unknown {
  if (body === undefined && required) throw invalid([{ path: '', message: 'a JSON body is required' }]);
  return body === undefined ? {} : body;
}

/** Some clients announce chunks and send none: only the first byte, or the end, shows it. Rejects when the caller disconnects. */
async function hasBody({ req }: Context): Promise<boolean> {
  if (req.headers['transfer-encoding'] === undefined) return Number(req.headers['content-length'] ?? 0) > 0;
  if (!req.complete && req.readableLength === 0) await once(req, 'readable');
  return !req.complete || req.readableLength > 0;
}

/** A body without a type is taken for JSON. Types that a page of another site may send without asking are refused. */
function wrongType(header: string): string | undefined {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  if (type !== '' && !/^application\/([a-z0-9!#$&^_.-]+\+)?json$/.test(type)) {
    return 'The body must be application/json.';
  }
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  if (charset === undefined || /^"?(utf-?8|us-ascii)"?$/.test(charset)) return undefined;
  return 'The character set of the body must be UTF-8.';
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new GatewayError('MALFORMED_JSON', 'The body is not valid UTF-8.', { cause: error });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, checkedPart);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError('MALFORMED_JSON', 'The body is not well-formed JSON.', { cause: error });
  }
}

function checkedPart(name: string, value: unknown): unknown {
  if (name === '__proto__') throw invalid([{ path: '', message: 'no property may be called __proto__' }]);
  // Half a character as an escape: it cannot be sent on, stored or compared correctly.
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new GatewayError('MALFORMED_JSON', 'The body has a \\u escape that is half of a surrogate pair.');
  }
  return value;
}

function refusal(error: Error & { status?: number }, limit: number): GatewayError {
  const cause = { cause: error };
  if (error.status === 413) return tooLarge(limit, cause);
  if (error.status === 415) return new GatewayError('NOT_JSON', 'The encoding of the body is not supported.', cause);
  return new GatewayError('MALFORMED_JSON', 'The body cannot be read.', cause);
}

/** Bytes in a second, on average. The slowest mobile connections bring ten times as many. */
const LEAST_RATE = 1_000;

/** Of a file that is sent. */
export interface UploadLimits {
  readonly clock: Clock;
  /** Longest silence, ms; the lowest rate counts from then on. */
  readonly silenceMs: number;
}

/**
 * The file of a route that takes a file. It is never in memory as a whole, and never larger than the route allows.
 * Errors: NOT_JSON for another type or an encoding; BODY_TOO_LARGE, at once or while it is read; REQUEST_TIMEOUT when
 * the caller sends too slowly. The time of the reader does not count.
 */
export function openUpload(
  context: Context,
  { contentType, limit }: Upload,
  limits: UploadLimits,
): AsyncIterable<Buffer> {
  const [type = ''] = context.get('Content-Type').split(';');
  const types = [contentType].flat();
  if (!types.includes(type.trim().toLowerCase()))
    throw new GatewayError('NOT_JSON', `The body must be ${types.join(' or ')}.`);
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

const tooLarge = (limit: number, cause = {}) =>
  new GatewayError('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`, cause);

/** The connection closes: otherwise the rest of the body would be read as the next request. */
const tooSlow = (detail: string) => new GatewayError('REQUEST_TIMEOUT', detail, { headers: { Connection: 'close' } });
