/** The JSON body of a request, parsed and no more. Other content types are refused, not ignored. */
import { once } from 'node:events';
import { koaBody } from 'koa-body';
import { GatewayError } from '../errors.ts';
import { invalid } from './checks.ts';
import type { Context } from './context.ts';

export type ReadBody = (context: Context) => Promise<unknown>;

/** `limit` in bytes, after decompression. Errors: NOT_JSON, BODY_TOO_LARGE, MALFORMED_JSON, INVALID. */
export function bodyReader(limit: number): ReadBody {
  const parse = koaBody({
    jsonLimit: limit,
    jsonTypes: ['application/json'],
    jsonStrict: false,
    multipart: false,
    urlencoded: false,
    text: false,
    onError: (error) => {
      throw refusal(error, limit);
    },
  });
  return async (context) => {
    const some = await hasBody(context);
    if (!some || !context.is('application/json')) {
      // Looking for a body has stopped the flow; the next request on this connection comes behind what is left.
      context.req.resume();
      if (!some) return undefined;
      throw new GatewayError('NOT_JSON', 'the body must be application/json');
    }
    await parse(context, async () => {});
    return context.request.body;
  };
}

/** A route that takes no body is content with an empty object, as some clients always send one. */
export function bodyOrNothing(body: unknown, required: boolean): unknown {
  if (body === undefined && required) throw invalid([{ path: '', message: 'a JSON body is required' }]);
  return body === undefined ? {} : body;
}

/**
 * Some clients announce chunks and send none: only the first byte, or the end, tells. It is waited for no longer than any
 * request is, and nothing is taken from the body. Rejects when the caller goes before.
 */
async function hasBody({ req }: Context): Promise<boolean> {
  if (req.headers['transfer-encoding'] === undefined) return Number(req.headers['content-length'] ?? 0) > 0;
  if (!req.complete && req.readableLength === 0) await once(req, 'readable');
  return !req.complete || req.readableLength > 0;
}

function refusal(error: Error & { status?: number; body?: string }, limit: number): GatewayError {
  const cause = { cause: error };
  if (error.status === 413) return new GatewayError('BODY_TOO_LARGE', `the body is larger than ${limit} bytes`, cause);
  if (error.status === 415) return new GatewayError('NOT_JSON', 'the encoding of the body is not supported', cause);
  if (isWellFormed(error.body)) return invalid([{ path: '', message: 'no property may be called __proto__' }]);
  return new GatewayError('MALFORMED_JSON', 'the body is not well-formed JSON', cause);
}

/** The parser refuses well-formed text for one reason alone, the property `__proto__`, and says so in words only. */
function isWellFormed(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
