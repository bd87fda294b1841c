/** Error to answer. What is no GatewayError is a fault: the log gets it whole, the caller gets the request id. */
import { GatewayError, messageOf } from '../errors.ts';
import type { Context, Middleware } from './context.ts';

export const problem: Middleware = async (context, next) => {
  try {
    await next();
  } catch (error) {
    answer(context, error);
  }
};

function answer(context: Context, thrown: unknown): void {
  const error = thrown instanceof GatewayError ? thrown : fault(context, thrown);
  context.state.code = error.code;
  context.status = error.status;
  for (const [name, value] of Object.entries(error.headers)) context.set(name, value);
  context.body = { detail: error.message, code: error.code, ...(error.errors ? { errors: error.errors } : {}) };
}

function fault(context: Context, thrown: unknown): GatewayError {
  const { id, log } = context.state;
  if (context.req.socket.destroyed) log.debug({ reason: messageOf(thrown) }, 'the caller has gone');
  else log.error({ err: thrown }, 'request failed');
  return new GatewayError('INTERNAL', `the gateway could not answer; its log has the reason under request ${id}`);
}
