/** The job that applies a profile to one meter. After a restart it begins again and finds the settings that are already set. */
import type { FormField, Host, Job, JobRun } from '../../../lib/index.ts';
import { type AppliedSetting, applySettings } from './apply-settings.ts';
import { PROFILE_NAME } from './profile-schemas.ts';
import type { ProfileStore } from './profile-store.ts';

const PROFILE: FormField = { name: 'profile', label: 'Profile', schema: PROFILE_NAME, needed: true };

/** The kind of the job. */
export const APPLY = 'apply-profile';

/** The profile to apply. */
export interface ApplyInput {
  readonly profile: string;
}

/** The changes at the meter. */
export interface ApplyResult {
  readonly profile: string;
  readonly changed: readonly AppliedSetting[];
}

/** Registers the kind; returns the function that starts it. */
export function addApplyJob(
  host: Host,
  profiles: ProfileStore,
  retryMs: number,
): (unitId: string, input: ApplyInput) => Promise<Job> {
  const run = async (job: JobRun<ApplyInput>): Promise<ApplyResult> => {
    const { name, settings } = profiles.get(job.input.profile);
    const unitId = job.unitId ?? '';
    try {
      const changed = await applySettings(host, unitId, settings, job, retryMs);
      await profiles.assign(unitId, name);
      job.say(
        changed.length === 0
          ? `The meter had the settings of ${name} already.`
          : `The meter has the settings of ${name}; ${changed.length} were changed.`,
      );
      return { profile: name, changed };
    } catch (error) {
      if (job.isCancelled) job.say(`Some settings of ${name} may be set, others not.`);
      throw error;
    }
  };
  host.jobs.kind({ name: APPLY, title: 'Profile', fields: [PROFILE], oneAtATime: 'control', run, resume: run });
  return (unitId, input) => host.jobs.start(APPLY, unitId, input);
}
