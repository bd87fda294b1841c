/**
 * Complete replies that could not be read: their commands, how often in a row, and the last text. A request that failed
 * in this way three times in a row is asked rarely: the next reply will most likely be the same.
 */
import type { Clock } from '../clock.ts';
import type { UnreadableReply } from './contract.ts';

const TIMES = 3;
const RARELY_MS = 3_600_000;
/** The list is for a person. When it is full, the oldest entry is removed. */
const MOST = 16;

/** Replies of one meter, by request: of the 16 requests that failed last. */
export class UnreadableReplies {
  readonly #clock: Clock;
  readonly #replies = new Map<string, UnreadableReply & { readonly elapsed: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How often in a row the reply to this command could not be read, with this time. */
  add(command: string, raw: string): number {
    const times = (this.#replies.get(command)?.times ?? 0) + 1;
    this.#replies.delete(command);
    this.#replies.set(command, { command, raw, times, at: this.#clock.now(), elapsed: this.#clock.elapsed() });
    for (const oldest of [...this.#replies.keys()].slice(0, -MOST)) this.#replies.delete(oldest);
    return times;
  }

  /** Another meter answers. */
  clear(): void {
    this.#replies.clear();
  }

  /** The command was read. */
  delete(command: string): void {
    this.#replies.delete(command);
  }

  /** Whether an automatic request makes sense now. A person may always ask. */
  isWorthAsking(command: string): boolean {
    const last = this.#replies.get(command);
    return !last || last.times < TIMES || this.#clock.elapsed() - last.elapsed >= RARELY_MS;
  }

  /** Oldest first. */
  get list(): readonly UnreadableReply[] {
    return Array.from(this.#replies.values(), ({ command, raw, at, times }) => ({ command, raw, at, times }));
  }
}
