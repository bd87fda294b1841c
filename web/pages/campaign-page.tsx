/** A measurement without anybody at the meter: started with a profile, stopped with its files fetched. */
import type { Unit } from '../../client/index.ts';
import { mayOperate } from '../app/access.ts';
import { ClockPanel } from '../parts/clock-panel.tsx';
import { CycleControl } from '../parts/cycle-control.tsx';
import { JobList } from '../parts/job-list.tsx';
import { ProfileOfUnit } from '../parts/profile-of-unit.tsx';
import { SchedulePanel } from '../parts/schedule-panel.tsx';

export function CampaignPage({ unit }: { readonly unit: Unit }) {
  return (
    <>
      <div class="columns">
        {mayOperate.value && <CycleControl unit={unit} />}
        <div class="stack">
          <ProfileOfUnit unit={unit} />
          <ClockPanel unit={unit} />
        </div>
      </div>
      <SchedulePanel unit={unit} />
      <JobList unitId={unit.unit_id} />
    </>
  );
}
