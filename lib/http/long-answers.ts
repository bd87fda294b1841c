/**
 * Answers that cost memory and time, such as a year of levels, take turns. Their total weight is limited, per caller and
 * for all. When too many wait, the next answer is refused.
 */
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError } from '../errors.ts';

/** The callers get turns one after the other, however many items each has. */
export class CallersInTurn<Item> {
  /** The caller with the next turn is first. Items of a caller are in the order of their arrival. */
  readonly #waiting = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  countOf(caller: string): number {
    return this.#waiting.get(caller)?.size ?? 0;
  }

  add(caller: string, item: Item): void {
    this.#waiting.set(caller, (this.#waiting.get(caller) ?? new Set()).add(item));
    this.#size += 1;
  }

  *firsts(): Generator<readonly [caller: string, item: Item]> {
    for (const [caller, items] of this.#waiting)
      for (const item of items) {
        yield [caller, item];
        break;
      }
  }

  /** Removes an item. Its caller then goes to the end of the row. */
  take(caller: string, item: Item): void {
    const own = this.#waiting.get(caller);
    this.remove(caller, item);
    if (!own || own.size === 0) return;
    this.#waiting.delete(caller);
    this.#waiting.set(caller, own);
  }

  /** False if the item does not wait. */
  remove(caller: string, item: Item): boolean {
    const own = this.#waiting.get(caller);
    if (!own?.delete(item)) return false;
    if (own.size === 0) this.#waiting.delete(caller);
    this.#size -= 1;
    return true;
  }
}

/** Weights are days of one meter. A heavier answer is made alone. */
const MOST_WEIGHT = 740;
const MOST_OF_CALLER = 370;
/** At this number of waiting answers, a caller that already waits is refused. */
const MOST_WAITING = 100;
const MOST_WAITING_OF_CALLER = 20;
const MOST_CALLERS = 1_000;
/** A slow reader of an answer holds its place no longer than this, ms. */
const LONGEST_MS = 60_000;
const RETRY_S = 5;

/** Cost of a file with all stored data of a kind, such as a ZIP, in days of one meter. A caller gets ten at once. */
export const EXPORT_COST = MOST_OF_CALLER / 10;

interface Waiting {
  readonly caller: string;
  readonly weight: number;
  readonly begin: () => void;
}

/** The turns of all costly answers. */
export class LongAnswers {
  readonly #clock: Clock;
  readonly #waiting = new CallersInTurn<Waiting>();
  readonly #weights = new Map<string, number>();
  #weight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves at the turn of an answer, with the function that ends the turn; after a minute the turn ends by itself.
   * Errors: BUSY when too many wait, or after `limitMs`; the reason of the signal.
   */
  async turn(caller: string, weight: number, limitMs: number, signal: AbortSignal): Promise<() => void> {
    const own = Math.min(Math.max(1, weight), MOST_OF_CALLER);
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { caller, weight: own, begin: resolve };
    this.#add(waiting);
    this.#admit();
    try {
      await within(this.#clock, limitMs, busy, (late) => unlessAborted(promise, late), signal);
    } catch (error) {
      // The turn may have begun at the same moment.
      if (!this.#waiting.remove(caller, waiting)) this.#end(waiting);
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

  #add(waiting: Waiting): void {
    const most = this.#waiting.size < MOST_WAITING ? MOST_WAITING_OF_CALLER : 1;
    if (this.#waiting.countOf(waiting.caller) >= most || this.#waiting.size >= MOST_CALLERS) throw busy();
    this.#waiting.add(waiting.caller, waiting);
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { caller, weight, begin } = next;
      this.#waiting.take(caller, next);
      this.#weights.set(caller, (this.#weights.get(caller) ?? 0) + weight);
      this.#weight += weight;
      begin();
    }
  }

  /** A caller does not hold up the others. But the next answer goes first, however heavy it is. */
  #next(): Waiting | undefined {
    for (const [caller, first] of this.#waiting.firsts()) {
      if ((this.#weights.get(caller) ?? 0) + first.weight > MOST_OF_CALLER) continue;
      return this.#weight + first.weight > MOST_WEIGHT ? undefined : first;
    }
    return undefined;
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
