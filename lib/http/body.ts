/** The JSON body of a request, parsed and no more. Other content types are refused, not ignored. */
import { koaBody } from 'koa-body';
import { GatewayError } from '../errors.ts';
import { invalid } from './checks.ts';
import type { Context } from './context.ts';

export type ReadBody = (context: Context) => Promise<unknown>;

/** `limit` in bytes, after decompression. Errors: NOT_JSON, BODY_TOO_LARGE, MALFORMED_JSON. */
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
    if (!hasBody(context)) return undefined;
    if (!context.is('application/json')) throw new GatewayError('NOT_JSON', 'the body must be application/json');
    await parse(context, async () => {});
    return context.request.body;
  };
}

/** A route that takes no body is content with an empty object, as some clients always send one. */
export function bodyOrNothing(body: unknown, required: boolean): unknown {
  if (body === undefined && required) throw invalid([{ path: '', message: 'a JSON body is required' }]);
  return body === undefined ? {} : body;
}

const hasBody = (context: Context): boolean =>
  context.get('Transfer-Encoding') !== '' || Number(context.get('Content-Length') || 0) > 0;

function refusal(error: Error & { status?: number }, limit: number): GatewayError {
  const cause = { cause: error };
  if (error.status === 413) return new GatewayError('BODY_TOO_LARGE', `the body is larger than ${limit} bytes`, cause);
  if (error.status === 415) return new GatewayError('NOT_JSON', 'the encoding of the body is not supported', cause);
  return new GatewayError('MALFORMED_JSON', 'the body is not well-formed JSON', cause);
}
