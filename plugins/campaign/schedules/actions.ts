/** What the actions of a schedule begin: a job each. */
import { GatewayError, type Host, type Job } from '../../../lib/index.ts';
import type { Cycles } from '../cycles/cycle-jobs.ts';
import type { ApplyInput } from '../profiles/apply-profile.ts';
import { noProfile } from '../profiles/profile.ts';
import type { Action, Run } from './schedule.ts';

export interface ActionParts {
  readonly host: Host;
  readonly apply: (unitId: string, input: ApplyInput) => Promise<Job>;
  readonly cycles: Cycles;
  readonly syncClock: (unitId: string) => Promise<Job>;
}

/** Errors: TCP_DISABLED, FTP_DISABLED, and those of the start of a job. */
export function actions(parts: ActionParts): (unitId: string, run: Run) => Promise<Job> {
  const { host, apply, cycles, syncClock } = parts;
  const begin: Readonly<Record<Action, (unitId: string, profile: string | null) => Promise<Job>>> = {
    start_cycle: async (unitId, profile) => (await cycles.start(unitId, { profile })).job,
    stop_cycle: async (unitId) => (await cycles.stop(unitId)).job,
    clock_sync: (unitId) => syncClock(unitId),
    mirror: (unitId) => startMirror(host, unitId),
    apply_profile(unitId, profile) {
      if (profile === null) throw noProfile('');
      return apply(unitId, { profile });
    },
  };
  return async (unitId, { action, profile }) => {
    if (action !== 'mirror') host.meter(unitId);
    return begin[action](unitId, profile);
  };
}

async function startMirror(host: Host, unitId: string): Promise<Job> {
  if (!host.configs.get(unitId)?.ftpEnabled)
    throw new GatewayError('FTP_DISABLED', `FTP is off in the config of ${unitId}; set ftp_enabled to use it.`);
  if (!host.jobs.knows('mirror')) throw new GatewayError('NOT_READY', 'The plugin mirror is not loaded.');
  return (await host.jobs.startOnce('mirror', unitId, {})).job;
}
