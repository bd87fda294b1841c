/** What the driver of a session does next. Pure: the state of things in, one step out. */
export interface Situation {
  readonly ending: boolean;
  /** Jobs that wait. */
  readonly jobs: number;
  /** ms until the stream should run; undefined: nobody watches. */
  readonly streamInMs: number | undefined;
  /** ms until the meter has rested. */
  readonly restMs: number;
}

export type Step =
  | { readonly kind: 'idle' | 'job' | 'stream' }
  /** Looks again after `ms`, or as soon as something changes. */
  | { readonly kind: 'wait'; readonly ms: number };

/** A job is taken only when the meter has rested: until then a better one may come, and callers may leave. */
export function nextStep({ ending, jobs, streamInMs, restMs }: Situation): Step {
  if (ending || (jobs === 0 && streamInMs === undefined)) return { kind: 'idle' };
  if (jobs > 0) return restMs > 0 ? { kind: 'wait', ms: restMs } : { kind: 'job' };
  const ms = Math.max(restMs, streamInMs ?? 0);
  return ms > 0 ? { kind: 'wait', ms } : { kind: 'stream' };
}
