/**
 * Time for the simulator: real, possibly faster, or virtual and moved by the test. The virtual clock fits every
 * part that takes a clock, so one clock moves a meter and its client together.
 */
import type { Clock } from './contract.ts';
import { nextOf, PacedClock, type Timer } from './control/paced-clock.ts';

/** Real time, `speed` times as fast: at 10 an hour of the meter takes six minutes. */
export const realClock = (speed = 1): Clock => new PacedClock(speed);

/** Christmas Eve 2025, 02:00 UTC: the night that the field log is from. */
const DEFAULT_START = Date.UTC(2025, 11, 24, 2);

/**
 * Time that moves only when the test moves it. `timersOnly`: only its timers drive the code that uses it, no socket and no file. It
 * then waits only where one fires.
 */
export class VirtualClock implements Clock {
  readonly #start: number;
  readonly #timersOnly: boolean;
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #order = 0;

  constructor(start = DEFAULT_START, { timersOnly = false } = {}) {
    this.#start = start;
    this.#timersOnly = timersOnly;
  }

  /**
   * Timers fire between two milliseconds, too. The clock then shows the millisecond that has begun, like the clock of a
   * computer.
   */
  now(): number {
    return Math.floor(this.#start + this.#elapsed);
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, fire: () => void): () => void {
    const timer = { due: this.#elapsed + Math.max(0, ms), order: this.#order++, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on by `ms`. Timers fire at their own time, in order; their work runs before the next timer fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (let next = nextOf(this.#timers, end); next; next = nextOf(this.#timers, end)) {
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.fire();
      await settle();
    }
    this.#elapsed = Math.max(this.#elapsed, end);
  }

  /**
   * Moves on, a little each turn of the event loop, until `work` settles. Sockets and files get their turn in between, so a
   * deadline cannot overtake bytes that are already on their way. Gives up after `limitMs` of virtual time.
   */
  async until<T>(work: Promise<T>, { stepMs = 20, limitMs = 3_600_000 } = {}): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    work.then(mark, mark);
    const limit = this.#elapsed + limitMs;
    await turn();
    while (!settled) {
      if (this.#elapsed >= limit) throw new Error(`still pending after ${limitMs} ms of virtual time`);
      await this.advance(stepMs * (await this.#stepsToNext(stepMs, limit)));
      await turn();
    }
    return work;
  }

  /** Moves on by `ms`, a little each turn of the event loop, as `until` does. */
  async pass(ms: number, { stepMs = 50 } = {}): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.advance(Math.min(stepMs, left));
      await turn();
    }
  }

  async #stepsToNext(stepMs: number, end: number): Promise<number> {
    if (!this.#timersOnly) return 1;
    await settle();
    return Math.max(1, Math.ceil(((nextOf(this.#timers, end)?.due ?? end) - this.#elapsed) / stepMs));
  }
}

/**
 * Lets promises, and input that is already here, run their course. The end of a connection takes the most rounds: end,
 * shutdown, finish, close on one side after the close on the other. With four a timer could overtake it.
 */
const settle = () =>
  new Promise<void>((resolve) => {
    const round = (left: number) => (left === 0 ? resolve() : setImmediate(round, left - 1));
    round(8);
  });

/**
 * Work that takes real time, such as a process: virtual time waits for it as for files. Its starter adds it, and takes it
 * out.
 */
export const realWork: Set<object> = new Set();

/** Real time that such work gets at most, ms. Then virtual time goes on without it: a read that hangs must not hang the clock. */
const FILES_WAIT = 250;

/** One real turn: time for the kernel to deliver what was written on loopback, and for files that are being read or written. */
async function turn(): Promise<void> {
  const begun = performance.now();
  do await new Promise<void>((resolve) => setTimeout(resolve, 1));
  while ((realWork.size > 0 || filesAreBusy()) && performance.now() - begun < FILES_WAIT);
}

const filesAreBusy = () => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
