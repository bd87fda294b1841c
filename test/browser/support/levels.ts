/** What tests put in: a name that is hard to show, and levels with a gap. */
import type { Stage } from './stage.ts';

/** What a name may hold: markup, marks that turn the direction of writing, wide characters. */
export const HARD_NAME = `<b onclick="x">Roof</b> שלום ${'寬'.repeat(40)}`;
export const HOUR_S = 3_600;

/** Two hours of levels with two hours of nothing between; the first second of them. */
export async function record({ gateway }: Stage): Promise<number> {
  const from = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S - 10 * HOUR_S;
  for (const hour of [0, 3]) {
    const seconds = Array.from({ length: HOUR_S }, (_, second) => ({
      at: from + hour * HOUR_S + second,
      ...{ steps: 10, leq: 50, lmax: 55, lmin: 45, lpeak: 70, lp: [50, 50, 50, 50, 50, 50, 50, 50, 50, 50] },
    }));
    gateway.history.append({ unitId: 'roof', source: 'import', weighting: { frequency: 'A', time: 'F' }, seconds });
  }
  await gateway.history.flush();
  return from;
}
