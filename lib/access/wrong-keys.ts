/**
 * Slows down whoever tries keys, or tickets: one list for each, so that a page that comes back with an old ticket does not
 * lock out the keys of its address. After some wrong ones from an address each further one costs it a wait, twice as long
 * each time, in which none from there is looked at, right or wrong. A right one does not clear the record: otherwise
 * the holder of a viewer's key could guess at an admin's without end. After a quarter of an hour without a wrong one it is
 * forgotten; `npm run keys -- unlock` makes it forgotten at once.
 */
import type { Clock } from '../clock.ts';
import { BoundedMap } from './bounded-map.ts';

const FREE = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
const FORGET_MS = 900_000;
const MOST_ADDRESSES = 10_000;

interface Record {
  readonly count: number;
  readonly at: number;
  readonly until: number;
}

export class WrongKeys {
  readonly #clock: Clock;
  readonly #records = new BoundedMap<Record>(MOST_ADDRESSES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Time in ms for which nothing from there is looked at. */
  waitOf(prefix: string): number {
    const record = this.#records.get(prefix);
    return Math.max(0, (record?.until ?? 0) - this.#clock.elapsed());
  }

  add(prefix: string): void {
    const at = this.#clock.elapsed();
    const last = this.#records.get(prefix);
    const count = (last && at - last.at < FORGET_MS ? last.count : 0) + 1;
    const wait = count < FREE ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, count - FREE));
    this.#records.set(prefix, { count, at, until: at + wait });
  }

  forget(prefix: string): void {
    this.#records.take(prefix);
  }
}
