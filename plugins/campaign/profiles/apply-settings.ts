/** Applies settings to a meter: each is read first, set if it differs, and read back. A second run changes nothing. */
import { GatewayError, type Host, isGatewayError, type JobRun } from '../../../lib/index.ts';
import { persistently } from '../retry.ts';
import { type ProfileSettings, settingsAmong } from './profile.ts';

/** A setting that was changed, with both values. */
export interface AppliedSetting {
  readonly setting: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the changed settings. Errors: NOT_SUPPORTED; as `Reservation.perform`, with the setting in words. */
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
