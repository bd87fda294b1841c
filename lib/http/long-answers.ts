/**
 * Answers that cost memory and time, such as a year of levels, take turns: each has a weight, and only so much is made at once, of each
 * caller and in all. What finds no room waits, in the order in which it came; what finds no place to wait is refused.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError } from '../errors.ts';

/** Weights are days of one meter. A heavier one is made alone. */
const MOST_WEIGHT = 740;
const MOST_OF_CALLER = 370;
const MOST_WAITING = 100;
const MOST_WAITING_OF_CALLER = 20;
/** Somebody who reads an answer slowly holds its place no longer, ms. */
const LONGEST_MS = 60_000;
const RETRY_S = 5;

/** What a ZIP of files costs, in days of one meter: of one caller ten are sent at once. */
export const ZIP_COST = MOST_OF_CALLER / 10;

interface Waiting {
  readonly caller: string;
  readonly weight: number;
  readonly begin: () => void;
}

/** The turns of all costly answers. Errors: BUSY when too many wait, and the reason of the signal. */
export class LongAnswers {
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  readonly #weights = new Map<string, number>();
  #weight = 0;
  /** Resolves in the turn of the event loop in which the last request that came is looked at. */
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when it is the turn of an answer, with the function that ends it; it ends by itself after a minute. Errors: BUSY where too
   * many wait, or after `limitMs`; the reason of the signal.
   */
  async turn(caller: string, weight: number, limitMs: number, signal: AbortSignal): Promise<() => void> {
    const own = Math.min(Math.max(1, weight), MOST_OF_CALLER);
    const ofCaller = [...this.#waiting].filter((one) => one.caller === caller).length;
    if (this.#waiting.size >= MOST_WAITING || ofCaller >= MOST_WAITING_OF_CALLER) throw busy();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { caller, weight: own, begin: resolve };
    this.#waiting.add(waiting);
    this.#admit();
    try {
      await within(this.#clock, limitMs, busy, (late) => unlessAborted(promise, late), signal);
    } catch (error) {
      // It may have begun at the same moment.
      if (!this.#waiting.delete(waiting)) this.#end(waiting);
      this.#admit();
      throw error;
    }
    let cancel = () => {};
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      cancel();
      this.#end(waiting);
      this.#admit();
    };
    cancel = this.#clock.after(LONGEST_MS, end);
    return end;
  }

  /**
   * Resolves in a turn of the event loop in which no other long answer is begun or refused. Where hundreds are asked for at once, short
   * answers are given in between.
   */
  apart(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      const { caller, weight, begin } = waiting;
      const ofCaller = this.#weights.get(caller) ?? 0;
      // One caller does not hold up the others; but what is next goes first, however heavy it is.
      if (ofCaller + weight > MOST_OF_CALLER) continue;
      if (this.#weight + weight > MOST_WEIGHT) return;
      this.#waiting.delete(waiting);
      this.#weights.set(caller, ofCaller + weight);
      this.#weight += weight;
      begin();
    }
  }

  #end({ caller, weight }: Waiting): void {
    const left = (this.#weights.get(caller) ?? 0) - weight;
    if (left > 0) this.#weights.set(caller, left);
    else this.#weights.delete(caller);
    this.#weight -= weight;
  }
}

const busy = () =>
  new GatewayError('BUSY', `Too many long answers are asked for at once; try again in ${RETRY_S} s.`, {
    headers: { 'Retry-After': String(RETRY_S) },
  });
