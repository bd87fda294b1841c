import type { Clock } from '../../lib/index.ts';

/** State of a unit that published a value a moment ago. */
interface Wait<T> {
  newest: T | undefined;
  readonly cancel: () => void;
}

/** Passes on at most one value of each unit in a span of time: the first at once, then the newest. */
export class Throttle<T> {
  readonly #clock: Clock;
  readonly #minMs: number;
  readonly #tell: (unitId: string, value: T) => void;
  /** Units that published a value less than `minMs` ago. */
  readonly #waits = new Map<string, Wait<T>>();

  /** `tell` gets a value at most every `minMs`, of each unit. */
  constructor(clock: Clock, minMs: number, tell: (unitId: string, value: T) => void) {
    this.#clock = clock;
    this.#minMs = minMs;
    this.#tell = tell;
  }

  offer(unitId: string, value: T): void {
    const wait = this.#waits.get(unitId);
    if (wait) wait.newest = value;
    else this.#begin(unitId, value);
  }

  forget(unitId: string): void {
    this.#waits.get(unitId)?.cancel();
    this.#waits.delete(unitId);
  }

  stop(): void {
    for (const unitId of [...this.#waits.keys()]) this.forget(unitId);
  }

  #begin(unitId: string, value: T): void {
    const cancel = this.#clock.after(this.#minMs, () => {
      const newest = this.#waits.get(unitId)?.newest;
      this.#waits.delete(unitId);
      if (newest !== undefined) this.#begin(unitId, newest);
    });
    this.#waits.set(unitId, { newest: undefined, cancel });
    this.#tell(unitId, value);
  }
}
