/** Messages that the gateway ignored: all are counted, and one in a minute is logged. */
import type { Host } from '../../lib/index.ts';

/** The shortest time between two log lines, ms. */
const LOG_MS = 60_000;

/** `text`: the message of the log. */
export class Refusals {
  readonly #host: Pick<Host, 'clock' | 'log'>;
  readonly #text: string;
  #count = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(host: Pick<Host, 'clock' | 'log'>, text: string) {
    this.#host = host;
    this.#text = text;
  }

  /** Since the start. */
  get count(): number {
    return this.#count;
  }

  add(why: string, topic?: string): void {
    this.#count += 1;
    const now = this.#host.clock.elapsed();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    const about = { refused: this.#count, ...(topic !== undefined && { topic: topic.slice(0, 100) }), why };
    this.#host.log.warn(about, this.#text);
  }
}
