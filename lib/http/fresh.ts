/** `ETag` and `If-None-Match`. */
import type { Context } from './context.ts';

/**
 * Sets the ETag, as it is written in the header. True when the caller has the same already: the answer is 304 then. A weak
 * comparison (RFC 9110, 13.1.2).
 */
export function isFresh(context: Context, etag: string): boolean {
  const { method } = context;
  if ((method !== 'GET' && method !== 'HEAD') || context.status !== 200) return false;
  context.set('ETag', etag);
  // Kept by the caller, but never used without asking.
  if (context.response.get('Cache-Control') === 'no-store') context.set('Cache-Control', 'private, no-cache');
  const asked = context.get('If-None-Match');
  const known = asked.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!(known.includes('*') || known.includes(etag.replace(/^W\//, '')))) return false;
  context.status = 304;
  return true;
}
