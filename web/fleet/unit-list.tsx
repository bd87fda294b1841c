/** Meters, one below the other. */
import { computed } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { budgets } from '../state/alerts.ts';
import type { Known } from '../state/fleet.ts';
import { say } from '../words/say.ts';
import type { Scale } from './spark-line.tsx';
import { UnitRow } from './unit-row.tsx';

interface Props {
  readonly shown: readonly Known[];
  readonly label: string;
  /** The small lines of all of these can be compared. */
  readonly sameScale?: boolean;
}

/** The list, with a column for limits where there are any. */
export function UnitList({ shown, label, sameScale = false }: Props) {
  const hasLimits = budgets.value.size > 0;
  const scale = useScale(shown, sameScale);
  const rows = useRows(shown.length);
  return (
    <div class={hasLimits ? 'with-limits' : ''}>
      <Heads hasLimits={hasLimits} />
      <ul class="fleet" aria-label={label}>
        {shown.slice(0, rows).map((each) => (
          <li key={each.unit.peek().unit_id}>
            <UnitRow known={each} scale={scale} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How many rows are drawn: in the first view more than a screen has, and when the browser has shown them the others. */
function useRows(count: number): number {
  const [rows, setRows] = useState(wasWhole ? Number.POSITIVE_INFINITY : FIRST_ROWS);
  useEffect(() => {
    if (rows >= count) {
      wasWhole = true;
      return;
    }
    const timer = setTimeout(() => setRows(rows + MORE_ROWS));
    return () => clearTimeout(timer);
  }, [rows, count]);
  return rows;
}
const FIRST_ROWS = 30;
const MORE_ROWS = 90;
/** Later the list comes whole: who goes back comes to the place in it that was left. */
let wasWhole = false;

/** Of all lines together, in whole steps, so that it seldom moves; undefined: each line has its own. */
function useScale(shown: readonly Known[], isWanted: boolean): Scale | undefined {
  const scaleOf = () => {
    const levels = isWanted ? shown.flatMap(({ line }) => line.value.map(([, level]) => level)) : [];
    const low = levels.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    const high = levels.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
    return `${Math.floor(low / SCALE_STEP_DB) * SCALE_STEP_DB} ${Math.ceil(high / SCALE_STEP_DB) * SCALE_STEP_DB}`;
  };
  const text = useMemo(() => computed(scaleOf), [shown, isWanted]).value;
  return useMemo(() => {
    const [low = 0, high = 0] = text.split(' ').map(Number);
    return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : undefined;
  }, [text]);
}
const SCALE_STEP_DB = 5;

/** Only for the eye: for screen readers each value has its own name. */
function Heads({ hasLimits }: { readonly hasLimits: boolean }) {
  const heads = [
    ...[say('Meter'), say('Now'), say('Measurement'), say('Last 10 minutes')],
    ...(hasLimits ? [say('Limit')] : []),
    ...[say('State'), say('Age')],
  ];
  return (
    <div class="fleet-head small soft" aria-hidden="true">
      {heads.map((head) => (
        <span key={head}>{head}</span>
      ))}
    </div>
  );
}
