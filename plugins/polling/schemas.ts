/** Schemas of the polling endpoints, and the settings of the plugin. Data only. */
import { LAST_ERROR, readOnly, TIME_OR_NULL } from '../../lib/built-in.ts';
import { named, orNull, type Schema } from '../../lib/index.ts';

const COUNT: Schema = { type: 'integer', minimum: 0 };
const INTERVAL: Schema = { type: 'integer', minimum: 1, maximum: 21_600 };

/** Fields that GET shows and PUT cannot change. */
export const FIXED_POLLING = ['unit_id'];
/** Absent fields do not change. */
export const BODY: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...readOnly(FIXED_POLLING),
    poll_enabled: { type: 'boolean', description: 'Whether the meter is read in the background.' },
    poll_interval_seconds: { ...INTERVAL, description: 'Time between two background readings.' },
  },
};

export const CONFIG = named('PollingConfig', {
  unit_id: { type: 'string' },
  poll_enabled: { type: 'boolean' },
  poll_interval_seconds: INTERVAL,
});

export const UNIT_POLLING = named('UnitPolling', {
  unit_id: { type: 'string' },
  poll_enabled: { type: 'boolean' },
  poll_interval_seconds: INTERVAL,
  state: {
    type: 'string',
    enum: ['off', 'waiting', 'reading', 'streaming', 'slowed'],
    description:
      'off: not enabled, or TCP is disabled; a meter whose stream is recorded and does not come is read all the same. streaming: somebody watches the fast stream, which keeps lp and more fresh; the display is read at most every five minutes then. slowed: the meter cannot be reached and is tried less often.',
  },
  next_poll: TIME_OR_NULL,
  last_poll: TIME_OR_NULL,
  last_success: TIME_OR_NULL,
  last_error: orNull(LAST_ERROR),
  consecutive_failures: { ...COUNT, description: 'Polls in a row that could not reach the meter.' },
  polls: { ...COUNT, description: 'Since the gateway started, like the two below.' },
  successes: COUNT,
  skipped: { ...COUNT, description: 'Polls that a watched stream made unnecessary.' },
  measured_at: TIME_OR_NULL,
  stale: { type: 'boolean' },
});

export interface PollingSettings {
  readonly slowest_seconds: number;
  readonly start_spread_seconds: number;
}

export const POLLING_SETTINGS: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    slowest_seconds: {
      type: 'integer',
      title: 'Longest time between two polls of a meter that cannot be reached, unless its interval is longer',
      minimum: 1,
      maximum: 86_400,
      default: 300,
      'x-unit': 's',
    },
    start_spread_seconds: {
      type: 'integer',
      title: 'Time over which the first polls after a start are spread',
      minimum: 0,
      maximum: 3_600,
      default: 60,
      'x-unit': 's',
    },
  },
  default: {},
};
