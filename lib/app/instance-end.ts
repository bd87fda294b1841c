/** How an instance ends: in order, or because it cannot go on. The process ends with it. */
import type { Clock } from '../clock.ts';

/** Of an instance that cannot go on: it gives away what it has meanwhile, ms. */
const LONGEST_MS = 10_000;

/** Of one instance. */
export class InstanceEnd {
  /** Resolves after an end in order, rejects where it cannot go on. */
  readonly ended: Promise<void>;
  readonly #clock: Clock;
  readonly #end = Promise.withResolvers<void>();
  #hasFailed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.ended = this.#end.promise;
    this.ended.catch(() => {});
  }

  /** It has stopped. */
  stopped(): void {
    if (!this.#hasFailed) this.#end.resolve();
  }

  /** It cannot go on. A process that ended at once would be a silent instance to the others, and they would wait a minute for what it has. */
  failed(error: unknown, stop: () => Promise<unknown>): void {
    this.#hasFailed = true;
    const reject = () => this.#end.reject(error);
    const cancel = this.#clock.after(LONGEST_MS, reject);
    stop()
      .catch(() => {})
      .finally(() => {
        cancel();
        reject();
      });
  }
}
