/** The job that applies a profile to one meter. After a restart it begins again and finds the settings that are already set. */
import type { FormField, Job, JobRun } from '../../../lib/built-in.ts';
import { GatewayError, type Host, isGatewayError } from '../../../lib/index.ts';
import { persistently } from '../retry.ts';
import { type ProfileSettings, settingsAmong } from './profile.ts';
import { PROFILE_NAME } from './profile-schemas.ts';
import type { ProfileStore } from './profile-store.ts';

interface AppliedSetting {
  readonly setting: string;
  readonly before: string;
  readonly after: string;
}

/** Each is read, set if it differs, and read back. Errors: NOT_SUPPORTED; as `Reservation.perform`, with the setting. */
export async function applySettings(
  host: Host,
  unitId: string,
  settings: ProfileSettings,
  job: JobRun,
  forMs: number,
): Promise<readonly AppliedSetting[]> {
  const changed: AppliedSetting[] = [];
  requireSettings(host, unitId, settings);
  const { settings: known } = host.families.get(host.configs.of(unitId).family);
  for (const [{ name }, wanted] of settingsAmong(settings, known)) {
    const apply = () =>
      host.meter(unitId).reserve(
        `set ${name}`,
        async (reservation) => {
          const before = await reservation.readSetting(name);
          if (before === wanted) return { before, after: before };
          await reservation.writeSetting(name, wanted);
          return { before, after: await reservation.readSetting(name) };
        },
        job.caller,
      );
    const { before, after } = await persistently(job, forMs, apply).catch((error: unknown) => {
      throw inWords(error, name, wanted);
    });
    host.publish(unitId, 'setting', { name, value: after });
    if (after !== wanted)
      throw new GatewayError(
        'DEVICE_REFUSED_PARAMETER',
        `The meter accepted ${wanted} for ${name}, but still shows ${after}.`,
      );
    if (before !== after) changed.push({ setting: name, before, after });
  }
  return changed;
}

/** Errors: NOT_SUPPORTED for the first setting that the family of the meter does not have. */
export function requireSettings(host: Pick<Host, 'meter'>, unitId: string, settings: ProfileSettings): void {
  const meter = host.meter(unitId);
  for (const name of Object.keys(settings)) meter.setting(name);
}

function inWords(error: unknown, name: string, wanted: string): unknown {
  if (!isGatewayError(error, 'DEVICE_WRONG_STATE', 'DEVICE_REFUSED_PARAMETER', 'DEVICE_REFUSED_COMMAND')) return error;
  const why = error.code === 'DEVICE_WRONG_STATE' ? ' A meter that measures takes no settings: stop it first.' : '';
  return new GatewayError(
    error.code,
    `The setting ${name} could not be set to ${wanted}. ${sentence(error.message)}${why}`,
    {
      cause: error,
    },
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

const PROFILE: FormField = { name: 'profile', label: 'Profile', schema: PROFILE_NAME, needed: true };

export const APPLY = 'apply-profile';

export interface ApplyInput {
  readonly profile: string;
}

interface ApplyResult {
  readonly profile: string;
  readonly changed: readonly AppliedSetting[];
}

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
