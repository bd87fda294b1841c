/** `Range` of a request for a file (RFC 9110, 14): one range of bytes. Several at once are answered with the whole file, as the RFC allows. */
import { GatewayError } from '../errors.ts';
import type { Context } from './context.ts';
import type { ByteRange } from './contract.ts';

/**
 * The range that was asked for; undefined for the whole file. `etag` is that of the file, as written in the header.
 * Errors: RANGE_NOT_SATISFIABLE when it begins behind the end.
 */
export function rangeOf(context: Context, size: number, etag: string | undefined): ByteRange | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(context.get('Range').trim());
  const [, first = '', last = ''] = found ?? [];
  if ((first === '' && last === '') || !isSame(context.get('If-Range'), etag)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start >= size) {
    throw new GatewayError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  return { start, end };
}

/** `If-Range`: the whole file if it has changed meanwhile. A date is not exact enough. */
const isSame = (asked: string, etag: string | undefined): boolean => asked === '' || asked === etag;
