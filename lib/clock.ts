/** Time, in one place, so that tests can move it. Nothing else in the gateway reads the system clock or sets a timer. */
export interface Clock {
  /** Wall time in whole milliseconds since 1970-01-01 UTC: a database takes no fractions of them. May jump. */
  now(): number;
  /** Milliseconds since some fixed time, with fractions. Never jumps; for spans and deadlines. */
  elapsed(): number;
  /** Calls `fire` once, `ms` from now. The disposer cancels it and may be called at any time, any number of times. */
  after(ms: number, fire: () => void): () => void;
}

/** Limit of a Node timer, 24.8 days: with a longer time it fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of the computer: `now` in ms since 1970 UTC, `elapsed` in ms and never set back. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, fire) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      timer = left > LONGEST_MS ? setTimeout(() => wait(left - LONGEST_MS), LONGEST_MS) : setTimeout(fire, left);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Waits `ms`; rejects with the signal's reason as soon as it aborts. Leaves no timer and no listener behind. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abandon = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abandon);
      resolve();
    });
    signal?.addEventListener('abort', abandon, { once: true });
  });
}

/** A signal with a limit of time. Dispose it when the work is over, so that no timer stays. */
interface Deadline extends Disposable {
  /** Aborts with `late()` when the time is over, or with the parent's reason when the parent aborts first. */
  readonly signal: AbortSignal;
}

/** A signal with a time limit. Its owner must dispose of it on every way out; `within` does that automatically. */
export function deadline(clock: Clock, ms: number, late: () => Error, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(parent?.reason);
  const cancel = clock.after(ms, () => controller.abort(late()));
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      cancel();
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** Does `work` with a signal that aborts after `ms`, or with the parent. Nothing is left behind when it is done. */
export async function within<T>(
  clock: Clock,
  ms: number,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  const limit = deadline(clock, ms, late, parent);
  try {
    return await work(limit.signal);
  } finally {
    limit[Symbol.dispose]();
  }
}

/**
 * The outcome of `work`, or the signal's reason if that comes first. The work itself continues: its owner must end it.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
