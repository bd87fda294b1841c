/**
 * How often each level was seen, in classes of 0.1 dB: the resolution of the meter, so a class is one reading of it. Counts
 * of parts are added; percentiles are never averaged.
 *
 *   class      ... 437   438   439 ...     the level times ten
 *   spread         |.:.|.:.|.:.|           samples of a class are spread evenly over its 0.1 dB
 */

/** Levels beyond these fall into the outermost class; no meter shows them. */
export const LOWEST = -500;
export const HIGHEST = 2_499;

/** The class of a level: its tenths of a decibel. */
export const classOf = (level: number): number => Math.min(HIGHEST, Math.max(LOWEST, Math.round(level * 10)));

export class LevelCounts {
  readonly #counts = new Uint32Array(HIGHEST - LOWEST + 1);
  #total = 0;
  #first = HIGHEST + 1;
  #last = LOWEST - 1;

  /** Number of samples. */
  get total(): number {
    return this.#total;
  }

  add(level: number, count = 1): void {
    this.addClass(classOf(level), count);
  }

  /** `tenths`: the class, as `classOf` gives it. */
  addClass(tenths: number, count: number): void {
    if (!(count > 0)) return;
    const index = tenths - LOWEST;
    if (!(index >= 0 && index < this.#counts.length)) throw new RangeError(`there is no class ${tenths}`);
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#total += count;
    this.#first = Math.min(this.#first, tenths);
    this.#last = Math.max(this.#last, tenths);
  }

  merge(other: LevelCounts): void {
    for (let tenths = other.#first; tenths <= other.#last; tenths++)
      this.addClass(tenths, other.#counts[tenths - LOWEST] ?? 0);
  }

  /** Class and count, from the lowest level up; classes without samples are left out. */
  *[Symbol.iterator](): Generator<readonly [tenths: number, count: number]> {
    for (let tenths = this.#first; tenths <= this.#last; tenths++) {
      const count = this.#counts[tenths - LOWEST] ?? 0;
      if (count > 0) yield [tenths, count];
    }
  }

  /**
   * LN: the level that is exceeded `percent` % of the time. Linear between order statistics, with the samples of a class
   * spread evenly over it; never outside the lowest and the highest level seen. Null without samples.
   */
  exceeded(percent: number): number | null {
    if (this.#total === 0) return null;
    const position = (this.#total - 1) * (1 - percent / 100);
    const below = Math.floor(position);
    const lower = this.#sample(below);
    return lower + (this.#sample(below + 1) - lower) * (position - below);
  }

  /** The level of a sample, counted from the lowest, which is 0. */
  #sample(index: number): number {
    let before = 0;
    for (const [tenths, count] of this) {
      if (index < before + count) {
        const within = (tenths + (index - before + 0.5) / count - 0.5) / 10;
        return Math.min(this.#last / 10, Math.max(this.#first / 10, within));
      }
      before += count;
    }
    return this.#last / 10;
  }
}
