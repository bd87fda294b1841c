/**
 * The last ten minutes of a meter as a small line over a line of time: times without data are not drawn. A pause of more
 * than a minute is a gap in it.
 */
import type { ReadonlySignal } from '@preact/signals';
import { LINE_MS, type Point, tick } from '../state/fleet.ts';
import { decibels } from '../state/numbers.ts';
import { say } from '../words/say.ts';

const WIDTH = 200;
const HEIGHT = 40;
const PAUSE_MS = 60_000;
/** Smallest range of the scale, so that small changes look small. */
const LEAST_RANGE_DB = 10;

/** dB, at the lower and the upper edge. */
export interface Scale {
  readonly low: number;
  readonly high: number;
}

interface Props {
  readonly line: ReadonlySignal<readonly Point[]>;
  /** Undefined: that of this line alone. */
  readonly scale: Scale | undefined;
}

/** The line of one meter. */
export function SparkLine({ line, scale }: Props) {
  // All lines end at the same time, so that they can be compared.
  const until = tick.value;
  const points = line.value.filter(([at]) => at > until - LINE_MS);
  if (points.length === 0) return <span class="soft small">{say('No readings in the last 10 min')}</span>;
  const levels = points.map(([, level]) => level);
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>
        {scale
          ? say('Last 10 minutes: {low} to {high} dB, on a scale of {bottom} to {top} dB', {
              low: decibels(low),
              high: decibels(high),
              bottom: decibels(scale.low),
              top: decibels(scale.high),
            })
          : say('Last 10 minutes: {low} to {high} dB', { low: decibels(low), high: decibels(high) })}
      </title>
      <path class="time" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      <path d={pathOf(points, scale ?? { low, high }, until)} />
    </svg>
  );
}

function pathOf(points: readonly Point[], { low, high }: Scale, until: number): string {
  const range = Math.max(high - low, LEAST_RANGE_DB);
  const bottom = (low + high - range) / 2;
  return points
    .map(([at, level], index) => {
      const x = WIDTH * Math.min(1, 1 - (until - at) / LINE_MS);
      const y = (HEIGHT - 8) * (1 - (level - bottom) / range) + 3;
      const before = points[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY;
      // A line to itself is a dot.
      const place = `${x.toFixed(1)} ${y.toFixed(1)}`;
      return at - before > PAUSE_MS ? `M${place}L${place}` : `L${place}`;
    })
    .join('');
}
