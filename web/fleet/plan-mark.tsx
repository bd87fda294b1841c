/** The mark of a meter on the plan, with the look of its state in the list; or a mark with the number of several meters. */
import { useComputed } from '@preact/signals';
import { meterPath } from '../state/address.ts';
import { isLpShownOld, type Known } from '../state/fleet.ts';
import { whole } from '../state/numbers.ts';
import { stateWord } from '../state/trouble.ts';
import { Link } from '../ui/link.tsx';
import type { Point } from './plan.ts';
import { COUNT_MARK, MARK } from './plan-layout.ts';

const RING = 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z';
/** By the last word of the look; otherwise a ring. */
const SHAPES: Readonly<Record<string, string>> = {
  away: 'M0-6L6 0L0 6L-6 0Z',
  wedged: 'M-5-5H5V5H-5Z',
  asleep: `${RING}M0-5v10`,
  frozen: 'M-5-6h3v12h-3ZM2-6h3v12h-3Z',
};

interface Props extends Point {
  readonly known: Known;
  readonly needs: boolean;
}

/** The mark of one meter, a link to it. `x`, `y` in pixels. */
export function UnitMark({ known, needs, x, y }: Props) {
  const look = useComputed(() => stateWord(known.unit.value).look).value;
  // A meter whose state is old is not drawn as one that measures now.
  const isOld = useComputed(() => isLpShownOld(known.unit.value)).value;
  return (
    <Link to={meterPath(known.unit.peek().unit_id)} isSecond>
      <g class={`mark ${look} ${isOld ? 'old' : ''}`} transform={`translate(${x} ${y})`}>
        <circle class={needs ? 'around needs' : 'around'} r={MARK + 4} />
        <path d={SHAPES[look.split(' ').at(-1) ?? ''] ?? RING} />
      </g>
    </Link>
  );
}

interface CountProps {
  readonly at: Point;
  readonly count: number;
  readonly needs: boolean;
  readonly to: string | undefined;
}

/** Its label says the same in words. */
export function CountMark({ at: { x, y }, count, needs, to }: CountProps) {
  const mark = (
    <g class={needs ? 'count needs' : 'count'} transform={`translate(${x} ${y})`}>
      <circle r={COUNT_MARK} />
      <text text-anchor="middle" dominant-baseline="central">
        {whole(count)}
      </text>
    </g>
  );
  if (!to) return mark;
  return (
    <Link to={to} isSecond>
      {mark}
    </Link>
  );
}
