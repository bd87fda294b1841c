/** Limits of requests and of wrong keys, passwords and tickets, each in bounded memory. */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** A map that forgets its oldest entry when it is full: unknown callers must not be able to fill the memory. */
export class BoundedMap<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#most) this.#entries.delete(oldest);
    this.#entries.set(key, value);
  }

  take(key: string): Value | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}

const MOST_CALLERS = 10_000;

interface RateSettings {
  /** 0: no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

/** A bucket of tokens for each caller, filled at a steady rate. Of more than 10,000 callers the oldest are forgotten. */
export class Rate {
  #settings: RateSettings;
  readonly #clock: Clock;
  readonly #buckets = new BoundedMap<{ readonly tokens: number; readonly at: number }>(MOST_CALLERS);

  constructor(settings: RateSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  change(settings: RateSettings): void {
    this.#settings = settings;
  }

  /** The time in ms after which the caller may try again; 0: this request may pass. */
  take(caller: string): number {
    const { perSecond, burst } = this.#settings;
    if (perSecond === 0) return 0;
    const at = this.#clock.elapsed();
    const last = this.#buckets.get(caller) ?? { tokens: burst, at };
    const tokens = Math.min(burst, last.tokens + ((at - last.at) * perSecond) / 1_000);
    const passes = tokens >= 1;
    this.#buckets.set(caller, { tokens: passes ? tokens - 1 : tokens, at });
    return passes ? 0 : ((1 - tokens) * 1_000) / perSecond;
  }
}

const FIRST_WAIT_MS = 1_000;
const FORGET_MS = 900_000;
const MOST_TRIERS = 10_000;

interface TriesOf {
  readonly count: number;
  readonly at: number;
  readonly until: number;
}

/** How many wrong tries cost no wait, and the longest wait, ms. */
interface TryLimits {
  readonly free: number;
  readonly longestMs: number;
}

/** Limit per address: a person mistypes a few times. */
const OF_ADDRESS: TryLimits = { free: 4, longestMs: 300_000 };

/**
 * Slows down guessing. After some wrong tries each further wrong try doubles a wait; during the wait right ones are
 * refused, too. A right try does not clear the record: otherwise a person with a password could guess the password of
 * an admin without end. The record is forgotten after a quarter of an hour without a wrong try.
 *
 * How long each caller (address, network, name) is refused after wrong tries.
 */
export class WrongTries {
  readonly #clock: Clock;
  readonly #limits: TryLimits;
  readonly #records = new BoundedMap<TriesOf>(MOST_TRIERS);

  constructor(clock: Clock, limits: TryLimits = OF_ADDRESS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  waitOf(caller: string): number {
    const record = this.#records.get(caller);
    return Math.max(0, (record?.until ?? 0) - this.#clock.elapsed());
  }

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

const MINUTE_MS = 60_000;
/** Lines a minute; more addresses are reported as a number. */
const MOST_LINES = 100;

export interface Guess {
  readonly kind: 'key' | 'ticket' | 'password' | 'invitation';
  readonly tried: string;
}

export interface GuessCounts {
  /** Wrong keys, passwords and invitations. */
  readonly wrongKeys: number;
  readonly wrongTickets: number;
}

/** The log gets one line per address and minute, without the keys, with the end of the lock. The metrics have counts. */
export class Guesses {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lockedMs: (prefix: string) => number;
  readonly #minute = new Map<string, Map<string, number>>();
  #others = 0;
  #keys = 0;
  #tickets = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, log: Log, lockedMs: (prefix: string) => number) {
    this.#clock = clock;
    this.#log = log;
    this.#lockedMs = lockedMs;
  }

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
    const tally = known ?? new Map<string, number>();
    this.#minute.set(prefix, tally.set(tried, (tally.get(tried) ?? 0) + 1));
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const [address, tried] of this.#minute) {
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
