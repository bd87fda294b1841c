/** What one unit has cost over all instances that had its session: sums that never go back, although each instance counts for itself. */
import { createCounters, METER_COUNTER_NAMES } from '../domain/fields/counters.ts';
import type { MeterCounters } from '../meter/contract.ts';

/** All 0 at first. */
export class SummedCounters {
  readonly #sums = createCounters();
  /** What each place has counted when it was last looked at. */
  readonly #seen = new Map<string, MeterCounters>();

  /** Something was counted, or could have been: the unit was used. */
  get isUsed(): boolean {
    return this.#seen.size > 0;
  }

  get sums(): MeterCounters {
    return { ...this.#sums };
  }

  /**
   * Adds what this place has counted since it was last looked at. A place that shows less has begun anew meanwhile. `isOlder`: when
   * it is first looked at, its numbers are of a time before this process, and are not added.
   */
  take(place: string, counters: MeterCounters, isOlder: boolean): void {
    const before = this.#seen.get(place) ?? (isOlder ? counters : undefined);
    const isAnew = before && METER_COUNTER_NAMES.some((name) => counters[name] < before[name]);
    for (const name of METER_COUNTER_NAMES) {
      this.#sums[name] += counters[name] - (before && !isAnew ? before[name] : 0);
    }
    this.#seen.set(place, { ...counters });
  }
}
