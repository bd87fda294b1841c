/** At most one value a unit in a span of time: the first at once, then the newest. */
import type { Clock } from '../../lib/index.ts';

interface Turn<T> {
  newest: T | undefined;
  readonly cancel: () => void;
}

export class Pace<T> {
  readonly #clock: Clock;
  readonly #minMs: number;
  readonly #tell: (unitId: string, value: T) => void;
  /** Units that published something less than `minMs` ago. */
  readonly #turns = new Map<string, Turn<T>>();

  constructor(clock: Clock, minMs: number, tell: (unitId: string, value: T) => void) {
    this.#clock = clock;
    this.#minMs = minMs;
    this.#tell = tell;
  }

  offer(unitId: string, value: T): void {
    const turn = this.#turns.get(unitId);
    if (turn) turn.newest = value;
    else this.#begin(unitId, value);
  }

  forget(unitId: string): void {
    this.#turns.get(unitId)?.cancel();
    this.#turns.delete(unitId);
  }

  stop(): void {
    for (const unitId of [...this.#turns.keys()]) this.forget(unitId);
  }

  #begin(unitId: string, value: T): void {
    const cancel = this.#clock.after(this.#minMs, () => {
      const newest = this.#turns.get(unitId)?.newest;
      this.#turns.delete(unitId);
      if (newest !== undefined) this.#begin(unitId, newest);
    });
    this.#turns.set(unitId, { newest: undefined, cancel });
    this.#tell(unitId, value);
  }
}
