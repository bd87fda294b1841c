/** Makes the answers that are more than a JSON object with status 200. The caller names the kind; it is not guessed. */
import { createHash } from 'node:crypto';
import type { FileContent, Reply, ReplyOptions, StreamContent, TextContent } from './contract.ts';

const made = new WeakSet<object>();

function reply(content: Reply['content'], options: ReplyOptions): Reply {
  const whole = Object.freeze({ ...options, content });
  made.add(whole);
  return whole;
}

/** `{"status": "ok", ...data}` with a status, a Location, an ETag or headers of its own. */
export const json = (data: object, options: ReplyOptions = {}): Reply => reply({ kind: 'json', data }, options);

/** Plain text, HTML, anything that is at hand as a whole. */
export const text = (content: Omit<TextContent, 'kind'>, options: ReplyOptions = {}): Reply =>
  reply({ kind: 'text', ...content }, options);

/** A file whose bytes come while it is sent. Takes Range where `bytes` can begin anywhere. */
export const file = (content: Omit<FileContent, 'kind'>, options: ReplyOptions = {}): Reply =>
  reply({ kind: 'file', ...content }, options);

/** Bytes whose length is not known before. */
export const stream = (content: Omit<StreamContent, 'kind'>, options: ReplyOptions = {}): Reply =>
  reply({ kind: 'stream', ...content }, options);

/** An ETag of what is at hand as a whole. */
export const etagOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** What a handler returned, as a reply. */
export const replyOf = (answer: object): Reply =>
  made.has(answer) ? (answer as Reply) : { content: { kind: 'json', data: answer } };

/**
 * The Content-Security-Policy of a page in one piece: no script, nothing from outside, one style element. `style`: its text, exactly.
 * `forms`: where its forms may be sent to.
 */
export const pagePolicy = (style: string, forms: "'none'" | "'self'" = "'none'"): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join('; ');
