/**
 * How often each level was seen, in classes of 0.1 dB: the resolution of the meter, so a class is one reading of it. Counts
 * of parts are added; percentiles are never averaged.
 *
 *   class      ... 437   438   439 ...     the level times ten
 *   spread         |.:.|.:.|.:.|           samples of a class are spread evenly over its 0.1 dB
 */

/** Levels beyond these fall into the outermost class; no meter shows them. */
export const LOWEST = -500;
/** Tenths of a dB, as `LOWEST`. */
export const HIGHEST = 2_499;

/** The class of a level: its tenths of a decibel. */
const classOf = (level: number): number => Math.min(HIGHEST, Math.max(LOWEST, Math.round(level * 10)));

/** Room is made in steps of so many classes: one level needs little memory, and a sum grows seldom. */
const ROOM = 64;

/**
 * The only table of level counts: of days, of queries over a year of minutes, and of the windows of rules. `add` and
 * `merge` sum up. `removeClass` removes counts that leave a sliding window. `clear` starts again and keeps the memory.
 */
export class LevelCounts {
  #counts = new Float64Array(0);
  #base = 0;
  #total = 0;
  #first = HIGHEST + 1;
  #last = LOWEST - 1;

  get total(): number {
    return this.#total;
  }

  /** A level in dB, seen `count` times. */
  add(level: number, count = 1): void {
    this.addClass(classOf(level), count);
  }

  /** `tenths`: the class, from `classOf`. Throws RangeError for an impossible class. */
  addClass(tenths: number, count: number): void {
    if (!(count > 0)) return;
    if (tenths < this.#first || tenths > this.#last) this.#widen(tenths);
    const at = tenths - this.#base;
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
    this.#total += count;
  }

  /** Removes earlier counts. Throws RangeError for more than were added. */
  removeClass(tenths: number, count: number): void {
    if (!(count > 0)) return;
    const left = this.#count(tenths) - count;
    if (!(left >= 0)) throw new RangeError(`there are fewer than ${count} samples in class ${tenths}`);
    this.#counts[tenths - this.#base] = left;
    this.#total -= count;
    if (this.#total === 0) this.clear();
    // The outermost classes with samples bound every percentile.
    while (this.#first < this.#last && this.#count(this.#first) === 0) this.#first++;
    while (this.#first < this.#last && this.#count(this.#last) === 0) this.#last--;
  }

  /** The samples of another table too. */
  merge(other: LevelCounts): void {
    for (let tenths = other.#first; tenths <= other.#last; tenths++) this.addClass(tenths, other.#count(tenths));
  }

  clear(): void {
    if (this.#total > 0) this.#counts.fill(0, this.#first - this.#base, this.#last - this.#base + 1);
    this.#total = 0;
    this.#first = HIGHEST + 1;
    this.#last = LOWEST - 1;
  }

  /** Class and count, from the lowest level up; classes without samples are left out. */
  *[Symbol.iterator](): Generator<readonly [tenths: number, count: number]> {
    for (let tenths = this.#first; tenths <= this.#last; tenths++) {
      const count = this.#count(tenths);
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
    const wanted = Math.floor(position);
    let before = 0;
    for (let tenths = this.#first; tenths <= this.#last; tenths++) {
      const count = this.#count(tenths);
      if (wanted >= before + count) {
        before += count;
        continue;
      }
      const lower = this.#within(tenths, wanted - before);
      const upper = wanted + 1 < before + count ? this.#within(tenths, wanted + 1 - before) : this.#above(tenths);
      return lower + (upper - lower) * (position - wanted);
    }
    return this.#last / 10;
  }

  #count(tenths: number): number {
    return this.#counts[tenths - this.#base] ?? 0;
  }

  /** Only between the lowest and the highest level. */
  #within(tenths: number, sample: number): number {
    const level = (tenths + (sample + 0.5) / this.#count(tenths) - 0.5) / 10;
    return Math.min(this.#last / 10, Math.max(this.#first / 10, level));
  }

  #above(tenths: number): number {
    for (let above = tenths + 1; above <= this.#last; above++)
      if (this.#count(above) > 0) return this.#within(above, 0);
    return this.#last / 10;
  }

  #widen(tenths: number): void {
    if (!(tenths >= LOWEST && tenths <= HIGHEST)) throw new RangeError(`there is no class ${tenths}`);
    this.#first = Math.min(this.#first, tenths);
    this.#last = Math.max(this.#last, tenths);
    const { length } = this.#counts;
    if (tenths >= this.#base && tenths < this.#base + length) return;
    const start = Math.floor(tenths / ROOM) * ROOM;
    const base = length > 0 ? Math.min(this.#base, start) : start;
    const counts = new Float64Array(Math.max(start + ROOM, this.#base + length) - base);
    counts.set(this.#counts, Math.max(0, this.#base - base));
    this.#counts = counts;
    this.#base = base;
  }
}
