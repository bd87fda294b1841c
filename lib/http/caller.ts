/** The caller, as the meter layer sees it: a signal that aborts when the caller closes the connection, and how long it waits. */
import { guardedSignal } from '../guarded.ts';
import { invalid } from './checks.ts';
import type { Context } from './context.ts';

/** A signal of its own for whoever asks. Errors that its listeners throw are logged. */
export function endOf({ state: { id, log } }: Context): AbortController {
  const controller = new AbortController();
  guardedSignal(controller.signal, (error) =>
    log.error({ request: id, err: error }, 'a listener to the end of a request failed'),
  );
  return controller;
}

/** Aborts when the connection closes before the answer was handed over whole. */
export function hangUpSignal(context: Context): AbortSignal {
  const { res } = context;
  const controller = endOf(context);
  const gone = () => {
    if (!res.writableFinished) controller.abort(new Error('the caller has gone'));
  };
  if (res.destroyed || res.closed) gone();
  res.once('close', gone);
  return controller.signal;
}

/**
 * The wait in ms: the header `Request-Timeout` or the parameter `timeout_s`, in seconds, shortens the usual one and never
 * lengthens it; of both the shorter one counts. Errors: INVALID.
 */
export function waitOf(context: Context, usualMs: number, parameter: unknown): number {
  const header = context.get('Request-Timeout');
  return Math.min(
    usualMs,
    msOf('/Request-Timeout', header === '' ? undefined : header, usualMs),
    msOf('/timeout_s', parameter, usualMs),
  );
}

function msOf(path: string, text: unknown, usualMs: number): number {
  if (text === undefined) return usualMs;
  const seconds = typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0) throw invalid([{ path, message: 'must be one number of seconds above 0' }]);
  return seconds * 1_000;
}
