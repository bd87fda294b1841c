/** Who asks, as the meter sees it: a signal that ends when the caller hangs up, and how long the caller waits. */
import { invalid } from './checks.ts';
import type { Context } from './context.ts';

/** Aborts when the connection closes before the answer was handed over whole. */
export function hangUpSignal(context: Context): AbortSignal {
  const { res } = context;
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new Error('the caller has gone'));
  });
  return controller.signal;
}

/** The wait in ms: `Request-Timeout` in seconds shortens the usual one and never lengthens it. Errors: INVALID. */
export function waitOf(context: Context, usualMs: number): number {
  const text = context.get('Request-Timeout');
  if (text === '') return usualMs;
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0) {
    throw invalid([{ path: '/Request-Timeout', message: 'the header must be a number of seconds above 0' }]);
  }
  return Math.min(usualMs, seconds * 1_000);
}
