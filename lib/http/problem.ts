/** Turns an error into an answer. An error that is not a GatewayError is a bug: the log gets all of it, the caller gets the request id. */
import { GatewayError, messageOf, type WordError } from '../errors.ts';
import type { Context, Middleware } from './context.ts';

/** The middleware that writes every error answer (RFC 9457 in the shape of this API). */
export const problem: Middleware = (next) => async (context) => {
  try {
    await next(context);
  } catch (error) {
    answer(context, error);
  }
};

function answer(context: Context, thrown: unknown): void {
  const error = thrown instanceof GatewayError ? thrown : fault(context, thrown);
  context.state.code = error.code;
  const own = ownWords(context, error);
  context.status = own?.status ?? error.status;
  context.remove('ETag');
  context.set('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(error.headers)) context.set(name, value);
  const page = context.get('Accept').includes('text/html') && context.state.errorPage;
  if (page) {
    const { html, policy } = page(error, context.req.headers['accept-language']);
    context.set('Content-Security-Policy', policy);
    context.set('X-Robots-Tag', 'noindex');
    context.type = 'html';
    context.body = html;
    return;
  }
  context.type = 'json';
  // As text: of an object Koa asks whether it is a `Response`, for which Node loads a whole HTTP client.
  context.body = JSON.stringify(own?.body ?? { detail: error.message, code: error.code, errors: error.errors });
}

/** A route that cannot word its error gets the words of the gateway. */
function ownWords({ state: { id, log, wordError } }: Context, error: GatewayError): ReturnType<WordError> | undefined {
  try {
    return wordError?.(error);
  } catch (thrown) {
    log.error({ request: id, err: thrown }, 'an error could not be put into the words of its route');
    return undefined;
  }
}

function fault(context: Context, thrown: unknown): GatewayError {
  const { id, log } = context.state;
  if (context.req.socket.destroyed) log.debug({ request: id, reason: messageOf(thrown) }, 'the caller has gone');
  else log.error({ request: id, err: thrown }, 'request failed');
  return new GatewayError('INTERNAL', `The gateway could not answer; its log has the reason under request ${id}.`);
}
