/**
 * Answers of the meter that are still good: while a stream is watched, who asks again so soon gets the same answer with its age,
 * and the stream goes on. A setting that is sent ends them all.
 */
import type { Clock } from '../clock.ts';

/** An answer counts as the present one for this long, ms. */
const RECENT_MS = 2_000;

interface RecentValue {
  readonly value: unknown;
  /** On the monotonic clock, ms. */
  readonly at: number;
}

/** Of one meter, for as long as its session lives. */
export class RecentValues {
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** By the text of the request. */
  readonly #values = new Map<string, RecentValue>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** The meter has just answered so. */
  keep(text: string, value: unknown): void {
    for (const [each, { at }] of this.#values) if (!this.#isRecent(at)) this.#values.delete(each);
    this.#values.set(text, { value, at: this.#clock.elapsed() });
  }

  /** The answer to this request, if there is a recent one. */
  of(text: string): RecentValue | undefined {
    const known = this.#values.get(text);
    return known && this.#isRecent(known.at) ? known : undefined;
  }

  /** They may not hold any more. */
  clear(): void {
    this.#values.clear();
  }

  #isRecent(at: number): boolean {
    return this.#clock.elapsed() - at < RECENT_MS;
  }
}
