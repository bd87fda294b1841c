/**
 * Sends replies: status, headers, ETag and 304, one range of a file (RFC 9110, 14). A file is streamed; if it breaks off,
 * the caller can see it.
 */
import { finished, PassThrough, pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { countOf } from '../domain/figures.ts';
import { GatewayError, messageOf } from '../errors.ts';
import { rest } from '../turns.ts';
import type { Context } from './context.ts';
import type { ByteRange, FileContent, Reply, Route, StreamContent } from './contract.ts';
import { etagOf } from './reply.ts';

/** Shorter answers are not compressed, bytes. */
const LONG = 2_048;
/** Level 4 of 11: as quick as gzip, and smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

type Encoding = 'br' | 'gzip';

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

/**
 * The bytes in this encoding, kept as long as the buffer: an asset is compressed once. Files of a meter and of the mirror
 * are never compressed.
 */
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

async function sendCompressed(context: Context, body: string | Buffer): Promise<void> {
  const encoding = encodingFor(context);
  context.body = encoding ? await compressed(Buffer.isBuffer(body) ? body : Buffer.from(body), encoding) : body;
  if (encoding) context.set('Content-Encoding', encoding);
}

/** The transform between a stream of text and the answer; undefined if the text is not compressed. */
function streamEncoder(context: Context, contentType: string): Transform | undefined {
  if (!/^(text\/|application\/(json|x-ndjson))/.test(contentType)) return undefined;
  const encoding = encodingFor(context);
  if (encoding === undefined) return undefined;
  context.set('Content-Encoding', encoding);
  return STREAMS[encoding]();
}

interface FileBodyParts {
  readonly source: Readable;
  /** Bytes that were announced; undefined where the length is not known. */
  readonly size: number | undefined;
  /** Called with each chunk when the network has it. */
  readonly release: ((chunk: Uint8Array) => void) | undefined;
}

const MOST_UNSENT = 262_144;

/**
 * The bytes of a file on their way into a response, without a copy and without a stage between: a few chunks are held,
 * and more are asked for when the network has taken one. If the number of bytes differs from the announced size, it
 * ends with an error: a short file never looks complete.
 */
class FileBody extends Readable {
  readonly #parts: FileBodyParts;
  #passed = 0;
  #unsent = 0;

  constructor(parts: FileBodyParts) {
    super();
    this.#parts = parts;
    finished(parts.source, { writable: false }, (error) => this.#end(error));
  }

  /** Sends the bytes directly; the stream itself only ends. */
  override pipe<To extends NodeJS.WritableStream>(to: To): To {
    const { source, size, release } = this.#parts;
    source.on('data', (given: Buffer | string) => {
      const chunk = typeof given === 'string' ? Buffer.from(given) : given;
      this.#passed += chunk.length;
      if (size !== undefined && this.#passed > size) {
        this.destroy(new Error(`more than the ${size} bytes that were announced`));
        return;
      }
      this.#unsent += chunk.length;
      if (this.#unsent >= MOST_UNSENT) source.pause();
      const { length } = chunk;
      to.write(chunk, (error) => {
        if (error) return;
        release?.(chunk);
        this.#unsent -= length;
        source.resume();
      });
    });
    return to;
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#parts.source.destroy(error ?? undefined);
    done(error);
  }

  #end(error: Error | null | undefined): void {
    const { size } = this.#parts;
    const isShort = size !== undefined && this.#passed < size;
    if (error) this.destroy(error);
    else if (isShort) this.destroy(new Error(`ended after ${this.#passed} of ${size} bytes`));
    else {
      this.push(null);
      // Nobody reads it, but its end must be noticed.
      this.resume();
    }
  }
}

/** Media type of JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';
const OCTETS = 'application/octet-stream';
const LONGEST_NAME = 200;
/** Text that is made during sending goes out in pieces of this size, characters. */
const PIECE = 16_384;
/** A list with more items is written in parts. */
const LONG_LIST = 200;
/** The items of a list that is no longer are looked at. */
const SHORT_LIST = 20;

type Answering = Pick<Route, 'path' | 'method' | 'statuses' | 'etag'>;

/** Errors: RANGE_NOT_SATISFIABLE, and all errors of opening a file. */
export function answer(context: Context, route: Answering, reply: Reply, basePath: string): void | Promise<void> {
  const { status = 200, location, headers, content } = reply;
  if (!(route.statuses ?? [200]).includes(status)) {
    throw new Error(`${route.method} ${route.path} answers ${status}, which its definition does not name`);
  }
  context.status = status;
  if (location !== undefined) context.set('Location', basePath + location);
  if (headers) context.set(headers);
  if (content.kind === 'file') return sendFile(context, content, reply.etag);
  if (content.kind === 'stream') sendStream(context, content, reply.etag);
  else if (content.kind === 'text') return sendWhole(context, content.text, content.contentType, reply.etag);
  else return sendJson(context, content.data, route, reply.etag);
}

function sendJson(context: Context, data: object, route: Answering, given: string | undefined): void | Promise<void> {
  if (given !== undefined && isKnown(context, `W/"${given}"`)) return;
  const send = (body: string) => sendWhole(context, body, JSON_TYPE, given ?? (route.etag && etagOf(body)));
  if (hasLongList(data) && !texts.has(data)) return textInParts({ status: 'ok', ...data }).then(send);
  return send(textOf(data));
}

/** Or has one within: not among the items of a list that is neither long nor short. */
function hasLongList(value: unknown, depth = 8): value is object {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value) && value.length > SHORT_LIST) return value.length > LONG_LIST;
  return Object.values(value).some((one) => hasLongList(one, depth - 1));
}

