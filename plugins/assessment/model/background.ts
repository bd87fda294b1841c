/** Distribution of LA90 of each quarter of an hour. A person chooses the representative level. */

/** Levels in classes of 1 dB: class 43 holds 42.5 up to 43.5. */
export interface Spread {
  readonly count: number;
  /** From the lowest up, without empty ones. */
  readonly classes: readonly { readonly level: number; readonly count: number }[];
  /** The class with the most; of equals the lowest, which is the stricter one. Null without levels. */
  readonly mode: number | null;
  readonly median: number | null;
  readonly lowest: number | null;
  readonly highest: number | null;
}

export function spreadOf(levels: readonly number[]): Spread {
  const sorted = levels.toSorted((one, other) => one - other);
  const counts = new Map<number, number>();
  // The noise of sums of energy must not move 42.5 into the class below.
  for (const level of sorted) {
    const name = Math.round(Number(level.toFixed(6)));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const classes = [...counts].map(([level, count]) => ({ level, count }));
  const most = Math.max(0, ...classes.map(({ count }) => count));
  const middle = Math.floor(sorted.length / 2);
  const [lower, upper] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return {
    count: sorted.length,
    classes,
    mode: classes.find(({ count }) => count === most)?.level ?? null,
    median: lower === undefined || upper === undefined ? null : (lower + upper) / 2,
    lowest: sorted[0] ?? null,
    highest: sorted.at(-1) ?? null,
  };
}
