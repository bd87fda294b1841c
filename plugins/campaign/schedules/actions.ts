/** The actions of schedules, in the order in which they begin at the same time. No other code has their names. */
import type { Job, OperationName } from '../../../lib/built-in.ts';
import { GatewayError, type Host } from '../../../lib/index.ts';
import { SYNC_CLOCK } from '../clock/clock-sync.ts';
import { type Cycles, START_CYCLE, START_NEEDS, STOP_CYCLE, STOP_NEEDS } from '../cycles/cycle-jobs.ts';
import { MIRROR } from '../cycles/fetched-store.ts';
import { STORE_SETTING } from '../cycles/store-wish.ts';
import { APPLY, type ApplyInput, requireSettings } from '../profiles/apply-profile.ts';
import { noProfile } from '../profiles/profile.ts';
import type { ActionWord, Run, ScheduleEntry } from './schedule.ts';

export interface ScheduleAction extends ActionWord {
  /** For people, as an order: `start a measurement`. */
  readonly words: string;
  readonly job: string;
  /** A start or a stop of a measurement: the last missed action decides what the meter should do now. */
  readonly measuring?: 'start' | 'stop';
  /** The abilities that the meter needs. Absent: the meter itself is not needed. */
  readonly needs?: readonly OperationName[];
  /** Errors: those of the start of a job. */
  begin(unitId: string, said: Pick<ScheduleEntry, 'profile' | 'store'>, parts: ActionParts): Promise<Job>;
}

interface ActionParts {
  readonly host: Host;
  readonly apply: (unitId: string, input: ApplyInput) => Promise<Job>;
  readonly cycles: Cycles;
  readonly syncClock: (unitId: string) => Promise<Job>;
}

export const ACTIONS: readonly ScheduleAction[] = [
  {
    name: 'stop_cycle',
    words: 'stop it and fetch its files',
    job: STOP_CYCLE,
    measuring: 'stop',
    needs: STOP_NEEDS,
    begin: async (unitId, _said, { cycles }) => (await cycles.stop(unitId)).job,
  },
  {
    name: 'apply_profile',
    words: 'apply a profile to the meter',
    job: APPLY,
    profile: 'needed',
    needs: [],
    async begin(unitId, { profile }, { apply }) {
      if (profile === null) throw noProfile('');
      return apply(unitId, { profile });
    },
  },
  {
    name: 'clock_sync',
    words: 'set the clock',
    job: SYNC_CLOCK,
    needs: ['clock', 'setClock'],
    begin: (unitId, _said, { syncClock }) => syncClock(unitId),
  },
  {
    name: 'start_cycle',
    words: 'start a measurement',
    job: START_CYCLE,
    profile: 'optional',
    measuring: 'start',
    needs: START_NEEDS,
    store: 'optional',
    async begin(unitId, { profile, store }, { cycles, host }) {
      if (store) requireSettings(host, unitId, STORE_SETTING[store]);
      return (await cycles.start(unitId, { profile, ...(store && { store }) })).job;
    },
  },
  {
    name: 'mirror',
    words: 'copy the card',
    job: MIRROR,
    begin: (unitId, _said, { host }) => startMirror(host, unitId),
  },
];

/** Begins a run. Errors: TCP_DISABLED, FTP_DISABLED, NOT_SUPPORTED, NOT_READY for an unknown action, and those of the start of a job. */
export const beginWith =
  (actions: readonly ScheduleAction[], parts: ActionParts) =>
  async (unitId: string, { action, ...said }: Run): Promise<Job> => {
    const found = actions.find(({ name }) => name === action);
    if (!found) throw new GatewayError('NOT_READY', `Nothing that runs now knows the action ${action}.`);
    if (found.needs) parts.host.meter(unitId).assertCan(...found.needs);
    return found.begin(unitId, said, parts);
  };

async function startMirror(host: Host, unitId: string): Promise<Job> {
  if (!host.configs.get(unitId)?.ftpEnabled)
    throw new GatewayError('FTP_DISABLED', `FTP is off in the config of ${unitId}; set ftp_enabled to use it.`);
  if (!host.jobs.knows(MIRROR)) throw new GatewayError('NOT_READY', 'The plugin mirror is not loaded.');
  return (await host.jobs.startOnce(MIRROR, unitId, {})).job;
}
