/** The query of a request as text. */
import { GatewayError } from '../errors.ts';
import type { Context } from './context.ts';

/** A parameter that is given more than once is an array. Errors: MALFORMED_REQUEST where the escapes are no UTF-8. */
export function readQueryString(context: Context): Readonly<Record<string, unknown>> {
  const written = context.querystring;
  if (written === '') return NOTHING;
  try {
    // The query parser would replace bytes that it cannot decode by U+FFFD, and so change a path or a name.
    if (written.includes('%')) decodeURIComponent(written);
  } catch (error) {
    throw new GatewayError('MALFORMED_REQUEST', 'The query has an escape that is not UTF-8.', { cause: error });
  }
  return context.query;
}

const NOTHING = Object.freeze({});
