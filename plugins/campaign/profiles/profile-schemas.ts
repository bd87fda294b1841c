/** Profiles and their drift as the API shows them. */
import { listQuery, type MeterSetting, readOnly, TIME_OR_NULL } from '../../../lib/built-in.ts';
import { iso, named, type Schema, TIME, UNIT_ID, whole } from '../../../lib/index.ts';
import type { AssignedRow } from '../tables.ts';
import type { driftOf } from './drift.ts';
import type { Profile, ProfileSettings } from './profile.ts';

export const PROFILE_NAME: Schema = {
  type: 'string',
  pattern: UNIT_ID,
  description: 'the name of a profile: letters, digits, `.`, `_` and `-`',
  example: 'day-and-night',
};

export const PROFILE_PARAM: Readonly<Record<string, Schema>> = { name: PROFILE_NAME };

export const BY_NAME = listQuery({}, { type: 'string', maxLength: 64 });

const settingsSchema = (settings: readonly MeterSetting[]): Schema => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: Object.fromEntries(settings.map(({ name, schema }) => [name, schema])),
  example: { store_mode: 'Auto', frequency_weighting: 'A', lp_interval: '100ms', leq_interval: '15m' },
});
const DESCRIPTION: Schema = { type: 'string', maxLength: 200, description: 'For people.' };

export const PROFILE_FIXED = ['name', 'units', 'created_at', 'changed_at'];
export const profileBody = (settings: readonly MeterSetting[]): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: ['settings'],
  properties: { description: DESCRIPTION, settings: settingsSchema(settings), ...readOnly(PROFILE_FIXED) },
});
export interface ProfileInput {
  readonly description?: string;
  readonly settings: ProfileSettings;
}

export const PROFILE: Schema = named('Profile', {
  name: { type: 'string' },
  description: { type: 'string' },
  settings: { type: 'object', additionalProperties: { type: 'string' } },
  units: {
    type: 'array',
    items: { type: 'string' },
    description: 'Units whose last profile this is, as far as the API key may see them.',
  },
  created_at: TIME,
  changed_at: TIME,
});

export const shownProfile = (profile: Profile, units: readonly AssignedRow[]) => ({
  name: profile.name,
  description: profile.description,
  settings: profile.settings,
  units: units.map(({ unitId }) => unitId).sort(),
  created_at: iso(profile.createdAt),
  changed_at: iso(profile.changedAt),
});

export const APPLY_BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['units'],
  properties: {
    units: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      items: { type: 'string', pattern: UNIT_ID },
      example: ['roof', 'gate'],
    },
  },
};

export const STARTED: Schema = whole({
  unit_id: { type: 'string' },
  job: { type: 'string', description: 'Id of the job.' },
});
export const NOT_STARTED: Schema = whole({
  unit_id: { type: 'string' },
  code: { type: 'string' },
  detail: { type: 'string' },
});

export const DRIFT: Schema = named('Drift', {
  unit_id: { type: 'string' },
  applied_at: TIME,
  state: {
    type: 'string',
    enum: ['same', 'differs', 'unknown'],
    description: 'unknown: all read values are the same, but some were not read yet.',
  },
  differences: {
    type: 'array',
    items: whole({
      setting: { type: 'string' },
      wanted: { type: 'string' },
      found: { type: 'string' },
      read_at: { ...TIME, description: 'When it was last read or set.' },
    }),
  },
  not_read: { type: 'array', items: { type: 'string' } },
  read_at: {
    ...TIME_OR_NULL,
    description: 'The oldest time at which a setting was read; null while a setting was never read.',
  },
});

export const shownDrift = (
  { unitId, appliedAt }: AssignedRow,
  { state, differences, notRead, oldest }: ReturnType<typeof driftOf>,
) => ({
  unit_id: unitId,
  applied_at: iso(appliedAt),
  state,
  differences: differences.map(({ at, ...difference }) => ({ ...difference, read_at: iso(at) })),
  not_read: notRead,
  read_at: iso(oldest),
});
