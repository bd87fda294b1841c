/**
 * The samples of the seconds of one minute: ascending classes of 0.1 dB, at most ten per second. A second needs no new
 * object.
 */
import { classIndex } from './counts.ts';
import { STEPS_A_SECOND } from './levels.ts';

const SECONDS_A_MINUTE = 60;

/** Used again for another minute after `clear`. */
export class SampleMinute {
  readonly #classes = new Uint16Array(SECONDS_A_MINUTE * STEPS_A_SECOND);
  readonly #counts = new Uint8Array(SECONDS_A_MINUTE);

  /** `levels`: hundredths of a dB, in any order. */
  put(second: number, levels: readonly number[]): void {
    const begin = second * STEPS_A_SECOND;
    let end = begin;
    for (const level of levels) {
      const index = classIndex(level);
      let place = end++;
      for (; place > begin && (this.#classes[place - 1] ?? 0) > index; place--)
        this.#classes[place] = this.#classes[place - 1] ?? 0;
      this.#classes[place] = index;
    }
    this.#counts[second] = levels.length;
  }

  of(second: number): Uint16Array {
    const begin = second * STEPS_A_SECOND;
    return this.#classes.subarray(begin, begin + (this.#counts[second] ?? 0));
  }

  clear(from = 0, to = SECONDS_A_MINUTE): void {
    this.#counts.fill(0, from, to);
  }

  get isEmpty(): boolean {
    return this.#counts.every((count) => count === 0);
  }

  /**
   * The number of samples of each second. Then the samples: the first one relative to the second before, each further
   * sample relative to its predecessor.
   */
  write(put: (value: number) => void): void {
    let first = 0;
    for (let second = 0; second < SECONDS_A_MINUTE; second++) {
      const count = this.#counts[second] ?? 0;
      put(count);
      let before = first;
      for (let place = 0; place < count; place++) {
        const index = this.#classes[second * STEPS_A_SECOND + place] ?? 0;
        const difference = index - before;
        put(place === 0 ? (difference << 1) ^ (difference >> 31) : difference);
        before = index;
        if (place === 0) first = index;
      }
    }
  }

  /** Reads the output of `write`. Throws RangeError if the numbers are not samples. */
  read(next: () => number): void {
    let first = 0;
    for (let second = 0; second < SECONDS_A_MINUTE; second++) {
      const count = next();
      if (count > STEPS_A_SECOND) throw new RangeError('a second has more samples than steps');
      this.#counts[second] = count;
      let before = first;
      for (let place = 0; place < count; place++) {
        const value = next();
        before += place === 0 ? (value >>> 1) ^ -(value & 1) : value;
        if (place === 0) first = before;
        this.#classes[second * STEPS_A_SECOND + place] = before;
      }
    }
  }
}
