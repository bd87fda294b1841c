/** Excluded time of a query: the rest of each range, and whether its edges are exact to the second. */
import type { AskedRange, Range } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/levels.ts';

/** The time between exclusions. An interval counts only if it lies within one stretch. */
export class Stretches {
  readonly #all: readonly Range[];
  #first = 0;

  constructor(excluded: readonly Range[]) {
    const [never, ever] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    this.#all = [{ from: never, to: never }, ...excluded].map(({ to }, index) => ({
      from: to,
      to: excluded[index]?.from ?? ever,
    }));
  }

  /** Whether a range has no excluded time. The ranges come in ascending order. */
  holds(range: Range): boolean {
    const stretch = this.#after(range.from);
    return !stretch || (stretch.from <= range.from && stretch.to >= range.to);
  }

  /** The rest of a range, in order. The ranges come in ascending order. */
  partsOf(range: AskedRange): Iterable<AskedRange> {
    return this.#all.length === 1 ? [range] : this.#cut(range);
  }

  *#cut(range: AskedRange): Generator<AskedRange> {
    this.#after(range.from);
    for (let index = this.#first; index < this.#all.length; index++) {
      const stretch = this.#all[index];
      if (!stretch || stretch.from >= range.to) return;
      const part = commonOf(range, stretch);
      // The same object for each range of a stretch, because it is the key of the view of an hour.
      if (part.to > part.from) yield { ...part, within: range.within ? commonOf(range.within, stretch) : stretch };
    }
  }

  /** The first stretch that ends after this time. Undefined for the infinite time of a span without levels. */
  #after(time: number): Range | undefined {
    for (let next = this.#all[this.#first]; next && next.to <= time; next = this.#all[this.#first]) this.#first += 1;
    return this.#all[this.#first];
  }
}

const commonOf = (one: Range, other: Range): Range => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to),
});

/** The hours in which a minute is cut by an edge, ascending. */
export function cutHours(excluded: readonly Range[], span: Range): number[] {
  const edges = excluded.flatMap(({ from, to }) => [from, to]);
  const cutting = edges.filter((at) => at % 60 !== 0 && at > span.from && at < span.to);
  return [...new Set(cutting.map((at) => Math.floor(at / SECONDS_AN_HOUR)))];
}
