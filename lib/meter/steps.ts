/** The next step of a session. Pure: wanted work in, one step out. */
export interface Want {
  readonly kind: 'request' | 'question' | 'stream';
  /** ms until it may be tried; undefined: not wanted. */
  readonly inMs: number | undefined;
}

/** The next thing that the loop does. */
export type SessionStep =
  | { readonly kind: Want['kind'] | 'idle' }
  /** Checks again after `ms`, or as soon as something changes. */
  | { readonly kind: 'wait'; readonly ms: number };

/**
 * `wants`: in the order of their priority. `gapMs`: until the command gap is over. Nothing is taken before its end:
 * until then more urgent work may come, and callers may leave.
 */
export function nextStep(wants: readonly Want[], gapMs: number): SessionStep {
  const soonest = Math.min(...wants.map(({ inMs }) => inMs ?? Number.POSITIVE_INFINITY));
  if (soonest === Number.POSITIVE_INFINITY) return { kind: 'idle' };
  const ready = wants.find(({ inMs }) => inMs === 0);
  return ready && gapMs === 0 ? { kind: ready.kind } : { kind: 'wait', ms: Math.max(gapMs, soonest) };
}
