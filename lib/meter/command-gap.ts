/**
 * When the next command may go to a meter. One object outlives every connection to a meter, so the gap holds across
 * reconnects too. It sets no timer of its own except while somebody waits.
 */
import { type Clock, sleep } from '../clock.ts';
import type { Address } from '../transport/contract.ts';
import { MeterPort } from './meter-port.ts';

/** More than any fleet; beyond it those that are over are forgotten. */
const MOST = 10_000;

/** The gap of every meter, by the address in its config: units come and go, are switched off, or share a meter by mistake. */
export class CommandGaps {
  readonly #clock: Clock;
  readonly #gapMs: number;
  readonly #gaps = new Map<string, CommandGap>();

  constructor(clock: Clock, gapMs: number) {
    this.#clock = clock;
    this.#gapMs = gapMs;
  }

  of({ host, port }: Address): CommandGap {
    const name = `${host.toLowerCase()} ${port}`;
    const gap = this.#gaps.get(name) ?? new CommandGap(this.#clock, this.#gapMs);
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
  readonly #gapMs: number;
  #port = new MeterPort();

  constructor(clock: Clock, gapMs: number) {
    this.#clock = clock;
    this.#gapMs = gapMs;
  }

  /** What the gap belongs to; of its own until the address is known. */
  get port(): MeterPort {
    return this.#port;
  }

  /** The name means this port now. Commands that went to it under another name count. */
  moveTo(port: MeterPort): void {
    port.lastAt = Math.max(port.lastAt, this.#port.lastAt);
    this.#port = port;
  }

  /** Something went to or came from the meter, or failed: the gap begins now. */
  restart(): void {
    this.#port.lastAt = this.#clock.elapsed();
  }

  /** Whole ms until the gap is over; 0 when it is. */
  get remainingMs(): number {
    return Math.max(0, Math.ceil(this.#port.lastAt + this.#gapMs - this.#clock.elapsed()));
  }

  /** Waits until the gap is over. Looks again after each wait: a byte that came meanwhile begins it anew. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (let ms = this.remainingMs; ms > 0; ms = this.remainingMs) await sleep(this.#clock, ms, signal);
  }
}
