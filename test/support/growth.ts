/** How the work grows with its input, so that no test needs to know how fast the machine is. */
const RUNS = 5;
/** A shorter time cannot be measured, microseconds of CPU. */
const LEAST = 500;

/** CPU time of the work at 16 times the size, as a ratio to that at `size`: about 16 where it is linear, 256 where quadratic. */
export function growth(size: number, work: (size: number) => void): number {
  return cost(() => work(16 * size)) / cost(() => work(size));
}

/** The least of several runs: other programs disturbed it least. */
function cost(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return Math.max(LEAST, least);
}
