/**
 * How late the event loop is. Node measures it with a timer that wakes the process a hundred times a second, so it runs only while
 * somebody asks for it: from the first question on, until nobody has asked for ten minutes.
 */
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../clock.ts';

/** A timer with this period measures the delay: how late it fires. */
const PERIOD_MS = 10;
/** Monitoring systems ask every few seconds or minutes. */
const UNASKED_MS = 600_000;

/** Delay of the event loop, seconds: percentiles since the last question. */
export class LoopDelay {
  readonly #clock: Pick<Clock, 'after'>;
  #ticks: ELDHistogram | undefined;
  #cancel = () => {};

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Whether it is measured now. */
  get running(): boolean {
    return this.#ticks !== undefined;
  }

  /** These quantiles (0 to 1) of the delay since the last question, s. Empty for the first one: it begins the measurement. */
  sinceLastAsked(quantiles: readonly number[]): number[] {
    this.#cancel();
    this.#cancel = this.#clock.after(UNASKED_MS, () => this.close());
    const ticks = this.#ticks;
    if (!ticks) {
      this.#ticks = monitorEventLoopDelay({ resolution: PERIOD_MS });
      this.#ticks.enable();
      return [];
    }
    // In nanoseconds from one tick to the next.
    const late = quantiles.map((part) => Math.max(0, ticks.percentile(part * 100) / 1e9 - PERIOD_MS / 1_000));
    ticks.reset();
    return late;
  }

  /** Ends the measurement; the next question begins another one. */
  close(): void {
    this.#cancel();
    this.#ticks?.disable();
    this.#ticks = undefined;
  }
}
