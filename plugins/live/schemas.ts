import { extending, LEVEL_SETTINGS_FIELDS, quantities, UNIT, VALUES } from '../../lib/built-in.ts';
import { named, type Schema, TIME, whole } from '../../lib/index.ts';

const LEVEL: Schema = {
  type: ['string', 'null'],
  description: 'dB, one decimal, as the meter wrote it; null: no value.',
};
const FLAG: Schema = { type: ['boolean', 'null'] };
const STATE = ['Measure', 'Stop'];
const COUNTER: Schema = {
  type: 'integer',
  description: 'The meter counts frames since its stream began, 1 to 600, then 1 again.',
};
const DEVICE_TIME: Schema = {
  type: ['string', 'null'],
  pattern: '^\\d{4}/\\d{2}/\\d{2},\\d{2}:\\d{2}:\\d{2}$',
  description:
    'The time on the clock of the meter with this frame; null: the stream of this meter does not contain it.',
};
const WEIGHTINGS: Readonly<Record<string, Schema>> = {
  frequency_weighting: {
    ...LEVEL_SETTINGS_FIELDS.frequency_weighting,
    description: 'Of the main channel, for all levels but lpeak, as the gateway last saw or set it; null: not known.',
  },
  time_weighting: {
    ...LEVEL_SETTINGS_FIELDS.time_weighting,
    description: 'The same for lp, lmax and lmin.',
  },
};
const FRAME_LEVELS = quantities.quantitiesIn('frame');

const levelsOf = (level: Schema): Readonly<Record<quantities.FrameQuantity, Schema>> =>
  quantities.levelsBy(FRAME_LEVELS, (name) => {
    const { sum, optional }: quantities.Quantity = quantities.QUANTITIES[name];
    const ofInterval = sum === 'counts' ? '' : ' Of this 100 ms interval, not of the measurement.';
    const absent = optional ? ' Absent where the meter does not send it.' : '';
    return { ...level, description: `${level.description}${ofInterval}${absent}` };
  });

/** GET live: the main channel of the display. */
export const SNAPSHOT = extending(VALUES, 'Snapshot', {
  unit_id: { type: 'string' },
  measurement_state: {
    type: ['string', 'null'],
    enum: [...STATE, null],
    description: 'null: meters of this family do not report it.',
  },
  age_s: {
    type: ['number', 'null'],
    minimum: 0,
    description: 'As levels_age_s. In GET status it is the time since last_seen.',
  },
});

/** WS live: one frame of 100 ms. */
export const FRAME_MESSAGE = named(
  'Frame',
  {
    unit_id: { type: 'string' },
    timestamp: { ...TIME, description: 'When the gateway had the frame, UTC, ms.' },
    seq: { type: 'integer', minimum: 1, description: 'Frames sent to this client, this one included.' },
    missed: {
      type: 'integer',
      minimum: 0,
      description: 'Frames that this client did not get since its last frame, because it was slow.',
    },
    lost_at_meter: {
      type: 'integer',
      minimum: 0,
      description: 'Frames since the last frame that the meter did not send: its counter skipped them.',
    },
    counter: COUNTER,
    ...levelsOf(LEVEL),
    over_range: FLAG,
    under_range: FLAG,
    measurement_state: {
      type: ['string', 'null'],
      enum: [...STATE, null],
      description: 'The state that the gateway last saw: a frame does not contain it. null: not known.',
    },
    device_time: DEVICE_TIME,
    ...WEIGHTINGS,
  },
  quantities.OPTIONAL,
);

export const FEED_MESSAGE = named('FeedChange', {
  unit_id: { type: 'string' },
  timestamp: TIME,
  feed_status: { type: 'string', enum: ['ok', 'interrupted', 'lost'] },
  detail: { type: 'string' },
});

/** WS live: the last known values while no frame has come yet. Levels are those of the measurement, as in GET status. */
export const VALUES_MESSAGE = named('LastValues', {
  unit_id: { type: 'string' },
  timestamp: TIME,
  last_values: { type: 'object', allOf: [VALUES], unevaluatedProperties: false },
});

export const REACHABILITY_MESSAGE = named('ReachabilityChange', {
  unit_id: { type: 'string' },
  timestamp: TIME,
  reachability: { type: 'string', enum: ['unknown', 'online', 'degraded', 'offline', 'asleep?', 'wedged'] },
  reason: { type: 'string', description: 'Why, for a person.' },
  consecutive_failures: { type: 'integer', minimum: 0, description: 'Exchanges in a row that did not succeed.' },
});

const EVERY: Readonly<Record<string, Schema>> = {
  time: TIME,
  seq: { type: 'integer', minimum: 1, description: 'Messages sent to this client, this one included.' },
  missed: {
    type: 'integer',
    minimum: 0,
    description: 'Readings and frames that this client did not get since its last message, because it was slow.',
  },
};

/** WS _live: the present status of all units. */
export const HELLO_MESSAGE = named('Hello', {
  event: { const: 'hello' },
  ...EVERY,
  subscription: whole({
    units: { type: 'array', items: { type: 'string' } },
    events: { type: 'array', items: { type: 'string' } },
    hz: { type: 'integer' },
  }),
  data: { type: 'array', items: UNIT },
});

const OF_UNIT: Readonly<Record<string, Schema>> = { unit_id: { type: 'string' }, ...EVERY };
const DECIBELS: Schema = { type: ['number', 'null'], description: 'dB; null: no value.' };

/** WS _live: one frame of 100 ms, its levels as numbers. */
export const FRAME_EVENT = named('FrameEvent', {
  event: { const: 'frame' },
  ...OF_UNIT,
  data: whole(
    {
      counter: COUNTER,
      ...levelsOf(DECIBELS),
      over_range: FLAG,
      under_range: FLAG,
      implausible: { type: 'boolean', description: 'The meter showed an impossible level; it is null here.' },
      device_time: DEVICE_TIME,
      ...WEIGHTINGS,
    },
    {},
    quantities.OPTIONAL,
  ),
});

/** WS _live: any other event of one unit. */
export const UNIT_EVENT = named('UnitEvent', {
  event: {
    type: 'string',
    enum: ['reading', 'feed', 'state', 'setting', 'reachability', 'config', 'alert', 'job'],
    description:
      'reading: the values of a command, and while a stream runs the known values, at least once a second. setting: a setting of the meter was read or set. feed: a change of the stream of a unit whose frames are wanted (ok, interrupted, lost).',
  },
  ...OF_UNIT,
  data: { type: 'object', description: 'Levels are numbers, dB.' },
});

/** Limits of the clients, and the most bytes that may wait for a client. */
export interface LiveSettings {
  readonly streams_per_unit: number;
  readonly streams: number;
  readonly buffer_bytes: number;
  readonly patience_ms: number;
}

export const LIVE_SETTINGS: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    streams_per_unit: {
      type: 'integer',
      title: 'Most WebSocket clients that watch one meter',
      minimum: 1,
      maximum: 10_000,
      default: 250,
    },
    streams: {
      type: 'integer',
      title: 'Most WebSocket clients that watch meters, all together',
      minimum: 1,
      maximum: 100_000,
      default: 1_000,
    },
    buffer_bytes: {
      type: 'integer',
      title: 'Bytes that may wait for a client before frames are left out',
      minimum: 1_024,
      maximum: 1_048_576,
      default: 16_384,
    },
    patience_ms: {
      type: 'integer',
      title: 'Longest time without reading before a client is closed, ms',
      minimum: 100,
      maximum: 600_000,
      default: 30_000,
    },
  },
  default: {},
};
