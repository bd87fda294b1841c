/** The values of a snapshot in answers, with their schemas: the same everywhere. */
import { base, shownRecord, shownSchemas } from '../domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';
import { levelsByPercent, OPTIONAL, quantitiesIn, withoutUnsent } from '../domain/quantities.ts';
import type { Schema } from '../http/contract.ts';
import type { LevelSettings } from '../meter/contract.ts';
import type { Snapshot } from '../store/contract.ts';
import type { UnitStatus } from './contract.ts';

/** Levels older than this many polling intervals are stale. */
export const STALE_INTERVALS = 3;
/** While a stream is watched the display is read at most this often, because reading interrupts the stream. ms */
export const BESIDE_STREAM_MS = 300_000;
/** Levels that are constant for a shorter time are never called frozen, ms. */
const FROZEN_AFTER_MS = 60_000;
/** Both numbers are rounded to a tenth: together they may hide a change of 0.2 dB, and 10^0.02 is 1.047. */
const FROZEN_GROWTH = 0.05;

/** Seconds, to a tenth; null if the age is unknown. */
export const ageSeconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 100) / 10);

/**
 * Age of the newest level, ms: of the display, or the Lp of the fast stream, during which the display is seldom read.
 */
export function newestLevelAge({ age }: Pick<UnitStatus, 'age'>): number | null {
  const ages = [age('levelsAt'), age('lpAt')].filter((one) => one !== null);
  return ages.length === 0 ? null : Math.min(...ages);
}

/** No level for three polling intervals, or ever: the shown levels are not present ones. */
function isStale(status: Pick<UnitStatus, 'age'>, intervalSeconds: number): boolean {
  const age = newestLevelAge(status);
  return age === null || age > staleAfterSeconds(intervalSeconds) * 1_000;
}

const staleAfterSeconds = (intervalSeconds: number): number => STALE_INTERVALS * intervalSeconds;

/**
 * As staleAfterSeconds, for the display. While a stream brings a younger Lp, three pauses of BESIDE_STREAM_MS count if
 * they are longer.
 */
export function levelsStaleAfterSeconds(status: Pick<UnitStatus, 'age'>, intervalSeconds: number): number {
  const [lp, levels] = [status.age('lpAt'), status.age('levelsAt')];
  const isStreamed = lp !== null && (levels === null || lp < levels) && !isStale(status, intervalSeconds);
  return staleAfterSeconds(isStreamed ? Math.max(intervalSeconds, BESIDE_STREAM_MS / 1_000) : intervalSeconds);
}

/** The display was not read for so long, or never; Lp may be younger. */
export function areLevelsStale(status: Pick<UnitStatus, 'age'>, intervalSeconds: number): boolean {
  const age = status.age('levelsAt');
  return age === null || age > levelsStaleAfterSeconds(status, intervalSeconds) * 1_000;
}

const LEVELS = quantitiesIn('status');

/** Since when the levels are exactly the same, ms UTC; null if they need not change. `now`: the values just read. */
export function unchangedSince(before: Snapshot, now: Partial<Snapshot>, paused: boolean): number | null {
  const at = now.levelsAt ?? null;
  if (now.measurementState !== 'Measure' || paused) return null;
  if (before.measurementState !== 'Measure' || before.unchangedSince === null) return at;
  return LEVELS.every((name) => now[name] === before[name]) ? before.unchangedSince : at;
}

/**
 * Leq and LE cannot both stay the same while a meter measures, whatever it measures. By the definition of the sound
 * exposure level (IEC 61672-1), LE - Leq is ten times the logarithm of the measured seconds. So the two numbers contain
 * the measured time. At least one number must change when that time has grown by a twentieth. False if it is unknown:
 * without a measurement, or without Leq or LE. Pure.
 */
export function isFrozen({ values, age }: Pick<UnitStatus, 'values' | 'age'>): boolean {
  const { measurementState, leq, le } = values;
  const since = age('unchangedSince');
  const read = age('levelsAt');
  if (measurementState !== 'Measure' || since === null || read === null || leq === null || le === null) return false;
  const measuredMs = 10 ** ((Number(le) - Number(leq)) / 10) * 1_000;
  return since - read >= Math.max(FROZEN_AFTER_MS, FROZEN_GROWTH * measuredMs);
}

