/** The two means of a measurement that look at parts of it: Leq,mov over a sliding window and Ltm5 over blocks of five seconds. */

/** So a window of a day takes no more memory than a window of an hour. */
const MOST_PARTS = 3600;

/**
 * Leq,mov: the mean of the last window, in parts of one second (longer parts when the window is above an hour). Before the
 * window is full it is the mean of the parts there are.
 */
export class MovingMean {
  readonly #partSteps: number;
  readonly #parts: Float64Array;
  #complete = 0;
  #sum = 0;
  #steps = 0;

  constructor(windowMs: number, stepMs: number) {
    const partMs = 1000 * Math.ceil(windowMs / 1000 / MOST_PARTS);
    this.#partSteps = partMs / stepMs;
    this.#parts = new Float64Array(Math.max(1, Math.round(windowMs / partMs)));
  }

  add(energy: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#sum += energy[i] as number;
      this.#steps += 1;
      if (this.#steps === this.#partSteps) this.#close();
    }
  }

  #close(): void {
    this.#parts[this.#complete % this.#parts.length] = this.#sum / this.#steps;
    this.#complete += 1;
    this.#sum = 0;
    this.#steps = 0;
  }

  /** Mean square, or null before the first part is complete. */
  get mean(): number | null {
    const count = Math.min(this.#complete, this.#parts.length);
    if (count === 0) return null;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += this.#parts[i] as number;
    return sum / count;
  }
}

const TAKT_MS = 5000;

/** Ltm5: the energy mean of the Lmax of successive blocks of five seconds; only complete blocks count. */
export class TaktMaximum {
  readonly #taktSteps: number;
  #highest = 0;
  #steps = 0;
  #sum = 0;
  #count = 0;

  constructor(stepMs: number) {
    this.#taktSteps = TAKT_MS / stepMs;
  }

  add(weighted: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      if ((weighted[i] as number) > this.#highest) this.#highest = weighted[i] as number;
      this.#steps += 1;
      if (this.#steps === this.#taktSteps) this.#close();
    }
  }

  #close(): void {
    this.#sum += this.#highest;
    this.#count += 1;
    this.#highest = 0;
    this.#steps = 0;
  }

  /** Mean square, or null before the first block is complete. */
  get mean(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}
