/**
 * Reports wrong keys and tickets, without the keys themselves. The log has one line per address and minute, with the
 * kind of attempt and the end of the lock. The metrics have counts.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

const MINUTE_MS = 60_000;
/** Lines a minute; more addresses are reported as a number. */
const MOST_LINES = 100;

/** `tried` is a few words without any part of the key: `an unknown API key`. */
export interface Guess {
  readonly kind: 'key' | 'ticket' | 'password';
  readonly tried: string;
}

interface Tally {
  readonly tried: Map<string, number>;
}

/** Since the start of the process. */
export interface GuessCounts {
  /** Wrong keys, and wrong passwords. */
  readonly wrongKeys: number;
  readonly wrongTickets: number;
}

/** Collects wrong keys and tickets, and writes the lines. */
export class Guesses {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lockedMs: (prefix: string) => number;
  readonly #minute = new Map<string, Tally>();
  #others = 0;
  #keys = 0;
  #tickets = 0;
  #cancel: (() => void) | undefined;

  /** `lockedMs`: for how long the address is locked out from now on. */
  constructor(clock: Clock, log: Log, lockedMs: (prefix: string) => number) {
    this.#clock = clock;
    this.#log = log;
    this.#lockedMs = lockedMs;
  }

  /** Since the process began. */
  get counts(): GuessCounts {
    return { wrongKeys: this.#keys, wrongTickets: this.#tickets };
  }

  add(prefix: string, { kind, tried }: Guess): void {
    if (kind === 'ticket') this.#tickets += 1;
    else this.#keys += 1;
    this.#cancel ??= this.#clock.after(MINUTE_MS, () => this.flush());
    const known = this.#minute.get(prefix);
    if (!known && this.#minute.size >= MOST_LINES) {
      this.#others += 1;
      return;
    }
    const tally = known ?? { tried: new Map() };
    this.#minute.set(prefix, tally);
    tally.tried.set(tried, (tally.tried.get(tried) ?? 0) + 1);
  }

  /** Writes the lines that are not yet in the log. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const [address, { tried }] of this.#minute) {
      const wait = this.#lockedMs(address);
      const count = [...tried.values()].reduce((sum, one) => sum + one, 0);
      const until = wait > 0 ? new Date(this.#clock.now() + wait).toISOString() : null;
      const about = { address, count, tried: Object.fromEntries(tried), locked_out_until: until };
      this.#log.warn(about, 'wrong API keys or tickets came from this address in the last minute');
    }
    if (this.#others > 0)
      this.#log.warn({ count: this.#others }, 'more wrong API keys or tickets from other addresses');
    this.#minute.clear();
    this.#others = 0;
  }
}
