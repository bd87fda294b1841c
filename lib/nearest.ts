/** The known word that a mistyped one was meant to be. */

/** Undefined when nothing is near: half of the letters, or more than two and a third of them, differ. Case does not count. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(Math.max(2, Math.floor(word.length / 3)), Math.floor((word.length - 1) / 2)) + 1;
  for (const candidate of known) {
    const steps = distance(word.slice(0, 64).toLowerCase(), candidate.toLowerCase());
    if (steps < least) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

/** Letters to change, add, take out or swap with their neighbour (Damerau and Levenshtein), one row at a time. */
function distance(from: string, to: string): number {
  let above: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (above[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    above = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
