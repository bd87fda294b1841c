/** Input of tests: a name that is hard to show, and levels with a gap. */
import type { Stage } from './stage.ts';

/** Hard parts of a name: markup, marks that turn the direction of writing, wide characters. */
export const HARD_NAME = `<b onclick="x">Roof</b> שלום ${'寬'.repeat(40)}`;
export const HOUR_S = 3_600;
export const DAY_S = 24 * HOUR_S;
export const iso = (second: number): string => new Date(second * 1_000).toISOString();
/** For the limits of a permit. */
export const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'];

const OF_ROOF = { unitId: 'roof', source: 'card', weighting: { frequency: 'A', time: 'F' } } as const;

type Appended = Parameters<Stage['gateway']['history']['append']>[0];
interface Kept extends Partial<Pick<Appended, 'unitId' | 'source' | 'channel' | 'weighting'>> {
  readonly from: number;
  readonly leq: number;
}

/** Seconds of one level. */
export function addSeconds({ gateway }: Stage, { from, leq, ...more }: Kept, length = 1) {
  const own = { steps: 10, leq, lmax: leq + 5, lmin: leq - 5, lpeak: leq + 20, lp: Array(10).fill(leq) };
  const seconds = Array.from({ length }, (_, index) => ({ at: from + index, ...own }));
  gateway.history.append({ ...OF_ROOF, ...more, seconds });
  return gateway.history.flush();
}

/** Minutes of one level. */
export function addMinutes({ gateway }: Stage, { from, leq, ...more }: Kept, length: number) {
  const own = { duration: 60, leq, lmax: leq + 8, lmin: leq - 8, lpeak: leq + 20 };
  const intervals = Array.from({ length }, (_, index) => ({ at: from + index * 60, ...own }));
  gateway.history.append({ ...OF_ROOF, ...more, intervals });
  return gateway.history.flush();
}

/** Louder than any limit, now. */
export const addLoud = (stage: Stage, from = Math.floor(Date.now() / 1_000), length = 1) =>
  addSeconds(stage, { source: 'stream', from, leq: 101.2 }, length);

/** Two hours of levels with two hours of nothing between, and a minute half an hour later; the first second of them. */
export async function record(stage: Stage): Promise<number> {
  const from = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S - 10 * HOUR_S;
  await addSeconds(stage, { from, leq: 50 }, HOUR_S);
  await addSeconds(stage, { from: from + 3 * HOUR_S, leq: 50 }, HOUR_S);
  await addSeconds(stage, { from: from + 4.5 * HOUR_S, leq: 50 }, 60);
  return from;
}
