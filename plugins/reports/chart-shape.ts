/** Where the lines of a chart go, for every printer. x from 0 to 1 to the right, y from 0 to 1 downwards. */
import type { ReportChart } from './document.ts';

const TICK_STEPS = [1, 2, 5, 10, 20, 50] as const;
const MOST_TICKS = 7;
/** Days that get a name. */
const MOST_DAYS = 8;

/** A place in a chart. */
export type ChartPlace = readonly [x: number, y: number];

/** A chart as lines and labels. */
export interface ChartShape {
  /** Each in pieces: a gap ends a piece. */
  readonly lines: readonly { readonly name: string; readonly pieces: readonly (readonly ChartPlace[])[] }[];
  readonly levels: readonly { readonly y: number; readonly label: string }[];
  /** `label` is empty where there is no room for one. */
  readonly days: readonly { readonly x: number; readonly label: string }[];
}

/** `dayText`: a day such as `2026-10-25` as its label. Axes from full steps of dB below the lowest level to above the highest one. */
export function chartShape(
  { from, to, stepS, series, days }: ReportChart,
  dayText: (day: string) => string,
): ChartShape {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { points } of series)
    for (const [, level] of points) if (level !== null) [low, high] = [Math.min(low, level), Math.max(high, level)];
  const range = Math.max(1, high - low);
  const step = TICK_STEPS.find((each) => range / each <= MOST_TICKS - 2) ?? 50;
  const [bottom, top] = [Math.floor(low / step) * step, Math.ceil((high + 0.01) / step) * step];
  const x = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const y = (level: number) => (top - level) / (top - bottom);
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, n) => bottom + n * step);
  const every = Math.ceil(days.length / MOST_DAYS);
  return {
    lines: series.map(({ name, points }) => ({ name, pieces: piecesOf(points, stepS, x, y) })),
    levels: ticks.map((level) => ({ y: y(level), label: String(level) })),
    days: days.map(([at, day], index) => ({ x: x(at), label: index % every === 0 ? dayText(day) : '' })),
  };
}

function piecesOf(
  points: ReportChart['series'][number]['points'],
  stepS: number,
  x: (at: number) => number,
  y: (level: number) => number,
): ChartPlace[][] {
  const pieces: ChartPlace[][] = [];
  let piece: ChartPlace[] | undefined;
  for (const [index, [at, level]] of points.entries()) {
    if (level === null) {
      piece = undefined;
      continue;
    }
    if (!piece) {
      piece = [];
      pieces.push(piece);
    }
    const end = points[index + 1]?.[0] ?? at + stepS;
    piece.push([x(at), y(level)], [x(end), y(level)]);
  }
  return pieces;
}
