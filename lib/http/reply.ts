/** Answers that a handler makes. Plugins use this file, so its types know nothing of Koa. */
import { createHash } from 'node:crypto';
import type { FileContent, Reply, ReplyOptions, StreamContent, TextContent } from './contract.ts';

const made = new WeakSet<object>();

function reply(content: Reply['content'], options: ReplyOptions): Reply {
  const whole = Object.freeze({ ...options, content });
  made.add(whole);
  return whole;
}

/** A JSON answer with a status, a Location, an ETag or headers of its own. */
export const json = (data: object, options: ReplyOptions = {}): Reply => reply({ kind: 'json', data }, options);

/** Plain text, HTML, or any other complete text. */
export const text = (content: Omit<TextContent, 'kind'>, options: ReplyOptions = {}): Reply =>
  reply({ kind: 'text', ...content }, options);

/** A file whose bytes arrive during sending. Takes Range if `bytes` can begin anywhere. */
export const file = (content: Omit<FileContent, 'kind'>, options: ReplyOptions = {}): Reply =>
  reply({ kind: 'file', ...content }, options);

/** Bytes of unknown length. */
export const stream = (content: Omit<StreamContent, 'kind'>, options: ReplyOptions = {}): Reply =>
  reply({ kind: 'stream', ...content }, options);

export const replyOf = (answer: object): Reply =>
  made.has(answer) ? (answer as Reply) : { content: { kind: 'json', data: answer } };

/** An ETag of a complete text. */
export const etagOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

interface PageRights {
  /** The exact text of its script, which may also send requests to the gateway. */
  readonly script?: string;
  /** Its forms may be sent to the gateway. */
  readonly hasForms?: boolean;
  /** It holds pictures in itself (`data:`). */
  readonly hasOwnPictures?: boolean;
  /** Origins of pages that may show it in a frame. */
  readonly frames?: readonly string[];
}

/**
 * The Content-Security-Policy of a page in one piece: nothing from outside, one style element, and no more than
 * `rights`. `style`: the exact text of that element.
 */
export const pagePolicy = (
  style: string,
  { script, hasForms = false, hasOwnPictures = false, frames = [] }: PageRights = {},
): string =>
  [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`, "connect-src 'self'"]),
    ...(hasOwnPictures ? ['img-src data:'] : []),
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    `frame-ancestors ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
  ].join('; ');

/** The few style sheets and scripts are constants: each is hashed once. */
const sources = new Map<string, string>();

/** Of a style or script in the page, for its Content-Security-Policy. */
export function sourceOf(text: string): string {
  const source = sources.get(text) ?? `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  sources.set(text, source);
  return source;
}
