/** Wrong links: counted, slowed down like wrong passwords, and logged once a minute without the links. */
import { addressPrefix, type Clock, GatewayError, type Log, WrongTries } from '../../lib/index.ts';

const MINUTE_MS = 60_000;

/** Counts callers who tried links that never existed. */
export class WrongLinks {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #waits: WrongTries;
  #count = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#waits = new WrongTries(clock);
  }

  /** During the pause, right links are refused, too. Errors: TOO_MANY_REQUESTS with the seconds to wait. */
  check(address: string): void {
    const wait = this.#waits.waitOf(addressPrefix(address));
    if (wait <= 0) return;
    const seconds = Math.ceil(wait / 1_000);
    const headers = { 'Retry-After': String(seconds) };
    throw new GatewayError(
      'TOO_MANY_REQUESTS',
      `Too many wrong links came from this address; try again in ${seconds} s.`,
      {
        headers,
      },
    );
  }

  add(address: string): void {
    this.#waits.add(addressPrefix(address));
    this.#count += 1;
    this.#cancel ??= this.#clock.after(MINUTE_MS, () => this.flush());
  }

  /** Writes the count that is not in the log yet. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#count > 0)
      this.#log.warn({ count: this.#count }, 'links of shares that never were came in the last minute');
    this.#count = 0;
  }
}
