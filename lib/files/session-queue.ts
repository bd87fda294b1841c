/** One FTP session at a time for each meter; the next caller waits, with limits for the time and for the number of callers. */
import { type Clock, within } from '../clock.ts';
import { GatewayError } from '../errors.ts';

const MOST_WAITING = 16;
const RETRY_AFTER_S = '10';

export class SessionQueue {
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** Callers that wait behind the running session; there is a key while a session runs. */
  readonly #lines = new Map<string, (() => void)[]>();
  /** Ends the running session where it gives way. */
  readonly #yields = new Map<string, () => void>();

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /**
   * Resolves with the function that ends the turn. Rejects with DEVICE_BUSY, QUEUE_TIMEOUT or the signal's reason, and
   * then the place in the queue is free. A session with `giveWay` is told to end as soon as one without it waits.
   */
  async take(key: string, signal: AbortSignal, giveWay?: () => void): Promise<() => void> {
    signal.throwIfAborted();
    const line = this.#lines.get(key);
    if (!line) this.#lines.set(key, []);
    else {
      if (!giveWay) this.#yields.get(key)?.();
      await this.#wait(line, signal);
    }
    if (giveWay) this.#yields.set(key, giveWay);
    // Others stood behind it already.
    if (giveWay && line && line.length > 0) giveWay();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#yields.delete(key);
      this.#pass(key);
    };
  }

  async #wait(line: (() => void)[], signal: AbortSignal): Promise<void> {
    if (line.length >= MOST_WAITING)
      throw new GatewayError('DEVICE_BUSY', `This meter has ${line.length} file requests waiting already.`, {
        headers: { 'Retry-After': RETRY_AFTER_S },
      });
    const late = () => tooLate(this.#waitMs);
    await within(this.#clock, this.#waitMs, late, (limit) => standIn(line, limit), signal);
  }

  /** The turn is handed over and is never free in between, so no other caller can take it. */
  #pass(key: string): void {
    const next = this.#lines.get(key)?.shift();
    if (next) next();
    else this.#lines.delete(key);
  }
}

const tooLate = (ms: number) =>
  new GatewayError('QUEUE_TIMEOUT', `Another file transfer with this meter went on for longer than ${ms} ms.`);

/** Resolves when called; one who leaves is taken out of the line. */
const standIn = (line: (() => void)[], signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    const called = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      line.splice(line.indexOf(called), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    line.push(called);
  });
