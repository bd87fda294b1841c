/**
 * Real time with a speed that can be changed while it runs, also to 0. It can jump forward, too. A timer is never early; how
 * late it is depends on the machine.
 */
import { LONGEST_TIMEOUT } from '../clock.ts';
import type { Clock } from '../contract.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
  handle: NodeJS.Timeout | null;
}

const HAIR_MS = 1e-6;
/** Times real time. */
export const FASTEST = 1_000;

/** Begins at the speed of real time. */
export class PacedClock implements Clock {
  readonly #epoch = Date.now();
  readonly #timers = new Set<Timer>();
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
    const timer: Timer = { due: this.elapsed() + Math.max(0, ms), order: this.#order++, fire, handle: null };
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
      for (let next = this.#next(end); next; next = this.#next(end)) {
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

  #arm(timer: Timer): void {
    if (timer.handle) clearTimeout(timer.handle);
    timer.handle = null;
    if (this.#held > 0 || this.#speed === 0) return;
    const wait = Math.min(LONGEST_TIMEOUT, Math.max(0, timer.due - this.elapsed()) / this.#speed);
    timer.handle = setTimeout(() => this.#ring(timer), wait);
  }

  #ring(timer: Timer): void {
    if (timer.due > this.elapsed() + HAIR_MS) {
      this.#arm(timer);
      return;
    }
    this.#forget(timer);
    timer.fire();
  }

  #forget(timer: Timer): void {
    if (timer.handle) clearTimeout(timer.handle);
    this.#timers.delete(timer);
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      const sooner = !next || timer.due < next.due || (timer.due === next.due && timer.order < next.order);
      if (timer.due <= end && sooner) next = timer;
    }
    return next;
  }
}
