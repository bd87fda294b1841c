/** A measurement without anybody at the meter: started with a profile, stopped with its files fetched. */
import type { Unit } from '../../client/index.ts';
import { ClockPanel } from '../live/clock-panel.tsx';
import { mayOperate } from '../state/access.ts';
import { JobList } from '../ui/job-list.tsx';
import { CycleControl } from './cycle-control.tsx';
import { ProfileOfUnit } from './profile-of-unit.tsx';
import { SchedulePanel } from './schedule-panel.tsx';

/** The page of measurements, profile and schedule of a meter. */
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
