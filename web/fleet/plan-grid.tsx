/** The ground of the plan: squares of a round length, the scale, and the direction of north. */
import { length } from '../state/numbers.ts';

const EDGE = 14;
const SCALE = { width: 190, height: 32 };
const NORTH = { width: 36, height: 48 };

/** The part that stays free of labels. */
export const takenBy = (width: number, height: number) => [
  { x: 0, y: height - SCALE.height, ...SCALE },
  { x: width - NORTH.width, y: 0, ...NORTH },
];

interface Props {
  /** A map is behind: it needs no squares. */
  readonly isOnMap: boolean;
  readonly width: number;
  readonly height: number;
  /** Its side. */
  readonly square: { readonly pixels: number; readonly metres: number };
}

/** Lines, scale and north; sizes in pixels. */
export function PlanGrid({ width, height, square: { pixels, metres }, isOnMap }: Props) {
  const down = stepsTo(width, pixels).map((x) => `M${x} 0V${height}`);
  const across = stepsTo(height, pixels).map((y) => `M0 ${y}H${width}`);
  const bottom = height - EDGE;
  const north = width - EDGE - 4;
  return (
    <>
      {!isOnMap && <path class="grid" d={[...down, ...across].join('')} />}
      <path class="scale" d={`M${north} 44V28M${north - 4} 34L${north} 27L${north + 4} 34`} />
      <text x={north} y="22" text-anchor="middle">
        N
      </text>
      <path class="scale" d={`M${EDGE} ${bottom - 5}V${bottom}h${pixels}v-5`} />
      <text x={EDGE + pixels + 8} y={bottom}>
        {length(metres)}
      </text>
    </>
  );
}

/** The middle is a corner of four squares. */
function stepsTo(size: number, step: number): readonly number[] {
  const first = (size / 2) % step;
  return Array.from({ length: Math.ceil((size - first) / step) }, (_, index) => Math.round(first + index * step) + 0.5);
}
