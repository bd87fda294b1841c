/** Which units a member gives away, so that no more than a few are without a session at a time, and those whose sessions end stay the same. */

/** Of one member. Times by its monotonic clock, ms. */
export class Moves {
  readonly #most: number;
  readonly #everyMs: number;
  /** When each began to move, also those that are gone already. */
  readonly #begun = new Map<string, number>();
  #present: ReadonlySet<string> = new Set();
  #mayBegin = true;

  /** At most `most` at a time, and in `everyMs`. */
  constructor(most: number, everyMs: number) {
    this.#most = most;
    this.#everyMs = everyMs;
  }

  /** So many of these units may move now, with those that do already: no more than these where `mayBegin` is false. */
  allowed(units: ReadonlySet<string>, elapsed: number, mayBegin: boolean): number {
    this.#mayBegin = mayBegin;
    const moving = [...this.#present].filter((unit) => units.has(unit)).length;
    if (!mayBegin) return moving;
    const young = [...this.#begun.values()].filter((at) => this.#isYoung(at, elapsed)).length;
    return Math.min(this.#most, moving + Math.max(0, this.#most - young));
  }

  /** True for a unit that moves. */
  has(unit: string): boolean {
    return this.#present.has(unit);
  }

  /** True for a unit that may not begin to move, as `allowed` was told last: also not in place of one that moved and stays now, or is removed. */
  mustWait(unit: string): boolean {
    return !this.#mayBegin && !this.has(unit);
  }

  /** These move now. */
  are(units: readonly string[], elapsed: number): void {
    for (const unit of units) if (!this.#present.has(unit)) this.#begun.set(unit, elapsed);
    this.#present = new Set(units);
    for (const [unit, at] of this.#begun)
      if (!this.#present.has(unit) && !this.#isYoung(at, elapsed)) this.#begun.delete(unit);
  }

  #isYoung(at: number, elapsed: number): boolean {
    return elapsed - at < this.#everyMs;
  }
}
