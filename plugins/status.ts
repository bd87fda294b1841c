/** The last known values of a meter, from memory: GET status never touches the meter, so it also works with TCP disabled. */
import { type Contact, GatewayError, type Host, type Plugin, type Schema, type Snapshot } from '../lib/index.ts';

const LEVEL: Schema = { type: ['string', 'null'], description: 'dB, one decimal, as the meter wrote it.' };
const NUMERIC: Schema = { type: ['string', 'null'], pattern: '^\\d+(\\.\\d+)?$' };
const FLAG: Schema = { type: ['boolean', 'null'] };
const MOMENT: Schema = { type: ['string', 'null'], format: 'date-time' };

const FIELDS: Readonly<Record<string, Schema>> = {
  unit_id: { type: 'string' },
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
  battery_level: { ...NUMERIC, description: 'Per cent.' },
  battery_state: { type: ['string', 'null'], description: 'The word of the meter.' },
  power_source: { type: ['string', 'null'], enum: ['Battery', 'External', 'USB', null] },
  sd_remaining_mb: NUMERIC,
  sd_free_ratio: { ...NUMERIC, description: 'Per cent of the card that is free.' },
  measurement_start_time: MOMENT,
  last_seen: { ...MOMENT, description: 'When the meter last gave one of these values.' },
  age_s: { type: ['number', 'null'], minimum: 0, description: 'Seconds since last_seen.' },
  is_reachable: { type: ['boolean', 'null'], description: 'null: not tried since the gateway started.' },
  consecutive_failures: { type: 'integer', minimum: 0 },
  last_error: {
    type: ['object', 'null'],
    description: 'The last one, kept when it is over; `at` tells when it was.',
    properties: { code: { type: 'string' }, detail: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
    required: ['code', 'detail', 'at'],
    additionalProperties: false,
  },
};
const DATA: Schema = { type: 'object', properties: FIELDS, required: Object.keys(FIELDS), additionalProperties: false };

const plugin: Plugin = {
  name: 'status',
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/status',
      access: 'viewer',
      summary: 'Show the last snapshot of a meter without contacting it',
      description: 'Everything is null before the first reading. Works while TCP is disabled.',
      answer: { data: DATA },
      errors: ['UNIT_NOT_FOUND'],
      handle({ unitId }) {
        if (!host.configs.get(unitId))
          throw new GatewayError('UNIT_NOT_FOUND', `there is no device config for ${unitId}`);
        const snapshot = host.snapshots.get(unitId);
        return {
          data: { unit_id: unitId, ...values(snapshot), ...age(snapshot, host), ...reach(host.contact(unitId)) },
        };
      },
    });
  },
};
export default plugin;

const iso = (moment: number | null) => (moment === null ? null : new Date(moment).toISOString());

const values = (snapshot: Snapshot) => ({
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
});

/** The wall clock may have been set back since: an age is never negative. */
const age = ({ lastSeen, measurementStartTime }: Snapshot, { clock }: Host) => ({
  measurement_start_time: iso(measurementStartTime),
  last_seen: iso(lastSeen),
  age_s: lastSeen === null ? null : Math.max(0, Math.round((clock.now() - lastSeen) / 100) / 10),
});

const reach = (contact: Contact | undefined) => ({
  is_reachable: contact?.reachable ?? null,
  consecutive_failures: contact?.consecutiveFailures ?? 0,
  last_error: contact?.lastError ? { ...contact.lastError, at: iso(contact.lastError.at) } : null,
});
