/** What the driver of a session does next. Pure: the state of things in, one step out. */
export interface Situation {
  readonly ending: boolean;
  /** ms until the next command of an operator, or of a background read, may be tried; undefined: none waits. */
  readonly operatorInMs: number | undefined;
  readonly backgroundInMs: number | undefined;
  /** ms until the meter may be asked what is in doubt; undefined: nothing is, or no connection is open. */
  readonly learnInMs: number | undefined;
  /** ms until the stream should run; undefined: nobody watches. */
  readonly streamInMs: number | undefined;
  /** ms until the meter has rested. */
  readonly restMs: number;
}

export type Step =
  | { readonly kind: 'idle' | 'job' | 'learn' | 'stream' }
  /** Looks again after `ms`, or as soon as something changes. */
  | { readonly kind: 'wait'; readonly ms: number };

/** A job is taken only when the meter has rested: until then a better one may come, and callers may leave. */
export function nextStep(situation: Situation): Step {
  const wants = inOrder(situation);
  if (situation.ending || wants.length === 0) return { kind: 'idle' };
  const ready = wants.find(({ inMs }) => inMs === 0);
  if (ready && situation.restMs === 0) return { kind: ready.kind };
  const soonest = ready ? 0 : Math.min(...wants.map(({ inMs }) => inMs));
  return { kind: 'wait', ms: Math.max(situation.restMs, soonest) };
}

interface Want {
  readonly kind: 'job' | 'learn' | 'stream';
  readonly inMs: number;
}

function inOrder({ operatorInMs, learnInMs, backgroundInMs, streamInMs }: Situation): Want[] {
  const wants: { kind: Want['kind']; inMs: number | undefined }[] = [
    { kind: 'job', inMs: operatorInMs },
    { kind: 'learn', inMs: learnInMs },
    { kind: 'job', inMs: backgroundInMs },
    { kind: 'stream', inMs: streamInMs },
  ];
  return wants.filter((want): want is Want => want.inMs !== undefined);
}
