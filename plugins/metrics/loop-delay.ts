/**
 * Delay of the event loop. Node measures it with a timer that wakes the process a hundred times a second. So the
 * measurement runs only from a first request until ten minutes after the last request.
 */
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../lib/index.ts';

/** A timer with this period measures the delay: how late it fires. */
const PERIOD_MS = 10;
/** Monitoring systems ask every few seconds or minutes. */
const UNASKED_MS = 600_000;
/** Upper edges of the classes, s. */
const EDGES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5] as const;
/** Halvings that find the share exactly for some millions of measurements. */
const HALVINGS = 30;

/** Measurements since the start of the process. They only grow, so any number of monitoring systems may ask. */
export interface MeasuredDelay {
  readonly count: number;
  /** Sum of the delays, s. */
  readonly sum: number;
  /** For each upper edge (s), the number of measurements up to it. */
  readonly classes: readonly (readonly [edge: number, count: number])[];
}

const NONE: MeasuredDelay = { count: 0, sum: 0, classes: EDGES.map((edge) => [edge, 0]) };

export class LoopDelay {
  readonly #clock: Pick<Clock, 'after'>;
  #ticks: ELDHistogram | undefined;
  #cancel = () => {};
  #before = NONE;
  #present = NONE;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get running(): boolean {
    return this.#ticks !== undefined;
  }

  /** All measurements until now. The first request starts the measurement. */
  get measured(): MeasuredDelay {
    this.#cancel();
    this.#cancel = this.#clock.after(UNASKED_MS, () => this.close());
    if (this.#ticks) this.#present = grown(this.#present, this.#ticks);
    else {
      this.#ticks = monitorEventLoopDelay({ resolution: PERIOD_MS });
      this.#ticks.enable();
    }
    return added(this.#before, this.#present);
  }

  /** Ends the measurement; the next request starts another one, and the counts stay. */
  close(): void {
    this.#cancel();
    if (this.#ticks) this.#before = added(this.#before, grown(this.#present, this.#ticks));
    this.#present = NONE;
    this.#ticks?.disable();
    this.#ticks = undefined;
  }
}

const added = (one: MeasuredDelay, other: MeasuredDelay): MeasuredDelay => ({
  count: one.count + other.count,
  sum: one.sum + other.sum,
  classes: one.classes.map(([edge, count], index) => [edge, count + (other.classes[index]?.[1] ?? 0)]),
});

/** Never less than before: rounding must not look like a restart. The histogram is not reset: Node would then leave out the next tick. */
function grown(before: MeasuredDelay, ticks: ELDHistogram): MeasuredDelay {
  const { count } = ticks;
  if (count === 0) return before;
  // In nanoseconds from one tick to the next.
  const sum = count * (ticks.mean / 1e9 - PERIOD_MS / 1_000);
  const upTo = (edge: number) => Math.round(count * shareUpTo(ticks, edge));
  return {
    count,
    sum: Math.max(before.sum, sum),
    classes: before.classes.map(([edge, last]) => [edge, Math.max(last, upTo(edge))]),
  };
}

function shareUpTo(ticks: ELDHistogram, late: number): number {
  const limit = (late + PERIOD_MS / 1_000) * 1e9;
  if (ticks.max <= limit) return 1;
  if (ticks.min > limit) return 0;
  let [below, above] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (below + above) / 2;
    // Node takes percentiles above 0 only.
    if (ticks.percentile(Math.max(1e-6, middle * 100)) <= limit) below = middle;
    else above = middle;
  }
  return below;
}
