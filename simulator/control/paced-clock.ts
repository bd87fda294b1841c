/**
 * Real time with a speed that can be changed while it runs, also to 0. It can jump forward, too. A timer is never early; how
 * late it is depends on the machine.
 */
import type { Clock } from '../contract.ts';

/** A timer of a clock that is moved. */
export interface Timer {
  readonly due: number;
  /** Of timers that are due at once, the first one fires first. */
  readonly order: number;
  readonly fire: () => void;
}

interface RealTimer extends Timer {
  handle: NodeJS.Timeout | null;
}

/** Of one timer of Node, ms: 24.8 days. It fires at once where more is asked for. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

const HAIR_MS = 1e-6;
export const FASTEST = 1_000;

export class PacedClock implements Clock {
  readonly #epoch = Date.now();
  readonly #timers = new Set<RealTimer>();
  #at = 0;
  #since = performance.now();
  #speed: number;
  /** Time is being moved: meanwhile it does not run. */
  #held = 0;
  #order = 0;
  #moving: Promise<void> = Promise.resolve();

  constructor(speed = 1) {
    this.#speed = speed;
  }

  now(): number {
    return Math.floor(this.#epoch + this.elapsed());
  }

  elapsed(): number {
    return this.#held > 0 ? this.#at : this.#at + (performance.now() - this.#since) * this.#speed;
  }

  after(ms: number, fire: () => void): () => void {
    const timer: RealTimer = { due: this.elapsed() + Math.max(0, ms), order: this.#order++, fire, handle: null };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#forget(timer);
  }

  get speed(): number {
    return this.#speed;
  }

  /** 0 stops the time. Throws a RangeError below 0 and above `FASTEST`. */
  set speed(speed: number) {
    if (!(speed >= 0 && speed <= FASTEST)) throw new RangeError(`speed is from 0 to ${FASTEST}, not ${speed}`);
    this.#mark();
    this.#speed = speed;
    this.#armAll();
  }

  /** Moves on by `ms`; timers fire in order, and their work has its turn. Two calls run one after the other. */
  advance(ms: number): Promise<void> {
    const moved = this.#moving.then(() => this.#move(ms));
    this.#moving = moved.catch(() => {});
    return moved;
  }

  async #move(ms: number): Promise<void> {
    this.#mark();
    this.#held += 1;
    this.#armAll();
    const end = this.#at + ms;
    try {
      for (let next = nextOf(this.#timers, end); next; next = nextOf(this.#timers, end)) {
        this.#forget(next);
        this.#at = Math.max(this.#at, next.due);
        next.fire();
        for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      this.#at = end;
    } finally {
      this.#held -= 1;
      this.#since = performance.now();
      this.#armAll();
    }
  }

  #mark(): void {
    this.#at = this.elapsed();
    this.#since = performance.now();
  }

  #armAll(): void {
    for (const timer of this.#timers) this.#arm(timer);
  }

  #arm(timer: RealTimer): void {
    if (timer.handle) clearTimeout(timer.handle);
    timer.handle = null;
    if (this.#held > 0 || this.#speed === 0) return;
    const wait = Math.min(LONGEST_TIMEOUT, Math.max(0, timer.due - this.elapsed()) / this.#speed);
    timer.handle = setTimeout(() => this.#ring(timer), wait);
  }

  #ring(timer: RealTimer): void {
    if (timer.due > this.elapsed() + HAIR_MS) {
      this.#arm(timer);
      return;
    }
    this.#forget(timer);
    timer.fire();
  }

  #forget(timer: RealTimer): void {
    if (timer.handle) clearTimeout(timer.handle);
    this.#timers.delete(timer);
  }
}

/** The first timer that is due by `end`. */
export function nextOf<T extends Timer>(timers: Iterable<T>, end: number): T | undefined {
  let next: T | undefined;
  for (const timer of timers) {
    const sooner = !next || timer.due < next.due || (timer.due === next.due && timer.order < next.order);
    if (timer.due <= end && sooner) next = timer;
  }
  return next;
}
