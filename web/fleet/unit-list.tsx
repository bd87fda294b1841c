/** Meters, one below the other. */
import { budgets } from '../app/budgets.ts';
import type { Known } from '../app/fleet.ts';
import { UnitRow } from './unit-row.tsx';

/** The list, with a column for limits where there are any. */
export function UnitList({ shown, label }: { readonly shown: readonly Known[]; readonly label: string }) {
  const hasLimits = budgets.value.size > 0;
  return (
    <div class={hasLimits ? 'with-limits' : ''}>
      <Heads hasLimits={hasLimits} />
      <ul class="fleet" aria-label={label}>
        {shown.map((each) => (
          <li key={each.unit.peek().unit_id}>
            <UnitRow known={each} />
          </li>
        ))}
      </ul>
    </div>
  );
}

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
