/** Runs one piece of work at a time, in the order of arrival. */
import type { Work } from '../stored/work.ts';

/** A piece starts after all earlier pieces have ended, also after failures. */
export class OneByOne {
  #before: Promise<unknown> = Promise.resolve();

  *of<T>(work: () => Work<T>): Work<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#before;
    this.#before = Promise.all([before, promise]);
    try {
      yield before;
      return yield* work();
    } finally {
      resolve();
    }
  }
}