/** Settings of levels: fields beside the levels wherever they are shown. */
export const LEVEL_SETTINGS_FIELDS = {
  ln: {
    type: ['object', 'null'],
    additionalProperties: { type: ['number', 'null'] },
    description:
      'ln1 to ln5 by the percentage of the time in which they are exceeded, as the meter has it set: {"5": 52.1, "10": 50.9} are L5 and L10 in dB. Of the places whose percentage is known; null: of none.',
  },
  frequency_weighting: {
    type: ['string', 'null'],
    enum: ['A', 'C', 'Z', null],
    description: 'With which the levels were measured, but for lpeak; null: not known, or not the same for all.',
  },
  time_weighting: {
    type: ['string', 'null'],
    enum: ['F', 'S', 'I', null],
    description: 'The same for lp, lmax, lmin and the percentiles.',
  },
} as const satisfies Readonly<Record<string, Schema>>;

/** The schemas of the last values, by their names in the API. */
export const VALUE_FIELDS: Readonly<Record<string, Schema>> = {
  ...shownSchemas(SNAPSHOT_FIELDS),
  ...LEVEL_SETTINGS_FIELDS,
  stale: {
    type: 'boolean',
    description:
      'No level came for three polling intervals of this unit, or ever. While a stream keeps lp fresh, measured_at says how old the others are.',
  },
  stale_after_s: {
    type: 'number',
    minimum: 0,
    description: 'Seconds after which lp is old: three polling intervals of this unit.',
  },
  levels_stale: {
    type: 'boolean',
    description: 'The levels but for lp are older than levels_stale_after_s, or were never read.',
  },
  levels_stale_after_s: {
    type: 'number',
    minimum: 0,
    description:
      'Seconds after which the other levels are old: as stale_after_s, but at least 900 while a stream brings a younger lp, because the display is then read at most every 300 s.',
  },
  frozen: {
    type: 'boolean',
    description:
      'The levels do not change although the meter says that it measures, for longer than real levels could: 60 s, or a twentieth of the measured time if that is more.',
  },
  implausible: {
    type: 'boolean',
    description: 'The meter showed an impossible level, such as 999.9; it is null here.',
  },
  levels_age_s: {
    type: ['number', 'null'],
    minimum: 0,
    description: 'Seconds since measured_at: how old the levels are, but for lp.',
  },
  warning: { type: ['string', 'null'], description: 'Why values are missing; null: nothing is wrong with them.' },
};

/** The same as one component of the OpenAPI document. */
export const VALUES = base('Values', VALUE_FIELDS, OPTIONAL);

type ShownValues = Readonly<Record<string, unknown>> & { readonly stale: boolean; readonly frozen: boolean };

interface Shown {
  readonly settings: LevelSettings;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A snapshot does not change, and is shown more often than a new one comes. */
const shown = new WeakMap<Snapshot, Shown>();

function shownSnapshot({ values, levelSettings: settings }: UnitStatus): Readonly<Record<string, unknown>> {
  const known = shown.get(values);
  if (known?.settings === settings) return known.fields;
  const fields = {
    ...withoutUnsent(shownRecord(SNAPSHOT_FIELDS, values)),
    ...shownLevelSettings(values, settings),
  };
  shown.set(values, { settings, fields });
  return fields;
}

/** `pollIntervalSeconds`: decides about `stale`. */
export const shownValues = (status: UnitStatus, pollIntervalSeconds: number): ShownValues => ({
  ...shownSnapshot(status),
  ...shownDoubts(status, pollIntervalSeconds),
});

/** Faults of the values now. They can change while the values stay. */
export const shownDoubts = (status: UnitStatus, pollIntervalSeconds: number) => ({
  stale: isStale(status, pollIntervalSeconds),
  stale_after_s: staleAfterSeconds(pollIntervalSeconds),
  levels_stale: areLevelsStale(status, pollIntervalSeconds),
  levels_stale_after_s: levelsStaleAfterSeconds(status, pollIntervalSeconds),
  frozen: isFrozen(status),
  implausible: status.implausible,
  levels_age_s: ageSeconds(status.age('levelsAt')),
  warning: status.warnings.length > 0 ? status.warnings.join(' ') : null,
});

/** `values`: levels as the meter wrote them. */
export function shownLevelSettings(values: Partial<Snapshot>, settings: LevelSettings) {
  const { ln1, ln2, ln3, ln4, ln5 } = values;
  const numbers = Object.entries({ ln1, ln2, ln3, ln4, ln5 }).filter(([, level]) => level !== undefined);
  const levels = Object.fromEntries(numbers.map(([name, level]) => [name, level === null ? null : Number(level)]));
  return { ln: levelsByPercent(levels, settings.percentiles), ...shownWeighting(settings) };
}

/** As the fields of a message or an answer. */
export const shownWeighting = (settings: Partial<LevelSettings> | undefined) => ({
  frequency_weighting: settings?.frequencyWeighting ?? null,
  time_weighting: settings?.timeWeighting ?? null,
});

/** ISO 8601 in UTC with milliseconds. */
export const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
