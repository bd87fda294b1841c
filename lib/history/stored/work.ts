/**
 * Long work in turns with other work in one thread: a generator that stops often. It stops with null to let others run,
 * and with a promise to wait for the promise. Work that never waits, as with SQLite, runs without a promise.
 */
export type Work<T> = Generator<null | Promise<unknown>, T>;

const NO_STOP: readonly null[] = [];

/** Work that is done already. */
export function* atOnce<T>(value: T): Work<T> {
  yield* NO_STOP;
  return value;
}

/** The value of a promise, for work. Throws the reason of a rejection. */
export function* waitFor<T>(promise: Promise<T>): Work<T> {
  let settled: { readonly value: T } | undefined;
  yield promise.then((value) => {
    settled = { value };
  });
  if (!settled) throw new Error('work continued before its promise was settled');
  return settled.value;
}

/** Runs to the end without pauses, for a process without other work. Rejects with the error of the work. */
export async function finished<T>(work: Work<T>): Promise<T> {
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    try {
      await step.value;
      step = work.next();
    } catch (error) {
      step = work.throw(error);
    }
  }
}
