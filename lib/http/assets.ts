/** The files of a folder for browsers, listed once: the path of a request never becomes a path on this computer. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressed, encodingFor, isKnown } from './answer.ts';
import type { Context } from './context.ts';
import type { Assets } from './contract.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};
/** Pictures and fonts of other kinds are compressed already. */
const COMPRESSIBLE = /^text\/|json|svg/;
/** A name with a hash of the content, as bundlers write it: `app-3Q4KZ7PA.js`. It never means other bytes. */
const HASHED = /[-.][A-Za-z0-9_]{8,}\.[a-z0-9]+$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'public, no-cache';

/** One file that browsers may load. */
export interface Asset {
  /** Path of the request, `/app-3Q4KZ7PA.js`; `/m/{unit_id}` for an address within a page. */
  readonly path: string;
  /** `status` 404: the page itself says that the address is unknown. */
  send(context: Context, basePath: string, status?: 200 | 404): Promise<void>;
}

/** Files of kinds that are not known are left out. Throws when the folder cannot be read. */
export function assetsOf({ path, folder: given, csp, pages = [] }: Assets): Asset[] {
  const folder = typeof given === 'string' ? given : fileURLToPath(given);
  const root = path === '/' ? '' : path;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .flatMap((entry) => {
      const place = join(entry.parentPath, entry.name);
      const name = place.slice(join(folder, sep).length).split(sep).join('/');
      const send = sender(place, name, csp);
      const own = { path: `${root}/${name}`, send };
      if (name !== 'index.html' && !name.endsWith('/index.html')) return [own];
      const of = `${root}/${name.slice(0, -'index.html'.length)}`;
      const within = name === 'index.html' ? pages.map((page) => ({ path: page, send })) : [];
      // `/docs` and `/docs/` alike.
      const folders = of.length > 1 ? [of, of.replace(/\/$/, '')] : [of];
      return [own, ...folders.map((address) => ({ path: address, send })), ...within];
    });
}

/** `/m/{unit_id}` as a pattern of paths; undefined for a path without a parameter. */
export const pagePattern = (path: string): RegExp | undefined =>
  path.includes('{') ? new RegExp(`^${path.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`) : undefined;

function sender(place: string, name: string, csp: string): Asset['send'] {
  const contentType = TYPES[extname(name)] ?? '';
  const isPage = name === 'index.html' || name.endsWith('/index.html');
  let content: Promise<Buffer> | undefined;
  return async (context, basePath, status = 200) => {
    content ??= readFile(place).catch((error: unknown) => {
      // It may work the next time: too many files were open, or the folder is just being replaced.
      content = undefined;
      throw error;
    });
    const bytes = isPage ? placed(await content, context.path, basePath) : await content;
    const etag = `"${hash(bytes)}"`;
    context.status = status;
    context.set('Content-Type', contentType);
    context.set('Content-Security-Policy', csp);
    context.set('Cache-Control', HASHED.test(name) ? FOR_EVER : ASK_EACH_TIME);
    const encoding = COMPRESSIBLE.test(contentType) ? encodingFor(context) : undefined;
    if (status === 200 && isKnown(context, `W/${etag}`)) return;
    if (encoding) context.set('Content-Encoding', encoding);
    context.body = encoding ? await compressed(bytes, encoding) : bytes;
  };
}

function placed(page: Buffer, path: string, basePath: string): Buffer {
  const root = '../'.repeat(Math.max(0, path.split('/').length - 2)) || './';
  return Buffer.from(page.toString().replaceAll('{{root}}', root).replaceAll('{{api}}', basePath.slice(1)));
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
