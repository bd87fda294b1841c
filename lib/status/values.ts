/** The values of a snapshot as they are handed out, with the schemas of each: the same wherever they are shown. */
import { shownRecord, shownSchemas } from '../domain/fields/field.ts';
import { base } from '../domain/fields/schema.ts';
import { SNAPSHOT_FIELDS } from '../domain/fields/snapshot.ts';
import type { Schema } from '../http/contract.ts';
import type { Snapshot } from '../store/contract.ts';
import type { UnitStatus } from './contract.ts';
import { isFrozen, isStale } from './freshness.ts';

/** The schemas of the last values, by their names in the API. */
export const VALUE_FIELDS: Readonly<Record<string, Schema>> = {
  ...shownSchemas(SNAPSHOT_FIELDS),
  stale: {
    type: 'boolean',
    description:
      'No level came for three polling intervals of this unit, or ever. While a stream keeps lp fresh, measured_at says how old the others are.',
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
  warning: { type: ['string', 'null'], description: 'Why values are missing; null: nothing is wrong with them.' },
};

/** The same as one component of the OpenAPI document. */
export const VALUES = base('Values', VALUE_FIELDS);

type ShownValues = Readonly<Record<string, unknown>> & { readonly stale: boolean; readonly frozen: boolean };

/** A snapshot does not change, and is shown more often than a new one comes. */
const shown = new WeakMap<Snapshot, Readonly<Record<string, unknown>>>();

function shownSnapshot(values: Snapshot): Readonly<Record<string, unknown>> {
  const known = shown.get(values);
  if (known) return known;
  const made = shownRecord(SNAPSHOT_FIELDS, values);
  shown.set(values, made);
  return made;
}

/** `pollIntervalSeconds`: the measure for `stale`. */
export const shownValues = (status: UnitStatus, pollIntervalSeconds: number): ShownValues => ({
  ...shownSnapshot(status.values),
  ...shownDoubts(status, pollIntervalSeconds),
});

/** What is wrong with the values now. It can change while the values stay. */
export const shownDoubts = (status: UnitStatus, pollIntervalSeconds: number) => ({
  stale: isStale(status, pollIntervalSeconds),
  frozen: isFrozen(status),
  implausible: status.implausible,
  warning: status.warnings.length > 0 ? status.warnings.join(' ') : null,
});

/** ISO 8601 in UTC with milliseconds. */
export const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
