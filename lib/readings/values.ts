/** The values of a snapshot as they are handed out, with the schemas of each: the same wherever they are shown. */
import { shownRecord, shownSchemas } from '../fields/field.ts';
import { SNAPSHOT_FIELDS } from '../fields/snapshot.ts';
import type { Schema } from '../http/contract.ts';
import type { Snapshot } from '../store/contract.ts';
import { isFrozen, isStale } from './freshness.ts';

export const VALUES: Readonly<Record<string, Schema>> = {
  ...shownSchemas(SNAPSHOT_FIELDS),
  stale: {
    type: 'boolean',
    description: 'The levels are older than three polling intervals of this unit, or were never read.',
  },
  frozen: {
    type: 'boolean',
    description:
      'The levels stand still while the meter says it measures, for longer than measured levels can: 60 s, or a twentieth of the measured time where that is more.',
  },
};

type ShownValues = Readonly<Record<string, unknown>> & { readonly stale: boolean; readonly frozen: boolean };

/** `pollIntervalSeconds`: what stale is measured by. */
export const shownValues = (snapshot: Snapshot, now: number, pollIntervalSeconds: number): ShownValues => ({
  ...shownRecord(SNAPSHOT_FIELDS, { ...snapshot }),
  stale: isStale(snapshot, now, pollIntervalSeconds),
  frozen: isFrozen(snapshot),
});

/** ISO 8601 in UTC with milliseconds. */
export const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
