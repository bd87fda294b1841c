/** Time limit for handlers of plugins. */
import { type Clock, unlessAborted } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Context } from './context.ts';
import type { CompiledRoute, CompiledSocket } from './routes.ts';

type Handling = Pick<CompiledRoute | CompiledSocket, 'route' | 'group'>;

interface Times {
  readonly clock: Clock;
  /** Longest wait of a request for its turn at a meter, ms. */
  readonly deadlineMs: number;
}

/** A handler has this much more than a request may wait for a meter, ms: less than a connection may be silent (listen.ts). */
const HANDLER_MS = 110_000;

/** How long a handler may take, ms. `deadlineMs`: as long as a request may wait for its turn at a meter. */
export const handlerLimitMs = (deadlineMs: number): number => deadlineMs + HANDLER_MS;

/**
 * Limits the time of a handler: the handler of a plugin may never end. The limit is shorter than the time after which
 * the silent connection would be dropped. Its caller then counts as gone, and the log names the handler. An upload has
 * limits of its own.
 */
export async function inTime<T>(
  work: Promise<T> | T,
  { route, group }: Handling,
  { req, res, state }: Context,
  { clock, deadlineMs }: Times,
): Promise<T> {
  if (!(work instanceof Promise)) return work;
  const limitMs = handlerLimitMs(deadlineMs);
  const late = new AbortController();
  const giveUp = () => {
    const what = `${'method' in route ? route.method : 'WS'} ${route.path}`;
    const about = { plugin: group, request: state.id, route: what, limit_ms: limitMs };
    state.log.error(about, 'a handler of a plugin did not end in time and was given up');
    state.gaveUp = true;
    const detail = `The plugin ${group} did not answer ${what} within ${limitMs / 1_000} s.`;
    late.abort(new GatewayError('PLUGIN_TIMEOUT', detail));
  };
  let cancel = () => {};
  const begin = () => {
    cancel = clock.after(limitMs, giveUp);
  };
  const end = () => {
    req.off('end', begin);
    cancel();
  };
  if (req.complete || state.upgrade) begin();
  else req.once('end', begin);
  // The caller has gone.
  res.once('close', end);
  try {
    return await unlessAborted(work, late.signal);
  } finally {
    res.off('close', end);
    end();
  }
}