/** As JSON.stringify writes it. Others have their turns between the items of a long list. */
async function textInParts(value: object): Promise<string> {
  const parts: string[] = [];
  for (const [name, one] of Object.entries(value)) {
    const text = hasLongList(one) ? await textInParts(one) : JSON.stringify(one);
    if (Array.isArray(value)) parts.push(text ?? 'null');
    else if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
    await rest();
  }
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`;
}

/** Texts of frozen answers: a handler that returns the same object again gets the same text. */
const texts = new WeakMap<object, string>();

function textOf(data: object): string {
  const known = texts.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify({ status: 'ok', ...data });
  if (Object.isFrozen(data)) texts.set(data, text);
  return text;
}

/** Sends an answer that is complete in memory. A long answer is compressed if the caller accepts that. */
export function sendWhole(
  context: Context,
  body: string | Buffer,
  contentType: string,
  etag?: string,
): void | Promise<void> {
  if (etag !== undefined && isKnown(context, `W/"${etag}"`)) return;
  context.set('Content-Type', contentType);
  if (body.length >= LONG) return sendCompressed(context, body);
  context.body = body;
}

async function sendFile(context: Context, content: FileContent, given: string | undefined): Promise<void> {
  const { bytes, size, modifiedAt, release } = content;
  const etag = given === undefined ? undefined : `"${given}"`;
  const seeks = typeof bytes === 'function' && size !== undefined;
  if (modifiedAt !== undefined) context.set('Last-Modified', new Date(modifiedAt).toUTCString());
  if (etag !== undefined && isKnown(context, etag)) return discard(bytes);
  const range = seeks && context.method === 'GET' ? rangeOf(context, size, etag) : undefined;
  const length = range ? range.end - range.start + 1 : size;
  // Opened first, so that a failure is answered as an error and not as a file.
  if (context.method === 'HEAD') discard(bytes);
  else {
    const body = new FileBody({ source: await opened(bytes, range), size: length, release });
    finished(body, (error) => logBreak(context, error));
    context.body = body;
  }
  name(context, content.name, content.contentType ?? OCTETS);
  if (seeks) context.set('Accept-Ranges', 'bytes');
  if (range) {
    context.status = 206;
    context.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  }
  if (length !== undefined) context.length = length;
}

const opened = (bytes: FileContent['bytes'], range: ByteRange | undefined): Readable | Promise<Readable> =>
  typeof bytes === 'function' ? bytes(range) : bytes;

function discard(bytes: FileContent['bytes']): void {
  if (typeof bytes !== 'function') bytes.destroy();
}

function sendStream(context: Context, content: StreamContent, etag: string | undefined): void {
  const { stream, contentType, name: called } = content;
  if (etag !== undefined && isKnown(context, `W/"${etag}"`)) {
    // Nobody reads it: the work for it ends.
    if (stream instanceof Readable) stream.destroy();
    else void stream[Symbol.asyncIterator]().return?.();
    return;
  }
  if (called !== undefined) name(context, called, contentType);
  context.set('Content-Type', contentType);
  const encoder = streamEncoder(context, contentType);
  const source = stream instanceof Readable ? stream : Readable.from(inParts(stream), { objectMode: false });
  if (!encoder) {
    context.body = pipeline(source, new PassThrough(), (error) => logBreak(context, error));
    return;
  }
  context.body = pipeline(source, encoder, (error) => logBreak(context, error));
}

/** Larger pieces. Other requests get turns between them. */
async function* inParts(text: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  // The first line goes at once: the caller sees that the answer has begun.
  let least = 1;
  for await (const line of text) {
    piece += line;
    if (piece.length >= least) {
      yield piece;
      piece = '';
      least = PIECE;
    }
    await rest();
  }
  if (piece !== '') yield piece;
}

function name(context: Context, called: string, contentType: string): void {
  const { name: harmless, fallback } = attachmentName(called);
  context.attachment(harmless, { fallback });
  context.set('Content-Type', contentType);
}

function logBreak({ state: { log, id } }: Context, error: Error | null | undefined): void {
  if (error) log.warn({ request: id, reason: messageOf(error) }, 'file transfer broke');
}

/**
 * Sets the ETag. True when the caller has the same content already: the answer is then 304. The comparison is weak (RFC
 * 9110, 13.1.2).
 * Koa's `fresh` is not used: it sends everything again for `Cache-Control: no-cache`. `fetch` of browsers and Node adds
 * this header to each request with `If-None-Match`.
 */
export function isKnown(context: Context, etag: string): boolean {
  const { method } = context;
  if ((method !== 'GET' && method !== 'HEAD') || context.status !== 200) return false;
  context.set('ETag', etag);
  // The caller may keep the answer, but must ask before each use.
  if (context.response.get('Cache-Control') === 'no-store') context.set('Cache-Control', 'private, no-cache');
  const known = context
    .get('If-None-Match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (!(known.includes('*') || known.includes(etag.replace(/^W\//, '')))) return false;
  context.status = 304;
  return true;
}

/**
 * Undefined: the whole file, also for several ranges, as the RFC allows. `etag`: of the file, as written in the header.
 * Errors: RANGE_NOT_SATISFIABLE when the range begins behind the end.
 */
function rangeOf(context: Context, size: number, etag: string | undefined): ByteRange | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(context.get('Range').trim());
  const [, first = '', last = ''] = found ?? [];
  if ((first === '' && last === '') || !isSame(context.get('If-Range'), etag)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start >= size) {
    throw new GatewayError('RANGE_NOT_SATISFIABLE', `The file has ${countOf(size, 'byte')}.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  return { start, end };
}

/** `If-Range`: a changed file is sent whole. A date is not exact enough. */
const isSame = (asked: string, etag: string | undefined): boolean => asked === '' || asked === etag;

/**
 * The name of a download comes from a device or a caller and is not trusted. Only its last segment is used, without
 * control and direction characters and not too long. `fallback` is in ASCII.
 */
function attachmentName(given: string): { readonly name: string; readonly fallback: string } {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');
  const name = [...plain].slice(0, LONGEST_NAME).join('') || 'file';
  return { name, fallback: name.replaceAll(/[^\x20-\x7e]/gu, '_') };
}
