/**
 * Writes the reply of a route into the response: status, headers, ETag and 304, one range of a file. A file is streamed;
 * if it breaks off, the caller can see it.
 */
import { finished, PassThrough, pipeline, Readable } from 'node:stream';
import { messageOf } from '../errors.ts';
import { streamEncoder } from './compress.ts';
import type { Context } from './context.ts';
import type { ByteRange, FileContent, Reply, Route, StreamContent } from './contract.ts';
import { FileBody } from './file-body.ts';
import { attachmentName } from './file-name.ts';
import { isFresh } from './fresh.ts';
import { rangeOf } from './range.ts';
import { etagOf } from './reply.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const OCTETS = 'application/octet-stream';

export type Answering = Pick<Route, 'path' | 'method' | 'statuses' | 'etag'>;

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
  else if (content.kind === 'text') sendWhole(context, content.text, content.contentType, reply.etag);
  else sendJson(context, content.data, route, reply.etag);
}

function sendJson(context: Context, data: object, route: Answering, given: string | undefined): void {
  if (given !== undefined && isFresh(context, `W/"${given}"`)) return;
  const body = JSON.stringify({ status: 'ok', ...data });
  sendWhole(context, body, JSON_TYPE, given ?? (route.etag && etagOf(body)));
}

function sendWhole(context: Context, body: string, contentType: string, etag: string | undefined): void {
  if (etag !== undefined && isFresh(context, `W/"${etag}"`)) return;
  context.set('Content-Type', contentType);
  context.body = body;
}

async function sendFile(context: Context, content: FileContent, given: string | undefined): Promise<void> {
  const { bytes, size, modifiedAt, release } = content;
  const etag = given === undefined ? undefined : `"${given}"`;
  const seeks = typeof bytes === 'function' && size !== undefined;
  if (modifiedAt !== undefined) context.set('Last-Modified', new Date(modifiedAt).toUTCString());
  if (etag !== undefined && isFresh(context, etag)) return discard(bytes);
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
  if (etag !== undefined && isFresh(context, `W/"${etag}"`)) {
    // Nobody reads it: the work for it ends.
    if (stream instanceof Readable) stream.destroy();
    else void stream[Symbol.asyncIterator]().return?.();
    return;
  }
  if (called !== undefined) name(context, called, contentType);
  context.set('Content-Type', contentType);
  const encoder = streamEncoder(context, contentType);
  const source = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: false });
  if (!encoder) {
    context.body = pipeline(source, new PassThrough(), (error) => logBreak(context, error));
    return;
  }
  context.body = pipeline(source, encoder, (error) => logBreak(context, error));
}

function name(context: Context, called: string, contentType: string): void {
  const { name: harmless, fallback } = attachmentName(called);
  context.attachment(harmless, { fallback });
  context.set('Content-Type', contentType);
}

function logBreak({ state: { log, id } }: Context, error: Error | null | undefined): void {
  if (error) log.warn({ request: id, reason: messageOf(error) }, 'file transfer broke');
}
