/** The last ten minutes of a meter as a small line. A pause of more than a minute is a hole in it. */
import type { ReadonlySignal } from '@preact/signals';
import { LINE_MS, now, type Point } from '../app/fleet.ts';
import { decibels } from '../app/numbers.ts';

const WIDTH = 200;
const HEIGHT = 40;
const PAUSE_MS = 60_000;
/** Of the scale, at the least: a quiet room is not to look wild. */
const LEAST_RANGE_DB = 10;

export function SparkLine({ line }: { readonly line: ReadonlySignal<readonly Point[]> }) {
  const points = line.value;
  if (points.length < 2) return <span class="soft small">No readings in the last 10 min</span>;
  const levels = points.map(([, level]) => level);
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{`Last 10 minutes: ${decibels(low)} to ${decibels(high)} dB`}</title>
      <path d={pathOf(points, low, high, now.peek())} />
    </svg>
  );
}

function pathOf(points: readonly Point[], low: number, high: number, until: number): string {
  const range = Math.max(high - low, LEAST_RANGE_DB);
  const bottom = (low + high - range) / 2;
  return points
    .map(([at, level], index) => {
      const x = WIDTH * (1 - (until - at) / LINE_MS);
      const y = (HEIGHT - 4) * (1 - (level - bottom) / range) + 2;
      const before = points[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY;
      return `${at - before > PAUSE_MS ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
