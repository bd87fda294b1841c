/**
 * Slows down guessing. After some wrong tries each further wrong try doubles a wait; during the wait right ones are
 * refused, too. A right try does not clear the record: otherwise a person with a password could guess the password of
 * an admin without end. The record is forgotten after a quarter of an hour without a wrong try.
 */
import type { Clock } from '../clock.ts';
import { BoundedMap } from './bounded-map.ts';

const FIRST_WAIT_MS = 1_000;
const FORGET_MS = 900_000;
const MOST_CALLERS = 10_000;

interface Record {
  readonly count: number;
  readonly at: number;
  readonly until: number;
}

/** How many wrong tries cost no wait, and the longest wait, ms. */
export interface TryLimits {
  readonly free: number;
  readonly longestMs: number;
}

/** Limit per address: a person mistypes a few times. */
const OF_ADDRESS: TryLimits = { free: 4, longestMs: 300_000 };

/** How long each caller (address, network, name) is refused after wrong tries. */
export class WrongTries {
  readonly #clock: Clock;
  readonly #limits: TryLimits;
  readonly #records = new BoundedMap<Record>(MOST_CALLERS);

  constructor(clock: Clock, limits: TryLimits = OF_ADDRESS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Time in ms for which everything from this caller is refused. */
  waitOf(caller: string): number {
    const record = this.#records.get(caller);
    return Math.max(0, (record?.until ?? 0) - this.#clock.elapsed());
  }

  /** Wrong tries that are not forgotten. */
  countOf(caller: string): number {
    const record = this.#records.get(caller);
    return record && this.#clock.elapsed() - record.at < FORGET_MS ? record.count : 0;
  }

  add(caller: string): void {
    const { free, longestMs } = this.#limits;
    const at = this.#clock.elapsed();
    const count = this.countOf(caller) + 1;
    const wait = count <= free ? 0 : Math.min(longestMs, FIRST_WAIT_MS * 2 ** Math.min(30, count - free - 1));
    this.#records.set(caller, { count, at, until: at + wait });
  }

  forget(caller: string): void {
    this.#records.take(caller);
  }
}
