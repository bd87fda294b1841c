/** Levels of several meters, or of one at two times, as the lines of one chart. Pure. */
import type { History } from '../../client/index.ts';

export interface Compared {
  readonly unitId: string;
  /** How much earlier it is than the time that is shown, ms. */
  readonly earlier: number;
}

/** Times in s, ascending, and a level for each line: dB; null: no level. */
type ComparedLines = readonly [x: number[], ...levels: (number | null)[][]];

const MOST_UNITS = 6;

/** Of the address: the units without those that come twice, and each of them once more where an earlier time is wanted. */
export function comparedOf(units: string | null, against: number): readonly Compared[] {
  const ids = [...new Set((units ?? '').split(',').filter((id) => id !== ''))].slice(0, MOST_UNITS);
  const now = ids.map((unitId) => ({ unitId, earlier: 0 }));
  return against > 0 ? [...now, ...ids.map((unitId) => ({ unitId, earlier: against }))] : now;
}

/** Lines of an earlier time are moved to the present one. Rows of different places begin at different times: each has its own points. */
export function linesOf(
  found: readonly { readonly history: History | undefined; readonly earlier: number }[],
): ComparedLines {
  const points = found.map(({ history, earlier }) => pointsOf(history, earlier));
  const x = [...new Set(points.flatMap((one) => [...one.keys()]))].sort((one, other) => one - other);
  return [x, ...points.map((one) => x.map((at) => one.get(at) ?? null))];
}

function pointsOf(history: History | undefined, earlier: number): ReadonlyMap<number, number> {
  if (!history) return new Map();
  const [leq, lp] = ['leq', 'lp'].map((name) => history.columns.indexOf(name));
  return new Map(
    history.rows.flatMap((row): [number, number][] => {
      const level = row[leq ?? -1] ?? row[lp ?? -1];
      return typeof level === 'number' ? [[(Date.parse(String(row[0])) + earlier) / 1_000, level]] : [];
    }),
  );
}
