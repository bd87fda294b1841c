/** Measuring without anybody at the meter: its clock and settings, whole measurements with their files, and schedules. */
import { forgetRemoved, type Host, type Plugin, type Schema } from '../../lib/index.ts';
import { addClockJob, addClockSync, ClockSync, readClocks } from './clock/clock-sync.ts';
import { addCycleJobs } from './cycles/cycle-jobs.ts';
import { addCycleRoutes } from './cycles/cycle-routes.ts';
import { CycleStore } from './cycles/cycle-store.ts';
import { addApplyJob } from './profiles/apply-profile.ts';
import { addChangeRoutes } from './profiles/change-routes.ts';
import { DriftEvents } from './profiles/drift.ts';
import { LastValues, readSettings } from './profiles/last-values.ts';
import { addProfileRoutes } from './profiles/profile-routes.ts';
import { ProfileStore } from './profiles/profile-store.ts';
import { ACTIONS, beginWith, type ScheduleAction } from './schedules/actions.ts';
import { addScheduleRoutes } from './schedules/schedule-routes.ts';
import { ScheduleStore } from './schedules/schedule-store.ts';
import { Scheduler } from './schedules/scheduler.ts';
import { CAMPAIGN_MIGRATIONS, TABLES } from './tables.ts';

/** Minutes. */
interface CampaignSettings {
  readonly retry_minutes: number;
  readonly make_up_minutes: number;
  readonly start_waits_minutes: number;
}

const CAMPAIGN_SETTINGS: Schema = {
  type: 'object',
  properties: {
    retry_minutes: {
      type: 'integer',
      title: 'How long a step of a job is tried again while the meter cannot be reached, minutes',
      minimum: 0,
      maximum: 1_440,
      default: 15,
    },
    start_waits_minutes: {
      type: 'integer',
      title: 'How long a start waits for the files of the stop before it, minutes',
      minimum: 0,
      maximum: 1_440,
      default: 5,
    },
    make_up_minutes: {
      type: 'integer',
      title: 'How late a run of a schedule may still be done after the gateway was down, minutes',
      minimum: 0,
      maximum: 10_080,
      default: 720,
    },
  },
};

/** After a start of the gateway its meters are not connected yet. */
const FIRST_LOOK_MS = 5_000;
/** A start that goes on after a restart is never too late within this time. */
const LEAST_LATE_MS = 3_600_000;

/** The plugin with these actions of schedules: another plugin may add actions. */
export const campaignWith = (actions: readonly ScheduleAction[]): Plugin<CampaignSettings> => ({
  name: 'campaign',
  about: 'Measurements that start, stop and fetch by themselves',
  settings: CAMPAIGN_SETTINGS,
  async register(host) {
    const tables = await host.tables(TABLES, CAMPAIGN_MIGRATIONS);
    const retryMs = host.settings.retry_minutes * 60_000;
    const clocks = new ClockSync(host);
    const values = new LastValues(host, tables);
    const profiles = new ProfileStore(tables, host.clock, (unitId) => drift.look(unitId));
    const drift: DriftEvents = new DriftEvents(host, profiles, values);
    const cycles = new CycleStore(tables, host.clock);
    const schedules = new ScheduleStore(tables, host.clock, (unitId) => scheduler.plan(unitId));
    for (const store of [profiles, values, cycles, schedules]) await store.load();
    for (const store of [profiles, values, cycles, schedules]) host.onStop(() => store.close());
    await forgetRemoved(host, tables, profiles, values, cycles, schedules);

    addClockSync(host, clocks);
    const apply = addApplyJob(host, profiles, retryMs);
    const makeUpMs = host.settings.make_up_minutes * 60_000;
    const startWaitsMs = host.settings.start_waits_minutes * 60_000;
    const tooLateMs = Math.max(makeUpMs, LEAST_LATE_MS);
    const jobs = addCycleJobs({ host, clocks, profiles, cycles, retryMs, tooLateMs, startWaitsMs });
    addCycleRoutes(host, jobs, profiles);
    addChangeRoutes(host, values);
    addProfileRoutes({ host, profiles, values, apply, usersOf: (name) => schedules.usersOf(name) });

    const syncClock = addClockJob(host, clocks, retryMs);
    const begin = beginWith(actions, { host, apply, cycles: jobs, syncClock });
    const scheduler: Scheduler = new Scheduler({ host, schedules, actions, makeUpMs, begin });
    addScheduleRoutes({ host, schedules, scheduler, profiles, actions });
    inBackground(host, [
      () => scheduler.run(),
      () => readSettings(host, profiles, values),
      () => drift.run(),
      () => readClocks(host),
    ]);
  },
});

export default campaignWith(ACTIONS);

/** After all plugins are loaded, since a run may need the jobs of another plugin. */
function inBackground(host: Host, loops: readonly (() => Promise<void>)[]): void {
  const cancel = host.clock.after(FIRST_LOOK_MS, () => {
    for (const loop of loops)
      loop().catch((err) => host.log.error({ err }, 'a loop of the campaigns ended with an error'));
  });
  host.onStop(cancel);
}
