/** The values of a snapshot as they are handed out, with the schemas of each: the same wherever they are shown. */
import type { Schema } from '../http/contract.ts';
import type { Snapshot } from '../store/contract.ts';
import { isFrozen, isStale } from './freshness.ts';

const LEVEL: Schema = {
  type: ['string', 'null'],
  description: 'dB, one decimal, as the meter wrote it; null: no value.',
};
const NUMERIC: Schema = { type: ['string', 'null'], pattern: '^\\d+(\\.\\d+)?$' };
const FLAG: Schema = { type: ['boolean', 'null'] };
const MOMENT: Schema = { type: ['string', 'null'], format: 'date-time' };

export const VALUES: Readonly<Record<string, Schema>> = {
  measurement_state: { type: ['string', 'null'], enum: ['Measure', 'Stop', null] },
  lp: LEVEL,
  leq: LEVEL,
  lmax: LEVEL,
  lmin: LEVEL,
  lpeak: LEVEL,
  le: LEVEL,
  ln1: LEVEL,
  ln2: LEVEL,
  ln3: LEVEL,
  ln4: LEVEL,
  ln5: LEVEL,
  over_range: FLAG,
  under_range: FLAG,
  battery_level: { ...NUMERIC, description: 'Per cent. Read at most once a minute, like the four below.' },
  battery_state: { type: ['string', 'null'], description: 'The word of the meter that battery_level stands for.' },
  power_source: { type: ['string', 'null'], enum: ['Battery', 'External', 'USB', null] },
  sd_remaining_mb: NUMERIC,
  sd_free_ratio: { ...NUMERIC, description: 'Per cent of the card that is free.' },
  measured_at: {
    ...MOMENT,
    description: 'When the levels were measured; lp may be younger: the stream brings it too.',
  },
  lp_at: MOMENT,
  state_at: MOMENT,
  battery_at: MOMENT,
  power_at: MOMENT,
  sd_at: MOMENT,
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

/** `pollIntervalSeconds`: what stale is measured by. */
export const shownValues = (snapshot: Snapshot, now: number, pollIntervalSeconds: number) => ({
  measurement_state: snapshot.measurementState,
  lp: snapshot.lp,
  leq: snapshot.leq,
  lmax: snapshot.lmax,
  lmin: snapshot.lmin,
  lpeak: snapshot.lpeak,
  le: snapshot.le,
  ln1: snapshot.ln1,
  ln2: snapshot.ln2,
  ln3: snapshot.ln3,
  ln4: snapshot.ln4,
  ln5: snapshot.ln5,
  over_range: snapshot.overRange,
  under_range: snapshot.underRange,
  battery_level: snapshot.batteryLevel,
  battery_state: snapshot.batteryState,
  power_source: snapshot.powerSource,
  sd_remaining_mb: snapshot.sdRemainingMb,
  sd_free_ratio: snapshot.sdFreeRatio,
  measured_at: iso(snapshot.levelsAt),
  lp_at: iso(snapshot.lpAt),
  state_at: iso(snapshot.stateAt),
  battery_at: iso(snapshot.batteryAt),
  power_at: iso(snapshot.powerAt),
  sd_at: iso(snapshot.cardAt),
  stale: isStale(snapshot, now, pollIntervalSeconds),
  frozen: isFrozen(snapshot),
});

/** ISO 8601 in UTC with milliseconds. */
export const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
