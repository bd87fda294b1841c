/** Work of which only one piece is done at a time, in the order in which it came. */
import type { Work } from '../stored/work.ts';

/** Who waits goes on when all before have ended, however they ended. */
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
