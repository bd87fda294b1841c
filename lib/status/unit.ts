/** All facts about one unit, as the endpoints for many meters show it. */
import { CONFIG_FIELDS } from '../domain/fields/config.ts';
import { named, orNull, shownRecord, shownSchemas, TIME, TIME_OR_NULL, whole } from '../domain/fields/field.ts';
import { OPTIONAL, quantitiesIn } from '../domain/quantities.ts';
import type { Schema } from '../http/contract.ts';
import type { Reachability } from '../meter/contract.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { Status, UnitStatus } from './contract.ts';
import { ageSeconds, iso, shownValues, VALUE_FIELDS } from './values.ts';

const LEVELS: readonly string[] = quantitiesIn('status');
/** Text in the answers about one meter, numbers in answers about many. */
const NUMBERS: ReadonlySet<string> = new Set([...LEVELS, 'battery_level', 'sd_remaining_mb', 'sd_free_ratio']);
const OF_CONFIG = [
  ...['name', 'place', 'latitude', 'longitude', 'timezone', 'tags'],
  ...['verified_until', 'sim_valid_until'],
  ...['tcp_enabled', 'poll_enabled', 'poll_interval_seconds', 'history'],
];

const some = (record: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));

/** Levels in dB, sizes in megabytes, shares in per cent. */
export const numeric = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      NUMBERS.has(name) && typeof value === 'string' ? Number(value) : value,
    ]),
  );

const numericSchema = ([name, schema]: [string, Schema]): [string, Schema] => [
  name,
  NUMBERS.has(name)
    ? { type: ['number', 'null'], ...(LEVELS.includes(name) && { description: 'dB; null: no value.' }) }
    : schema,
];

/** The last fault. It is kept after its end. */
export const LAST_ERROR: Schema = named('LastError', {
  code: { type: 'string' },
  detail: { type: 'string' },
  at: TIME,
  resolved_at: { ...TIME_OR_NULL, description: 'When a success ended it; null: it lasts.' },
});

export const START_SOURCE: Schema = {
  type: ['string', 'null'],
  enum: ['sent', 'computed', 'seen', null],
  description:
    'How measurement_start_time is known. sent: this gateway started the measurement. computed: from LE and Leq, to 2 % of the time since then. seen: when it was first seen; it began earlier. null: no start is known.',
};

export const CLOCK_OFFSET: Schema = orNull(
  whole(
    {
      offset_s: { type: 'number' },
      uncertainty_s: { type: 'number', description: 'Plus or minus. The clock shows whole seconds.' },
      measured_at: TIME,
    },
    { description: 'How far the clock of the meter is ahead of that of the gateway; null: not measured.' },
  ),
);

const FIELDS: Readonly<Record<string, Schema>> = {
  unit_id: { type: 'string' },
  ...(some(shownSchemas(CONFIG_FIELDS), OF_CONFIG) as Record<string, Schema>),
  ...Object.fromEntries(Object.entries(VALUE_FIELDS).map(numericSchema)),
  measurement_start_time: TIME_OR_NULL,
  measurement_start_source: START_SOURCE,
  last_seen: TIME_OR_NULL,
  age_s: { type: ['number', 'null'], minimum: 0, description: 'Seconds since last_seen.' },
  state: {
    type: 'string',
    enum: ['unknown', 'online', 'degraded', 'offline', 'asleep?', 'wedged'],
    description: 'How the meter was last reached; unknown: not tried since the gateway started.',
  },
  reason: { type: 'string', description: 'Why it is in this state, for a person.' },
  is_reachable: { type: ['boolean', 'null'] },
  consecutive_failures: { type: 'integer', minimum: 0 },
  last_error: orNull(LAST_ERROR),
  clock: CLOCK_OFFSET,
};

export const UNIT: Schema = named('Unit', FIELDS, OPTIONAL);

interface UnitSources {
  readonly status: Status;
  reachability(unitId: string): Reachability | undefined;
}

/** One unit with snake_case names and RFC 3339 times. */
export function shownUnit({ status, reachability }: UnitSources, config: DeviceConfig) {
  const { unitId, pollIntervalSeconds } = config;
  const known = status.of(unitId);
  const reached = reachability(unitId);
  return {
    unit_id: unitId,
    ...some(shownRecord(CONFIG_FIELDS, { ...config }), OF_CONFIG),
    ...numeric(shownValues(known, pollIntervalSeconds)),
    ...shownAge(known),
    ...shownReachability(reached),
    clock: shownClockOffset(reached),
  };
}

/** When values were measured, and what makes them doubtful. */
export const shownAge = (known: UnitStatus) => ({
  measurement_start_time: iso(known.values.measurementStartTime),
  measurement_start_source: known.values.measurementStartSource,
  last_seen: iso(known.values.lastSeen),
  age_s: ageSeconds(known.age('lastSeen')),
});

/** In the form of the API; also before the first attempt. */
export const shownReachability = (reachability: Reachability | undefined) => ({
  state: reachability?.state ?? 'unknown',
  reason: reachability?.reason ?? 'not tried since the gateway started',
  is_reachable: reachability?.reachable ?? null,
  consecutive_failures: reachability?.consecutiveFailures ?? 0,
  last_error: shownError(reachability?.lastError ?? null),
});

/** Seconds; null: the clock was not compared since the gateway started, or another meter answers now. */
export const shownClockOffset = (reachability: Reachability | undefined) => {
  const clock = reachability?.clock;
  if (!clock) return null;
  return { offset_s: clock.offsetMs / 1_000, uncertainty_s: clock.uncertaintyMs / 1_000, measured_at: iso(clock.at) };
};

/** Null without an error. */
export const shownError = (error: Reachability['lastError']) =>
  error && { code: error.code, detail: error.detail, at: iso(error.at), resolved_at: iso(error.resolvedAt) };
