/** Wakes one loop. A ring while nobody waits is not kept: the loop looks at the state of things before it waits. */
import type { Clock } from '../clock.ts';

export class Bell {
  readonly #clock: Clock;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#wake?.();
  }

  /** Until the next ring, at most `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => this.ring());
      this.#wake = () => {
        this.#wake = undefined;
        cancel();
        resolve();
      };
    });
  }
}
