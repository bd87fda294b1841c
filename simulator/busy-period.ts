/** For a while a stopped meter can do nothing else: a start waits for its delay, or a store is being written. */
import type { Clock } from './contract.ts';

/** At most one at a time. */
export class BusyPeriod {
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;
  #cancellable = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get active(): boolean {
    return this.#cancel !== null;
  }

  /** `over` is called after `ms`, at once where that is 0. */
  begin(ms: number, over: () => void, { cancellable = false } = {}): void {
    this.#end();
    if (ms === 0) {
      over();
      return;
    }
    this.#cancellable = cancellable;
    this.#cancel = this.#clock.after(ms, () => {
      this.#cancel = null;
      over();
    });
  }

  /** Cancels what waits. False if nothing can be cancelled. */
  cancel(): boolean {
    return this.#cancellable && this.#end();
  }

  /** The power goes, or the meter. */
  close(): void {
    this.#end();
  }

  #end(): boolean {
    const lasted = this.#cancel !== null;
    this.#cancel?.();
    this.#cancel = null;
    return lasted;
  }
}
