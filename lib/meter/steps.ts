/** What a session does next. Pure: the state of things in, one step out. */
export interface Situation {
  readonly ending: boolean;
  /** ms until the next command of an operator, or of a background read, may be tried; undefined: none waits. */
  readonly operatorInMs: number | undefined;
  readonly backgroundInMs: number | undefined;
  /** ms until the meter may be asked what is not known of it; undefined: nothing is open, or no connection is. */
  readonly questionInMs: number | undefined;
  /** ms until the stream should run; undefined: nobody watches. */
  readonly streamInMs: number | undefined;
  /** ms until the command gap is over. */
  readonly gapMs: number;
}

export type Step =
  | { readonly kind: 'idle' | 'request' | 'question' | 'stream' }
  /** Looks again after `ms`, or as soon as something changes. */
  | { readonly kind: 'wait'; readonly ms: number };

/** A request is taken only when the gap is over: until then a more urgent one may come, and callers may leave. */
export function nextStep(situation: Situation): Step {
  const { ending, operatorInMs, questionInMs, backgroundInMs, streamInMs, gapMs } = situation;
  const wants = [
    { kind: 'request', inMs: operatorInMs },
    { kind: 'question', inMs: questionInMs },
    { kind: 'request', inMs: backgroundInMs },
    { kind: 'stream', inMs: streamInMs },
  ] as const;
  const soonest = Math.min(...wants.map(({ inMs }) => inMs ?? Number.POSITIVE_INFINITY));
  if (ending || soonest === Number.POSITIVE_INFINITY) return { kind: 'idle' };
  const ready = wants.find(({ inMs }) => inMs === 0);
  return ready && gapMs === 0 ? { kind: ready.kind } : { kind: 'wait', ms: Math.max(gapMs, soonest) };
}
