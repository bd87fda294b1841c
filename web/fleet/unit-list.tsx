/** Meters, one below the other. */
import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { budgets } from '../app/budgets.ts';
import type { Known } from '../app/fleet.ts';
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
  return (
    <div class={hasLimits ? 'with-limits' : ''}>
      <Heads hasLimits={hasLimits} />
      <ul class="fleet" aria-label={label}>
        {shown.map((each) => (
          <li key={each.unit.peek().unit_id}>
            <UnitRow known={each} scale={scale} />
          </li>
        ))}
      </ul>
    </div>
  );
}

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
  const heads = ['Meter', 'Now', 'Measurement', 'Last 10 minutes', ...(hasLimits ? ['Limit'] : []), 'State', 'Age'];
  return (
    <div class="fleet-head small soft" aria-hidden="true">
      {heads.map((head) => (
        <span key={head}>{head}</span>
      ))}
    </div>
  );
}
