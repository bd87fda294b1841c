/**
 * Slows down callers that guess keys or tickets. There is one list for each, so that a page that comes back with an old ticket
 * does not lock out the keys of its address. After some wrong ones from an address, each further one costs a wait that
 * doubles; during the wait all keys from this address are refused, valid ones too. A valid key does not clear the record:
 * otherwise the holder of a viewer's key could guess an admin's key without end. The record is forgotten after a quarter of
 * an hour without a wrong key, or at once with `npm run keys -- unlock`.
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

/** How long each address is refused after wrong keys. */
export class WrongKeys {
  readonly #clock: Clock;
  readonly #records = new BoundedMap<Record>(MOST_ADDRESSES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Time in ms for which everything from this address is refused. */
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
