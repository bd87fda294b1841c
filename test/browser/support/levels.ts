/** Input of tests: a name that is hard to show, and levels with a gap. */
import type { Stage } from './stage.ts';

/** Hard parts of a name: markup, marks that turn the direction of writing, wide characters. */
export const HARD_NAME = `<b onclick="x">Roof</b> שלום ${'寬'.repeat(40)}`;
export const HOUR_S = 3_600;

/** Two hours of levels with two hours of nothing between, and a minute half an hour later; the first second of them. */
export async function record({ gateway }: Stage): Promise<number> {
  const from = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S - 10 * HOUR_S;
  for (const [begin, length] of [
    [0, HOUR_S],
    [3 * HOUR_S, HOUR_S],
    [4.5 * HOUR_S, 60],
  ] as const) {
    const seconds = Array.from({ length }, (_, second) => ({
      at: from + begin + second,
      steps: 10,
      leq: 50,
      lmax: 55,
      lmin: 45,
      lpeak: 70,
      lp: [50, 50, 50, 50, 50, 50, 50, 50, 50, 50],
    }));
    gateway.history.append({ unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' }, seconds });
  }
  await gateway.history.flush();
  return from;
}
