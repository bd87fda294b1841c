/** The last known values of a meter, from memory: GET status never touches the meter, so it also works with TCP disabled. */
import {
  ageSeconds,
  iso,
  type Plugin,
  type Reachability,
  type Schema,
  shownValues,
  type UnitStatus,
  unknownUnit,
  VALUES,
} from '../lib/index.ts';

const MOMENT: Schema = { type: ['string', 'null'], format: 'date-time' };

const FIELDS: Readonly<Record<string, Schema>> = {
  unit_id: { type: 'string' },
  ...VALUES,
  measurement_start_time: MOMENT,
  last_seen: { ...MOMENT, description: 'When the meter last gave one of these values.' },
  age_s: { type: ['number', 'null'], minimum: 0, description: 'Seconds since last_seen.' },
  is_reachable: { type: ['boolean', 'null'], description: 'null: not tried since the gateway started.' },
  consecutive_failures: { type: 'integer', minimum: 0 },
  last_error: {
    type: ['object', 'null'],
    description: 'The last one, kept when it is over; `at` tells when it was, `resolved_at` when a success ended it.',
    properties: {
      code: { type: 'string' },
      detail: { type: 'string' },
      at: { type: 'string', format: 'date-time' },
      resolved_at: MOMENT,
    },
    required: ['code', 'detail', 'at', 'resolved_at'],
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
        const config = host.configs.get(unitId);
        if (!config) throw unknownUnit(unitId);
        const status = host.status.of(unitId);
        const values = shownValues(status, config.pollIntervalSeconds);
        return { data: { unit_id: unitId, ...values, ...age(status), ...reach(host.reachability(unitId)) } };
      },
    });
  },
};
export default plugin;

const age = (status: UnitStatus) => ({
  measurement_start_time: iso(status.values.measurementStartTime),
  last_seen: iso(status.values.lastSeen),
  age_s: ageSeconds(status.age('lastSeen')),
});

const reach = (reachability: Reachability | undefined) => ({
  is_reachable: reachability?.reachable ?? null,
  consecutive_failures: reachability?.consecutiveFailures ?? 0,
  last_error: shownError(reachability?.lastError ?? null),
});

const shownError = (error: Reachability['lastError']) =>
  error && { code: error.code, detail: error.detail, at: iso(error.at), resolved_at: iso(error.resolvedAt) };
