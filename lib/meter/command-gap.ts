/**
 * When the meter may be spoken to again. One object outlives every connection to a meter, so the rest holds across
 * reconnects too. It sets no timer of its own except while somebody waits.
 */
import { type Clock, sleep } from '../clock.ts';
import type { Address } from '../transport/contract.ts';

/** More than any fleet; beyond it those that are rested are forgotten, as nobody owes them anything. */
const MOST = 10_000;

/** The rest of every meter, by its address: units come and go, are switched off, or share a meter by mistake. */
export class CommandGaps {
  readonly #clock: Clock;
  readonly #restMs: number;
  readonly #gaps = new Map<string, CommandGap>();

  constructor(clock: Clock, restMs: number) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  of({ host, port }: Address): CommandGap {
    const name = `${host.toLowerCase()} ${port}`;
    const gap = this.#gaps.get(name) ?? new CommandGap(this.#clock, this.#restMs);
    if (this.#gaps.size >= MOST) this.#forgetElapsed();
    this.#gaps.set(name, gap);
    return gap;
  }

  #forgetElapsed(): void {
    for (const [name, { remainingMs }] of this.#gaps) if (remainingMs === 0) this.#gaps.delete(name);
  }
}

export class CommandGap {
  readonly #clock: Clock;
  readonly #restMs: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, restMs: number) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  /** Something went to or came from the meter, or failed: it rests from now. */
  restart(): void {
    this.#last = this.#clock.elapsed();
  }

  /** Whole ms until the meter has rested; 0 when it has. */
  get remainingMs(): number {
    return Math.max(0, Math.ceil(this.#last + this.#restMs - this.#clock.elapsed()));
  }

  /** Waits until the meter has rested. Looks again after each wait: a byte that came meanwhile begins the rest anew. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (let ms = this.remainingMs; ms > 0; ms = this.remainingMs) await sleep(this.#clock, ms, signal);
  }
}
