/** A profile: a named set of meter settings. Its settings are those of the families of meters. */
import { type InputError, invalid, type MeterSetting } from '../../../lib/built-in.ts';
import { GatewayError, isGatewayError } from '../../../lib/index.ts';

/** By the name of the setting: `lp_interval`. */
export type ProfileSettings = Readonly<Record<string, string>>;

export interface ProfileBody {
  readonly description: string;
  /** In the form of values that are read from the meter. */
  readonly settings: ProfileSettings;
}

/** Times in ms since 1970 UTC. */
export interface Profile extends ProfileBody {
  readonly name: string;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** The settings of a profile that are among `known`, in the order of `known`, which is the order of setting. */
export const settingsAmong = (
  settings: ProfileSettings,
  known: readonly MeterSetting[],
): readonly (readonly [MeterSetting, string])[] =>
  known.flatMap((setting) => {
    const wanted = settings[setting.name];
    return wanted === undefined ? [] : [[setting, wanted] as const];
  });

/** The settings in the form of read values: `300s` becomes `5m`. Errors: INVALID, with the place of each. */
export function normalSettings(given: ProfileSettings, known: readonly MeterSetting[]): ProfileSettings {
  const errors: InputError[] = [];
  const normal: Record<string, string> = {};
  for (const [setting, value] of settingsAmong(given, known)) {
    try {
      normal[setting.name] = setting.normal(value);
    } catch (error) {
      if (!isGatewayError(error, 'INVALID')) throw error;
      const message = error.errors?.[0]?.message ?? error.message;
      errors.push({ path: `/settings/${setting.name}`, message });
    }
  }
  if (errors.length > 0) throw invalid(errors);
  return normal;
}

export const noProfile = (name: string): GatewayError =>
  new GatewayError('PROFILE_NOT_FOUND', `There is no profile ${name}; GET /_profiles lists all profiles.`);
