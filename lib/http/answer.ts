/**
 * Writes the reply of a route into the response: status, headers, ETag and 304, one range of a file. A file is streamed,
 * whole or visibly broken.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable, Transform } from 'node:stream';
import { messageOf } from '../errors.ts';
import { streamEncoder } from './compress.ts';
import type { Context } from './context.ts';
import type { ByteRange, FileContent, Reply, Route, StreamContent } from './contract.ts';
import { attachmentName } from './file-name.ts';
import { isFresh } from './fresh.ts';
import { rangeOf } from './range.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const OCTETS = 'application/octet-stream';

export type Answering = Pick<Route, 'path' | 'method' | 'statuses' | 'etag'>;

/** Errors: RANGE_NOT_SATISFIABLE, and whatever opening a file brings. */
export function answer(context: Context, route: Answering, reply: Reply, basePath: string): void | Promise<void> {
  const { status = 200, location, headers, content } = reply;
  if (!(route.statuses ?? [200]).includes(status)) {
    throw new Error(`${route.method} ${route.path} answers ${status}, which its definition does not name`);
  }
  context.status = status;
  if (location !== undefined) context.set('Location', basePath + location);
  if (headers) context.set(headers);
  if (content.kind === 'file') return sendFile(context, content, reply.etag);
  if (content.kind === 'stream') sendStream(context, content);
  else if (content.kind === 'text') sendWhole(context, content.text, content.contentType, reply.etag);
  else sendJson(context, content.data, route, reply.etag);
}

function sendJson(context: Context, data: object, route: Answering, given: string | undefined): void {
  if (given !== undefined && isFresh(context, `W/"${given}"`)) return;
  const body = JSON.stringify({ status: 'ok', ...data });
  sendWhole(context, body, JSON_TYPE, given ?? (route.etag && digest(body)));
}

function sendWhole(context: Context, body: string, contentType: string, etag: string | undefined): void {
  if (etag !== undefined && isFresh(context, `W/"${etag}"`)) return;
  context.set('Content-Type', contentType);
  context.body = body;
}

const digest = (body: string): string => createHash('sha256').update(body).digest('base64url').slice(0, 22);

async function sendFile(context: Context, content: FileContent, given: string | undefined): Promise<void> {
  const { bytes, size, modifiedAt } = content;
  const etag = given === undefined ? undefined : `"${given}"`;
  const seeks = typeof bytes === 'function' && size !== undefined;
  if (modifiedAt !== undefined) context.set('Last-Modified', new Date(modifiedAt).toUTCString());
  if (etag !== undefined && isFresh(context, etag)) return discard(bytes);
  const range = seeks && context.method === 'GET' ? rangeOf(context, size, etag) : undefined;
  const length = range ? range.end - range.start + 1 : size;
  // Opened first: what fails here is answered as an error and not as a file.
  if (context.method === 'HEAD') discard(bytes);
  else context.body = counted(context, await opened(bytes, range), length);
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

function sendStream(context: Context, { stream, contentType, name: called }: StreamContent): void {
  if (called !== undefined) name(context, called, contentType);
  context.set('Content-Type', contentType);
  const encoder = streamEncoder(context, contentType);
  const source = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: false });
  const whole = counted(context, source, undefined);
  if (!encoder) {
    context.body = whole;
    return;
  }
  // The outcome is told by `counted`; here the error has only to go on to the answer.
  pipeline(whole, encoder, () => {});
  context.body = encoder;
}

function name(context: Context, called: string, contentType: string): void {
  const { name: harmless, fallback } = attachmentName(called);
  context.attachment(harmless, { fallback });
  context.set('Content-Type', contentType);
}

/** Ends in an error when the stream is not as long as announced: a short file never has a proper end. */
function counted(context: Context, source: Readable, size: number | undefined): Transform {
  let passed = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (size !== undefined && passed > size) done(new Error(`more than the ${size} bytes that were announced`));
      else done(null, chunk);
    },
    flush(done) {
      done(size !== undefined && passed < size ? new Error(`ended after ${passed} of ${size} bytes`) : null);
    },
  });
  const { log, id } = context.state;
  pipeline(source, body, (error) => {
    if (error) log.warn({ request: id, reason: messageOf(error) }, 'file transfer broke');
  });
  return body;
}
