/**
 * Long work, of which several pieces take turns in one thread: a generator that stops often. It stops with null to give others a chance, and
 * with a promise to wait for it. What waits for nothing, as SQLite does, runs through without a promise.
 */
export type Work<T> = Generator<null | Promise<unknown>, T>;

const NO_STOP: readonly null[] = [];

/** Work that is done already. */
export function* atOnce<T>(value: T): Work<T> {
  yield* NO_STOP;
  return value;
}

/** The value of a promise, for work. Throws what it rejects with. */
export function* waitFor<T>(promise: Promise<T>): Work<T> {
  let settled: { readonly value: T } | undefined;
  yield promise.then((value) => {
    settled = { value };
  });
  if (!settled) throw new Error('work went on before what it waits for was there');
  return settled.value;
}

/** Does all of it, for a process that does nothing else meanwhile. Rejects with what it throws. */
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
